//! What a scheduling class of Linux itself cannot do, in words.

/// The highest priority that a task's thread gets under `SCHED_FIFO`. The run's own threads are above.
pub(crate) const HIGHEST: u8 = 80;

/// What a class of the kernel cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelRefusal {
    /// The kernel's mutexes know two protocols.
    #[error(
        "protocol \"{protocol}\" under {scheduler}: the kernel's mutexes have no such protocol; allowed: {allowed}"
    )]
    Protocol {
        /// Which was wanted.
        protocol: &'static str,
        /// Under which class.
        scheduler: String,
        /// Which are known there.
        allowed: String,
    },
    /// A mutex has one unit.
    #[error("resource \"{0}\" has several units: a mutex of the kernel has one")]
    Units(String),
    /// Ordinary threads have no such sections.
    #[error("task \"{0}\" has non-preemptive sections: the kernel has none for threads; allowed under our own schedulers")]
    NonPreemptive(String),
    /// Jobs are not watched.
    #[error("overruns: no job is cut off under {0}, whose threads schedlab does not stop; allowed: overruns = \"ignore\"")]
    Overruns(String),
    /// Throttling is of the model.
    #[error(
        "throttling: in real runs the kernel's own setting counts (/proc/sys/kernel/sched_rt_runtime_us), not the \
         scenario's; allowed: a scenario without throttling"
    )]
    Throttling,
    /// More priorities than there are.
    #[error("the tasks need {needed} priorities, and {HIGHEST} are to be had: give several tasks the same")]
    Priorities {
        /// How many.
        needed: usize,
    },
    /// The order of the three lengths that the kernel demands.
    #[error(
        "task \"{0}\" under SCHED_DEADLINE: the kernel demands budget <= relative deadline <= period, all below 4.2 s, \
         and a budget of 1024 ns or more"
    )]
    Lengths(String),
}
