//! Who has the alarm of a domain, and who could have it.

use schedlab_model::{CpuId, TaskId};

/// Who tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimerOwner {
    /// The timer thread of a processor.
    TimerThread(CpuId),
    /// The thread of a task, which sleeps at its gate until then.
    Sleeping(TaskId),
    /// The thread of a task, which executes.
    Executing(TaskId),
}

/// Who tells of what, and who could.
#[derive(Debug)]
pub(crate) struct Arming {
    /// Who tells, and of what is due when, by the monotonic clock; `None` if that is over, or nothing is due any more.
    pub(crate) armed: Option<(TimerOwner, u64)>,
    /// By processor of the domain: the thread that went to sleep there last when it was idle.
    pub(crate) sleepers: Vec<Option<TaskId>>,
    /// Whether threads that execute may be interrupted.
    pub(crate) interrupts: bool,
}

impl Arming {
    pub(crate) fn new(processors: usize, interrupts: bool) -> Self {
        Arming { armed: None, sleepers: vec![None; processors], interrupts }
    }
}
