//! Why a system cannot run here, and what to do about it.

use crate::room::STACKS;
use std::fmt;
use std::io;

/// A run that was refused before any of its threads executed.
#[derive(Debug)]
pub enum Refusal {
    /// The machine has fewer processors than the system.
    Processors {
        /// How many the system needs.
        needed: usize,
        /// How many this process may use.
        allowed: usize,
    },
    /// Another process has some of the processors for its real-time threads, or this one runs a system there.
    Taken {
        /// Which of them.
        processors: Vec<usize>,
        /// The process; 0 if it cannot be seen from here.
        by: u32,
    },
    /// The kernel does not let this process use real-time priorities.
    Priority(io::Error),
    /// The world cannot be stopped without real-time priorities.
    Standstill,
    /// The system has no room for a thread or a process of the run.
    Room {
        /// What was to be created.
        what: String,
        /// The limit that was met.
        limit: String,
        /// What the kernel said.
        error: io::Error,
    },
    /// The stack of tasks' threads is too small or too large.
    Stack(usize),
    /// A call failed that ought not to.
    System {
        /// What was tried.
        what: &'static str,
        /// What the kernel said.
        error: io::Error,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Processors { needed, allowed } => write!(
                f,
                "the system has {needed} processors, but this process may use {allowed}: use fewer, or widen its \
                 affinity (taskset, cpuset)"
            ),
            Refusal::Taken { processors, by } => {
                let list: Vec<String> = processors.iter().map(usize::to_string).collect();
                let by = if *by == 0 { "a process elsewhere".to_owned() } else { format!("process {by}") };
                write!(
                    f,
                    "{by} has real-time threads on processor {}: wait until it ends, or use other processors (taskset)",
                    list.join(", ")
                )
            }
            Refusal::Priority(error) => write!(
                f,
                "real-time priorities are refused ({error}): run as root, give the program CAP_SYS_NICE, or raise \
                 RLIMIT_RTPRIO to 99 (ulimit -r 99); in a container, also check the real-time limits of its cgroup. \
                 Simulation needs none of this"
            ),
            Refusal::Standstill => f.write_str(
                "to stop the world takes threads above the tasks, and this run has no real-time priorities: choose the \
                 architecture concurrent",
            ),
            Refusal::Room { what, limit, error } => write!(
                f,
                "the system has no room for {what} ({error}); the limit is {limit}: raise it, or end other programs"
            ),
            Refusal::Stack(bytes) => write!(
                f,
                "a stack of {bytes} bytes for each task's thread: allowed: {} KiB to {} MiB",
                STACKS.start() >> 10,
                STACKS.end() >> 20
            ),
            Refusal::System { what, error } => write!(f, "{what}: {error}"),
        }
    }
}

impl std::error::Error for Refusal {}
