//! The part that a task's thread itself has in its links: it states when it must not be stopped.

use crate::machine::sys;
use schedlab_scx::Follower;
use std::sync::Arc;

/// The thread of a task that a scheduler in the kernel executes where it is linked. The thread itself calls the
/// methods.
#[derive(Debug)]
pub(crate) struct LinkedThread {
    follower: Arc<Follower>,
    index: u32,
}

impl LinkedThread {
    /// The thread that will have this index.
    pub(crate) fn new(follower: Arc<Follower>, index: u32) -> Self {
        LinkedThread { follower, index }
    }

    /// Has the kernel execute the calling thread, which is in a section, by its links from now on.
    pub(crate) fn begin(&self) {
        let adopted = self.follower.adopt(sys::current_thread(), self.index);
        adopted.expect("the kernel has room for a word of each task");
        // The thread is scheduled anew, as one in a section.
        sys::yield_processor();
    }

    /// Has the kernel execute the calling thread, which is no task's any more, beside the tasks.
    pub(crate) fn end(&self) {
        // It fails only if the scheduler is gone.
        let _ = self.follower.release(sys::current_thread());
        // Scheduled anew, the thread has the slice of one that is no task's.
        sys::yield_processor();
    }

    /// Begins a section, in which the thread is not stopped.
    #[inline]
    pub(crate) fn enter(&self) {
        self.follower.enter_section(self.index);
    }

    /// Ends the section. If its link has gone meanwhile, the thread stops here.
    #[inline]
    pub(crate) fn leave(&self) {
        self.follower.leave_section(self.index);
    }

    /// Does `sleep`, in which the thread, which is in a section, waits for its next link.
    pub(crate) fn wait(&self, sleep: impl FnOnce()) {
        self.follower.wait_at_gate(self.index);
        sleep();
        self.follower.enter_section(self.index);
    }
}
