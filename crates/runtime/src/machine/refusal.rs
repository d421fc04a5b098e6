//! Why a system cannot run here, and what to do about it.

use crate::machine::not_native::NotNative;
use schedlab_report::files::reason;
use schedlab_scx::{LoadRefusal, MOST_PROCESSORS, MOST_TASKS};
use schedlab_trace::Backend;
use std::io;
use std::ops::RangeInclusive;
use std::time::Duration;

/// The stacks that tasks' threads may have, in bytes.
pub(crate) const STACKS: RangeInclusive<usize> = 64 << 10..=1 << 30;

/// A run that was refused before any of its threads executed.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The machine has fewer processors than the system.
    #[error(
        "the system has {needed} processors, but this process may use {allowed}: use fewer, or widen its \
         affinity (taskset, cpuset)"
    )]
    Processors {
        /// The number of processors that the system needs.
        needed: usize,
        /// The number of processors that this process may use.
        allowed: usize,
    },
    /// Another process has some of the processors for its real-time threads, or this one runs a system there.
    #[error(
        "{} has real-time threads on processor {}: wait until it ends, or use other processors (taskset)",
        holder(*.by),
        list(.processors)
    )]
    Taken {
        /// The processors that are taken.
        processors: Vec<usize>,
        /// The process that has them; 0 if it cannot be seen from here.
        by: u32,
    },
    /// The kernel does not let this process use real-time priorities.
    #[error(
        "real-time priorities are refused ({}): run as root, give the program CAP_SYS_NICE, or raise \
         RLIMIT_RTPRIO to 99 (ulimit -r 99). In a container, also check the real-time limits of its cgroup. \
         Simulation needs none of this",
        reason(.0)
    )]
    Priority(io::Error),
    /// A stop-the-world run without real-time priorities.
    #[error(
        "to stop the world takes threads above the tasks, and this run has no real-time priorities: choose the \
         architecture concurrent"
    )]
    StopTheWorld,
    /// The reservations are more than the kernel admits.
    #[error(
        "SCHED_DEADLINE: the kernel's admission test refuses these reservations ({}), which need more than is free. \
         The kernel gives 95% of the processors, unless kernel.sched_rt_runtime_us says otherwise, less what other \
         programs reserved. Reserve less, or end those",
        reason(.0)
    )]
    Admission(io::Error),
    /// A thread with a reservation has to have all processors of its root domain.
    #[error(
        "SCHED_DEADLINE is refused ({}): its threads need CAP_SYS_NICE and all processors of their root domain. \
         Use all processors of the machine, or run in an exclusive cpuset of the system's size \
         (cpuset.cpus.partition = root)",
        reason(.0)
    )]
    RootDomain(io::Error),
    /// A reservation has lengths that the kernel does not take.
    #[error(
        "SCHED_DEADLINE: the kernel does not take a reservation ({}): see kernel.sched_deadline_period_min_us and \
         kernel.sched_deadline_period_max_us",
        reason(.0)
    )]
    Reservation(io::Error),
    /// The kernel does not report its context switches, and nothing else shows what ran.
    #[error(
        "only the kernel knows what runs under its own scheduler, and it does not tell ({}). Run as root, give the \
         program CAP_PERFMON, or lower kernel.perf_event_paranoid",
        reason(.0)
    )]
    Witness(io::Error),
    /// An option that makes no sense in a run under the kernel's own class.
    #[error(
        "under a class of the kernel there is neither --unprivileged nor an architecture to choose, as no thread of schedlab \
         decides; allowed: neither option, or another scheduler"
    )]
    KernelDecides,
    /// Another backend than the kernel's class, for a scheduler that is one.
    #[error(
        "this scheduler is a class of Linux, which decides by itself: the backend {0} cannot run it; allowed: class, auto, \
         or another scheduler"
    )]
    ByClass(Backend),
    /// The backend of Linux's classes, or no real one, for a scheduler that is no class of Linux.
    #[error(
        "the backend {0} runs the kernel's own classes alone (SCHED_FIFO, SCHED_DEADLINE); allowed: threads, scx, \
         scx-native where it decides the scheduler, auto, or such a scheduler"
    )]
    NotByClass(Backend),
    /// Event-driven tasks where the kernel decides: its threads are released by the clock alone.
    #[error(
        "the backend {0} releases jobs by the clock alone, and other threads release those of event-driven tasks; \
         allowed: the backends threads and scx, under a scheduler that is no class of Linux"
    )]
    Events(Backend),
    /// A system that a scheduler in the kernel does not decide by itself.
    #[error("--backend scx-native does not take {0}; allowed: --backend scx, or threads")]
    NotNative(NotNative),
    /// A run without privilege by a scheduler in the kernel.
    #[error(
        "a scheduler in the kernel takes privileges (CAP_BPF, CAP_PERFMON, CAP_SYS_NICE): --unprivileged runs threads; \
         allowed: the backend threads, or no --unprivileged"
    )]
    UnprivilegedLinks,
    /// More tasks than a scheduler in the kernel takes.
    #[error(
        "a scheduler in the kernel takes up to {MOST_TASKS} tasks, and the system has {0}; allowed: the backend \
         threads"
    )]
    TooManyTasks(usize),
    /// A reserve that leaves too little to the machine, or to the tasks.
    #[error("a reserve of {} ms of each second for other threads; allowed: 20 to 900 ms", .0.as_millis())]
    Reserve(Duration),
    /// A processor whose number is too high for a scheduler in the kernel.
    #[error(
        "a scheduler in the kernel takes processors below {MOST_PROCESSORS}, and this run would use {0}: use others \
         (taskset), or the backend threads"
    )]
    HighProcessor(usize),
    /// This machine or this build loads no scheduler into the kernel.
    #[error(
        "no scheduler loads into the kernel: {0}; `doctor` says what this machine can do, and the backend threads needs \
         none of it"
    )]
    Load(LoadRefusal),
    /// The system has no room for a thread or a process of the run.
    #[error(
        "the system has no room for {what} ({}); the limit is {limit}: raise it, or end other programs",
        reason(error)
    )]
    Room {
        /// The thing that was to be created.
        what: String,
        /// The limit that was met.
        limit: String,
        /// The kernel's error.
        error: io::Error,
    },
    /// The stack of tasks' threads is too small or too large.
    #[error(
        "a stack of {0} bytes for each task's thread: allowed: {least} KiB to {most} MiB",
        least = STACKS.start() >> 10,
        most = STACKS.end() >> 20
    )]
    Stack(usize),
    /// A call failed that ought not to.
    #[error("{what}: {}", reason(error))]
    System {
        /// The call that was tried.
        what: &'static str,
        /// The kernel's error.
        error: io::Error,
    },
}

impl Refusal {
    /// True if the user asked for what no machine could do.
    pub fn is_of_input(&self) -> bool {
        match self {
            Refusal::ByClass(_)
            | Refusal::NotByClass(_)
            | Refusal::Events(_)
            | Refusal::NotNative(_)
            | Refusal::KernelDecides
            | Refusal::UnprivilegedLinks
            | Refusal::Reserve(_)
            | Refusal::TooManyTasks(_) => true,
            Refusal::HighProcessor(_)
            | Refusal::Load(_)
            | Refusal::Processors { .. }
            | Refusal::Taken { .. }
            | Refusal::Priority(_)
            | Refusal::StopTheWorld
            | Refusal::Admission(_)
            | Refusal::RootDomain(_)
            | Refusal::Reservation(_)
            | Refusal::Witness(_)
            | Refusal::Room { .. }
            | Refusal::Stack(_)
            | Refusal::System { .. } => false,
        }
    }
}

fn holder(process: u32) -> String {
    match process {
        0 => "a process elsewhere".to_owned(),
        number => format!("process {number}"),
    }
}

fn list(processors: &[usize]) -> String {
    processors.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
