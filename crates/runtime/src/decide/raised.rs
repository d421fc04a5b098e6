//! A higher priority for the thread that holds an engine and has to sleep there.

use crate::gate;
use crate::machine::sys;
use crate::options::ABOVE_TASKS;

/// Whether the thread that is at the engine has a higher priority for the time being.
///
/// To move a thread that runs, the kernel lets the caller sleep. When it wakes up it would be queued behind any task's
/// thread on its processor, one that spins for the engine or one whose gate it has just opened, with the engine still
/// locked.
#[derive(Debug, Default)]
pub(crate) struct Raised(bool);

impl Raised {
    /// `of_tasks`: the real-time priority of tasks' threads, if they have one.
    pub(crate) fn raise(&mut self, of_tasks: Option<u8>) {
        // Timer threads stand above tasks' threads anyway.
        let Some(priority) = of_tasks.filter(|_| !self.0 && gate::is_mine()) else { return };
        self.0 = true;
        // Without it the run would not have begun.
        let _ = sys::set_fifo(sys::current_thread(), priority + ABOVE_TASKS);
    }

    pub(crate) fn restore(self, of_tasks: Option<u8>) {
        if let Some(priority) = of_tasks.filter(|_| self.0) {
            let _ = sys::set_fifo(sys::current_thread(), priority);
            // The thread that ends the run takes all threads' priorities away, and opens their gates for good before it
            // looks once more.
            if gate::is_mine_over() {
                let _ = sys::set_other(sys::current_thread());
            }
        }
    }
}
