//! Reasons why no scheduler is loaded.

/// The reason why this machine, or this build, does not load a scheduler into the kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadRefusal {
    /// The program was built without the feature `kernel`.
    #[error("this build of schedlab cannot load schedulers into the kernel (feature `kernel`)")]
    NotBuilt,
    /// The kernel has no sched_ext.
    #[error(
        "this kernel ({release}) has no sched_ext: it needs Linux 6.12 or later with CONFIG_SCHED_CLASS_EXT"
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
    /// The kernel refused a step for another reason.
    #[error("the kernel refuses {what}: {why}")]
    Refused {
        /// The step that was refused.
        what: &'static str,
        /// The error, with the first line of the verifier if it was asked.
        why: String,
    },
}
