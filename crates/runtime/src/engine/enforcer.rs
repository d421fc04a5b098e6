//! What makes the decisions of an engine true for the threads of tasks. The engine's core knows nothing else of them:
//! another way to stop threads and let them execute is another [`Enforcer`].

use crate::engine::permission::Permission;
use crate::machine::sys::Tid;
use schedlab_model::TaskId;

/// Stops the threads of tasks, lets them execute, moves them, and has them tell of the time.
///
/// The thread that holds the engine calls these, one at a time, and sometimes in the handler of a signal: none may
/// wait, allocate or take a lock. A thread that is not there yet, or has gone, is none to be stopped or moved.
pub(crate) trait Enforcer: Sync {
    /// The thread of `task`, while it is there.
    fn thread(&self, task: TaskId) -> Option<Tid>;

    /// What the thread of `task` may do now.
    fn permission(&self, task: TaskId) -> Permission;

    /// The thread of `task` may do `permission`, which is not [`Permission::Wait`], for its job `number` from now on.
    fn open(&self, task: TaskId, permission: Permission, number: u32);

    /// The thread of `task` waits from when it looks next.
    fn close(&self, task: TaskId);

    /// Makes the thread of `task`, which is to wait, look at once.
    fn stop(&self, task: TaskId);

    /// The thread of `task` is to be let go soon, and may wake up for that, but still waits.
    fn wake_early(&self, task: TaskId);

    /// True if the thread of `task` sleeps, so that it can be moved without waiting for it.
    fn is_asleep(&self, task: TaskId) -> bool;

    /// The thread of `task` executes nowhere but on the machine's `processor` from now on.
    fn move_to(&self, task: TaskId, processor: usize);

    /// Job `number` of `task` is given up: its thread hears of it by [`Enforcer::interrupt`].
    fn abort(&self, task: TaskId, number: u32);

    /// Job `number` of `task`, which is given up, does not get what it asked for.
    fn withdraw(&self, task: TaskId, number: u32);

    /// Interrupts the thread of `task`, whose job is given up: its system calls return.
    fn interrupt(&self, task: TaskId);

    /// The thread of `task` tells of the time at `due`, by the monotonic clock, if it still waits then.
    fn arm_waiting(&self, task: TaskId, due: u64);

    /// When the thread of `task` tells of the time while it waits.
    fn waiting_until(&self, task: TaskId) -> Option<u64>;

    /// True if the thread of `task` can be interrupted by a timer of its own while it executes.
    fn can_be_timed(&self, task: TaskId) -> bool;

    /// The thread of `task`, which can be timed, tells of the time at `due`, by the monotonic clock, while it executes.
    fn arm_executing(&self, task: TaskId, due: u64);

    /// The thread of `task` need not tell of the time while it executes any more.
    fn disarm_executing(&self, task: TaskId);

    /// The run ends: all threads share processors with ordinary ones from now on.
    fn end(&self);
}
