//! The thread that owns the timer of a domain, and the threads that could.

use schedlab_model::{CpuId, TaskId};

/// The thread that reports to the engine what is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimerOwner {
    /// The timer thread of a processor.
    TimerThread(CpuId),
    /// The thread of a task, which sleeps at its gate until the timer is due.
    Sleeping(TaskId),
    /// The thread of a task, which executes and is interrupted by the timer's signal.
    Executing(TaskId),
}

/// The owner of a domain's timer, and the threads that could own it.
#[derive(Debug)]
pub(crate) struct Arming {
    /// The owner, and the time that the timer is set for, by the monotonic clock; `None` if that has passed, or nothing
    /// is due any more.
    pub(crate) armed: Option<(TimerOwner, u64)>,
    /// By processor of the domain: the thread that went to sleep there last while the processor was idle.
    pub(crate) sleepers: Vec<Option<TaskId>>,
    /// True if threads that execute may be interrupted.
    pub(crate) interrupts: bool,
}

impl Arming {
    pub(crate) fn new(processors: usize, interrupts: bool) -> Self {
        Arming { armed: None, sleepers: vec![None; processors], interrupts }
    }
}
