//! Reasons why no scheduler is loaded.

use std::path::Path;

/// The reason why this machine, or this build, does not load a scheduler into the kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadRefusal {
    /// The program was built without the feature `kernel`.
    #[error("this build of schedlab cannot load schedulers into the kernel (feature `kernel`)")]
    NotBuilt,
    /// The kernel has no sched_ext.
    #[error(
        "this kernel ({release}) has no sched_ext: it needs Linux 6.12 or later with CONFIG_SCHED_CLASS_EXT{NOR_BUILT}"
    )]
    NoSchedExt {
        /// The kernel's release, as `uname -r` prints it.
        release: String,
    },
    /// Another scheduler is loaded.
    #[error("the scheduler \"{name}\" is loaded in the kernel; only one can be")]
    Occupied {
        /// Name of that scheduler.
        name: String,
    },
    /// The process lacks a capability.
    #[error("the kernel refuses this process: {what} needs {capability}")]
    NotAllowed {
        /// The step that was refused.
        what: &'static str,
        /// Capabilities that the step needs.
        capability: &'static str,
    },
    /// The kernel has PREEMPT_RT.
    #[error(
        "this kernel has PREEMPT_RT, which takes no timers in schedulers: {0} need them; allowed: --backend scx, or \
         threads"
    )]
    NoTimers(&'static str),
    /// The kernel refused a step for another reason.
    #[error("the kernel refuses {what}: {why}")]
    Refused {
        /// The step that was refused.
        what: &'static str,
        /// The error, with the first line of the verifier if it was asked.
        why: String,
    },
}

/// What the refusal of a kernel without sched_ext adds where another kernel would not suffice.
const NOR_BUILT: &str =
    if cfg!(feature = "kernel") { "" } else { "; nor was this build made for it (feature `kernel`)" };

/// Folder in which the kernel reports on sched_ext; absent where the kernel has none.
const SCHED_EXT: &str = "/sys/kernel/sched_ext";

/// The refusal of this machine where no attempt could succeed: the kernel's own error would not give the reason.
pub(crate) fn early_refusal() -> Option<LoadRefusal> {
    let read = |path: &Path| std::fs::read_to_string(path).map(|text| text.trim().to_owned());
    let or_unknown = |path: &Path| read(path).unwrap_or_else(|_| "unknown".to_owned());
    let reports = Path::new(SCHED_EXT);
    match read(&reports.join("state")).as_deref() {
        Ok("disabled") => None,
        Ok(_) => Some(LoadRefusal::Occupied { name: or_unknown(&reports.join("root/ops")) }),
        Err(_) => {
            Some(LoadRefusal::NoSchedExt { release: or_unknown(Path::new("/proc/sys/kernel/osrelease")) })
        }
    }
}

/// The refusal of quanta by a kernel of this version, as `uname -v` prints it.
#[cfg(any(feature = "kernel", test))]
pub(crate) fn refuse_preempt_rt(version: &str) -> Result<(), LoadRefusal> {
    refuse_timers(Some("quanta"), version)
}

/// The refusal by a kernel of this version of what needs timers, if anything does.
#[cfg(any(feature = "kernel", test))]
pub(crate) fn refuse_timers(needed_by: Option<&'static str>, version: &str) -> Result<(), LoadRefusal> {
    let has_none = version.split_whitespace().any(|word| word == "PREEMPT_RT");
    needed_by.filter(|_| has_none).map_or(Ok(()), |what| Err(LoadRefusal::NoTimers(what)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClusterSettings;

    #[test]
    fn kernels_with_preempt_rt_have_no_timers() {
        let real_time = "#1 SMP PREEMPT_RT Debian 6.12.57-1 (2025-11-05)";
        assert_eq!(refuse_preempt_rt(real_time), Err(LoadRefusal::NoTimers("quanta")));
        for other in ["#1 SMP PREEMPT_DYNAMIC Debian 6.12.57-1 (2025-11-05)", "#1 SMP Fri Nov 28", ""] {
            assert_eq!(refuse_preempt_rt(other), Ok(()));
        }
    }

    /// Budgets and sections of jobs on clusters are refused by name; jobs that have neither run.
    #[test]
    fn only_what_needs_timers_is_refused() {
        let (real_time, other) =
            ("#1 SMP PREEMPT_RT Debian 6.12.57-1", "#1 SMP PREEMPT_DYNAMIC Debian 6.12.57-1");
        let settings = |timers| ClusterSettings { timers, ..ClusterSettings::of(&[1, 2]) };
        let refused = |timers, version| refuse_timers(settings(timers).timers_needed_by(), version);
        let said = refused(true, real_time).unwrap_err().to_string();
        assert!(said.contains("budgets and longest sections need them"), "{said}");
        assert_eq!(refused(true, other), Ok(()));
        assert_eq!((refused(false, real_time), refused(false, other)), (Ok(()), Ok(())));
    }
}
