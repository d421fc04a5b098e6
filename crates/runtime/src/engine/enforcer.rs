//! The interface between an engine and what makes its decisions true for the threads of tasks. The engine's core knows
//! nothing else of these threads: another way to stop them and let them execute is another [`Enforcer`].

use crate::engine::permission::Permission;
use crate::machine::sys::Tid;
use schedlab_model::{CpuId, TaskId};

/// Stops the threads of tasks, lets them execute, moves them, and has them report the time.
///
/// The thread that holds the engine calls these methods, one at a time, and sometimes in the handler of a signal: no
/// method may wait, allocate or take a lock. A thread that is not there yet, or has gone, is not stopped or moved.
pub(crate) trait Enforcer: Sync {
    /// The thread of `task`, while it is there.
    fn thread(&self, task: TaskId) -> Option<Tid>;

    /// The permission that the thread of `task` has now.
    fn permission(&self, task: TaskId) -> Permission;

    /// Gives the thread of `task` this permission, which is not [`Permission::Wait`], for its job `number`.
    fn open(&self, task: TaskId, permission: Permission, number: u32);

    /// Makes what was opened and stopped on `cpus` true, at the end of a decision. Until then an enforcer may put it
    /// off.
    fn commit(&self, cpus: &[CpuId]);

    /// Has the thread of `task` wait from its next look at its permission on.
    fn close(&self, task: TaskId);

    /// Makes the thread of `task`, which is to wait, look at its permission at once.
    fn stop(&self, task: TaskId);

    /// Wakes the thread of `task`, which is to be let go soon, but still waits.
    fn wake_early(&self, task: TaskId);

    /// True if the thread of `task` sleeps, so that it can be moved without waiting for it.
    fn is_asleep(&self, task: TaskId) -> bool;

    /// Binds the thread of `task` to the machine's `processor`.
    fn move_to(&self, task: TaskId, processor: usize);

    /// Gives job `number` of `task` up. Its thread learns of that by [`Enforcer::interrupt`].
    fn abort(&self, task: TaskId, number: u32);

    /// Withdraws the request of job `number` of `task`, which is given up and goes on without it.
    fn withdraw(&self, task: TaskId, number: u32);

    /// Interrupts the thread of `task`, whose job is given up: its system calls return.
    fn interrupt(&self, task: TaskId);

    /// Has the thread of `task` report the time at `due`, by the monotonic clock, if it still waits then.
    fn arm_waiting(&self, task: TaskId, due: u64);

    /// The time at which the thread of `task` reports while it waits.
    fn waiting_until(&self, task: TaskId) -> Option<u64>;

    /// True if a timer of its own can interrupt the thread of `task` while it executes.
    fn can_be_timed(&self, task: TaskId) -> bool;

    /// Starts the timer of the thread of `task`, which has one: the thread reports the time at `due`, by the monotonic
    /// clock, while it executes.
    fn arm_executing(&self, task: TaskId, due: u64);

    /// Stops the timer of the thread of `task`, if it was started.
    fn disarm_executing(&self, task: TaskId);

    /// Makes all threads of tasks ordinary ones, which share processors with others, because the run ends. Not called
    /// in a handler of a signal.
    fn end(&self);
}
