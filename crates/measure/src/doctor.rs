//! Checks what this machine can run, and what to change.

use crate::machine::about::{active_mitigations, describe, Machine};
use schedlab_model::Duration;
use schedlab_runtime::program::fair_server::{self, UnknownSettings};
use schedlab_runtime::{sys, try_priority, Refusal, SwitchListener};
use schedlab_scx::LoadRefusal;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::fs;
use std::path::Path;

/// Findings on what this machine can run.
#[derive(Serialize, JsonSchema)]
pub struct Doctor {
    /// True if scenarios can run for real.
    #[serde(rename = "real_runs")]
    pub is_able: bool,
    machine: Machine,
    findings: Vec<Finding>,
}

/// Meaning of a finding for runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
enum Weight {
    /// The machine is as it should be.
    #[serde(rename = "ok")]
    Good,
    /// Runs work, but measure more than they should, or less is known of them.
    #[serde(rename = "note")]
    Doubtful,
    /// Real runs are not possible.
    #[serde(rename = "no")]
    Missing,
}

impl Weight {
    fn word(self) -> &'static str {
        match self {
            Weight::Good => "ok",
            Weight::Doubtful => "note",
            Weight::Missing => "no",
        }
    }
}

/// A property of the machine, and whether real runs can do with it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DoctorFinding")]
struct Finding {
    what: &'static str,
    #[serde(rename = "state")]
    weight: Weight,
    found: String,
    /// Empty where nothing is to be changed.
    advice: &'static str,
}

/// Examines the machine.
pub fn doctor() -> Doctor {
    let machine = describe();
    let mut findings = findings(&machine);
    let is_able = findings.iter().all(|finding| finding.weight != Weight::Missing);
    for finding in findings.iter_mut().filter(|finding| finding.weight == Weight::Good) {
        finding.advice = "";
    }
    Doctor { is_able, machine, findings }
}

impl fmt::Display for Doctor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { what, weight, found, advice } in &self.findings {
            writeln!(f, "{:<5} {what:<24} {found}", weight.word())?;
            if !advice.is_empty() {
                writeln!(f, "{:30} {advice}", "")?;
            }
        }
        f.write_str(if self.is_able {
            "this machine can run scenarios for real\n"
        } else {
            "simulation only\n"
        })
    }
}

fn findings(machine: &Machine) -> Vec<Finding> {
    vec![
        processors(),
        priorities(),
        throttling(),
        fair_server(),
        context_switches(),
        clock(),
        frequency(),
        idle_states(),
        noise(machine),
        kernel(machine),
        capabilities(),
        mitigations(),
        kernel_schedulers(),
    ]
}

/// A file of /proc or /sys, without its end of line; empty if it is not there.
fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

fn processors() -> Finding {
    let allowed = sys::allowed_processors().unwrap_or_default();
    Finding {
        what: "processors",
        weight: if allowed.is_empty() { Weight::Missing } else { Weight::Good },
        found: format!(
            "this process may use {} of {}",
            allowed.len(),
            read("/sys/devices/system/cpu/online")
        ),
        advice: "widen the process's affinity (taskset, cpuset)",
    }
}

fn priorities() -> Finding {
    let (weight, found) = match try_priority(99) {
        Ok(()) => (Weight::Good, "up to 99 are allowed".to_owned()),
        Err(Refusal::Priority(error)) => (Weight::Missing, error.to_string()),
        Err(refusal) => (Weight::Missing, refusal.to_string()),
    };
    let advice =
        "run as root, give the program CAP_SYS_NICE, or raise RLIMIT_RTPRIO to 99 (ulimit -r 99); in a \
                  container, its cgroup's real-time limits count too";
    Finding { what: "real-time priorities", weight, found, advice }
}

fn throttling() -> Finding {
    let runtime = read("/proc/sys/kernel/sched_rt_runtime_us");
    let period = read("/proc/sys/kernel/sched_rt_period_us");
    let throttles = !matches!(runtime.as_str(), "" | "-1");
    Finding {
        what: "real-time throttling",
        weight: if throttles { Weight::Doubtful } else { Weight::Good },
        found: if throttles {
            format!("real-time threads get at most {runtime} of {period} us where the kernel enforces it")
        } else {
            "none".to_owned()
        },
        advice: "only loads near 1 per processor meet it; sysctl kernel.sched_rt_runtime_us=-1 removes it, and the \
                 protection with it",
    }
}

fn fair_server() -> Finding {
    let settings = fair_server::settings();
    let advice = match settings {
        Err(UnknownSettings::Missing) => "",
        Ok(_) | Err(UnknownSettings::Unreadable(_)) => fair_server::BY_HAND,
    };
    let most = settings.map(|all| all.iter().map(|(_, runtime, _)| *runtime).max().unwrap_or(0));
    let (weight, found) = match most {
        Ok(0) => (Weight::Good, "off".to_owned()),
        Ok(ns) => (
            Weight::Doubtful,
            format!(
                "starved ordinary threads may run {} of each second over real-time ones",
                Duration::from_ns(ns)
            ),
        ),
        Err(why) => (Weight::Doubtful, format!("its settings cannot be read ({why})")),
    };
    Finding { what: "fair server", weight, found, advice }
}

fn context_switches() -> Finding {
    let heard = sys::allowed_processors().and_then(|all| SwitchListener::listen(&all));
    let (weight, found) = match heard {
        Ok(_) => (Weight::Good, "context switches can be heard".to_owned()),
        Err(error) => (Weight::Doubtful, error.to_string()),
    };
    let advice =
        "without the kernel's context switches, a run's schedule is not confirmed: give CAP_PERFMON, or run as root";
    Finding { what: "kernel's context switches", weight, found, advice }
}

fn clock() -> Finding {
    let source = read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let flags = read("/proc/cpuinfo");
    let invariant = flags.contains("constant_tsc") && flags.contains("nonstop_tsc");
    let good = source == "tsc" || source == "arch_sys_counter";
    Finding {
        what: "clock",
        weight: if good { Weight::Good } else { Weight::Doubtful },
        found: format!("{source}{}", if invariant { ", invariant time-stamp counter" } else { "" }),
        advice: "a slow clock source makes every time stamp cost a microsecond or more",
    }
}

fn frequency() -> Finding {
    let governor = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let good = matches!(governor.as_str(), "" | "performance");
    Finding {
        what: "processor frequency",
        weight: if good { Weight::Good } else { Weight::Doubtful },
        found: if governor.is_empty() {
            "not controlled here".to_owned()
        } else {
            format!("governor {governor}")
        },
        advice: "costs change with the frequency: cpupower frequency-set -g performance",
    }
}

fn idle_states() -> Finding {
    let there = fs::OpenOptions::new().write(true).open("/dev/cpu_dma_latency").is_ok();
    Finding {
        what: "idle states",
        weight: if there { Weight::Good } else { Weight::Doubtful },
        found: if there { "can be kept shallow during runs".to_owned() } else { "cannot be kept shallow".to_owned() },
        advice: "waking a processor from a deep idle state takes up to a millisecond: allow writing /dev/cpu_dma_latency",
    }
}

fn noise(machine: &Machine) -> Finding {
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or_default();
    let busy = load.parse::<f64>().is_ok_and(|load| load > 0.5);
    Finding {
        what: "noise",
        weight: if machine.is_virtual || busy { Weight::Doubtful } else { Weight::Good },
        found: format!("load {load}{}", if machine.is_virtual { ", a virtual machine" } else { "" }),
        advice: "other load and the host show in every measurement: medians bear them, maxima do not",
    }
}

fn kernel(machine: &Machine) -> Finding {
    // Kernels say so in their version; those with the patch for real time have a file, too.
    let is_real_time =
        read("/proc/version").contains("PREEMPT_RT") || read("/sys/kernel/realtime").trim() == "1";
    let found = format!("{}{}", machine.kernel, if is_real_time { ", PREEMPT_RT" } else { "" });
    Finding { what: "kernel", weight: Weight::Good, found, advice: "" }
}

/// Capabilities that runs use, with their numbers in the kernel.
const CAPABILITIES: [(&str, u32); 4] =
    [("CAP_IPC_LOCK", 14), ("CAP_SYS_NICE", 23), ("CAP_PERFMON", 38), ("CAP_BPF", 39)];

/// The capabilities that the set in `status`, a text of `/proc/PID/status`, lacks.
fn missing_capabilities(status: &str) -> Vec<&'static str> {
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0);
    CAPABILITIES.iter().filter(|(_, bit)| set >> bit & 1 == 0).map(|(name, _)| *name).collect()
}

fn capabilities() -> Finding {
    let missing = missing_capabilities(&read("/proc/self/status"));
    Finding {
        what: "capabilities",
        weight: if missing.is_empty() { Weight::Good } else { Weight::Doubtful },
        found: match missing.is_empty() {
            true => "all that runs use".to_owned(),
            false => format!("this process lacks {}", missing.join(", ")),
        },
        advice: "locked memory, real-time threads, the kernel's switches, schedulers in the kernel, in this order: run as \
                 root, or setcap the program",
    }
}

fn mitigations() -> Finding {
    let active = active_mitigations().len();
    Finding {
        what: "mitigations",
        weight: Weight::Good,
        found: format!("{active} active; they are part of what system calls and switches cost"),
        advice: "",
    }
}

/// Loads a scheduler into the kernel for a moment: `/sys/kernel/sched_ext` is there on kernels that refuse it, too.
fn kernel_schedulers() -> Finding {
    let what = "kernel schedulers";
    let refusal = match schedlab_scx::probe() {
        Ok(()) => {
            let found = "one was loaded, and unloaded again".to_owned();
            return Finding { what, weight: Weight::Good, found, advice: "" };
        }
        Err(refusal) => refusal,
    };
    let advice = match refusal {
        LoadRefusal::NotBuilt => "only schedulers inside the kernel need it: build with the feature `kernel`",
        LoadRefusal::NoSchedExt { .. } => {
            "only schedulers inside the kernel need it; Arch, CachyOS and openSUSE Tumbleweed package some, and \
             docs/kernel.md says how to build such a kernel"
        }
        LoadRefusal::Occupied { .. } => "unload it first; `echo S > /proc/sysrq-trigger` unloads any",
        LoadRefusal::NotAllowed { .. } => "run as root, or give the program these capabilities",
        LoadRefusal::NoTimers(_) => "take another backend for what needs timers",
        LoadRefusal::Refused { .. } => {
            "schedulers inside the kernel cannot be loaded; kernels with PREEMPT_RT may refuse them"
        }
    };
    Finding { what, weight: Weight::Doubtful, found: refusal.to_string(), advice }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_capabilities_are_named() {
        let of = |set: &str| missing_capabilities(&format!("Name:\tx\nCapEff:\t{set}\nCapBnd:\t0\n"));
        assert_eq!(of("000001ffffffffff"), [""; 0]);
        assert_eq!(of("0000000000000000"), ["CAP_IPC_LOCK", "CAP_SYS_NICE", "CAP_PERFMON", "CAP_BPF"]);
        assert_eq!(of("0000008000804000"), ["CAP_PERFMON"]);
    }
}
