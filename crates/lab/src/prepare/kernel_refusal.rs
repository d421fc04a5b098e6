//! Refusals of the scheduling classes of Linux, in words.

/// Highest priority that a task's thread gets under `SCHED_FIFO`; threads of the run itself are above.
pub(crate) const HIGHEST: u8 = 80;

/// A demand of a scenario that a scheduling class of Linux cannot meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelRefusal {
    /// The kernel's mutexes have no such protocol.
    #[error(
        "protocol \"{protocol}\" under {scheduler}: the kernel's mutexes have no such protocol; allowed: {allowed}"
    )]
    Protocol {
        /// The protocol that was wanted.
        protocol: &'static str,
        /// The scheduling class.
        scheduler: String,
        /// The protocols that its mutexes have.
        allowed: String,
    },
    /// The resource has several units, but a mutex of the kernel has one.
    #[error("resource \"{0}\" has several units: a mutex of the kernel has one")]
    Units(String),
    /// The task has non-preemptive sections, which ordinary threads cannot have.
    #[error("task \"{0}\" has non-preemptive sections: the kernel has none for threads; allowed under our own schedulers")]
    NonPreemptive(String),
    /// Jobs that exceed their WCETs are to be cut off, but schedlab does not stop the kernel's threads.
    #[error("overruns: no job is cut off under {0}, whose threads schedlab does not stop; allowed: overruns = \"ignore\"")]
    Overruns(String),
    /// The scenario states throttling that may stop its threads, which only a simulation can set.
    #[error(
        "throttling: in real runs the kernel's own setting counts (/proc/sys/kernel/sched_rt_runtime_us), not the \
         scenario's; allowed: a scenario without throttling, or with the kernel's default, 950 ms of each second"
    )]
    Throttling,
    /// A thread with a reservation is to be bound to a processor.
    #[error(
        "task \"{0}\": the kernel binds no thread of class \"deadline\" to a part of the machine; allowed: SCHED_FIFO, \
         whose threads use all processors"
    )]
    Bound(String),
    /// The tasks need more priorities than there are.
    #[error("the tasks need {needed} priorities, and {HIGHEST} are to be had: give several tasks the same")]
    Priorities {
        /// The number of priorities that the tasks need.
        needed: usize,
    },
    /// The task's budget, relative deadline and period violate the order or the limits that the kernel demands.
    #[error(
        "task \"{0}\" under SCHED_DEADLINE: the kernel demands budget <= relative deadline <= period, all below 4.2 s, \
         and a budget of 1024 ns or more"
    )]
    Lengths(String),
}
