//! A higher priority for the thread that holds an engine and has to sleep there.

use crate::engine::permission::Permission;
use crate::engine::surroundings::Surroundings;
use crate::machine::sys;
use crate::options::ABOVE_TASKS;
use schedlab_model::TaskId;

/// The higher priority of the thread that is at the engine, if it has one for the time being.
///
/// To move a thread that runs, the kernel lets the caller sleep. When it wakes up it would be queued behind any task's
/// thread on its processor, one that spins for the engine or one whose gate it has just opened, with the engine still
/// locked.
#[derive(Debug)]
pub(crate) struct Raised {
    /// The task whose thread is at the engine; none for a timer thread, which stands above tasks' threads anyway.
    me: Option<TaskId>,
    is_raised: bool,
}

impl Raised {
    /// The state of the thread of the task `me`, or of a timer thread, which is never raised.
    pub(crate) fn not_yet(me: Option<TaskId>) -> Self {
        Raised { me, is_raised: false }
    }

    /// Raises the calling thread above those of all tasks, where these have real-time priorities.
    pub(crate) fn raise(&mut self, around: Surroundings<'_>) {
        let priority = around.priority.filter(|_| !self.is_raised && self.me.is_some());
        let Some(priority) = priority else { return };
        self.is_raised = true;
        // Without this privilege the run would not have begun.
        let _ = sys::set_fifo(sys::current_thread(), priority + ABOVE_TASKS);
    }

    /// Gives the calling thread its own priority back, if it was raised.
    pub(crate) fn restore(self, around: Surroundings<'_>) {
        let Some((priority, me)) = around.priority.filter(|_| self.is_raised).zip(self.me) else { return };
        let _ = sys::set_fifo(sys::current_thread(), priority);
        // The thread that ends the run takes all threads' priorities away, and opens their gates for good before it
        // looks once more.
        if around.threads.permission(me) == Permission::End {
            let _ = sys::set_other(sys::current_thread());
        }
    }
}
