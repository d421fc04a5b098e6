//! Gates make the engine's decisions true: the thread of each task passes through one.
//!
//! | file | what it holds |
//! |---|---|
//! | `gate` | the gate as a whole: where a thread stops, and goes on |
//! | `permission_latch` | what the thread may do, and where it sleeps until it may go on |
//! | `presence` | where the thread is, and the signals that reach it there |
//! | `abort_jump` | whether the thread's job was given up, and how it leaves that job's code |
//! | `passages` | the records of when the thread begins to execute and is stopped |
//!
//! The times at which the thread reports to the engine are in the room `timers`.

mod abort_jump;
pub(crate) mod gate;
mod passages;
mod permission_latch;
mod presence;

use crate::backend::gates::gate::{make_ordinary, Gate};
use crate::engine::enforcer::Enforcer;
use crate::engine::permission::Permission;
use crate::machine::sys::{self, Tid};
use schedlab_model::{CpuId, TaskId};

impl Enforcer for Vec<Gate> {
    fn thread(&self, task: TaskId) -> Option<Tid> {
        self[task.index()].thread()
    }

    fn permission(&self, task: TaskId) -> Permission {
        self[task.index()].permission()
    }

    fn open(&self, task: TaskId, permission: Permission, number: u32) {
        self[task.index()].open(permission, number);
    }

    /// Gates are set at once.
    fn commit(&self, _: &[CpuId]) {}

    fn close(&self, task: TaskId) {
        self[task.index()].set(Permission::Wait);
    }

    fn stop(&self, task: TaskId) {
        self[task.index()].signal();
    }

    fn wake_early(&self, task: TaskId) {
        self[task.index()].wake_early();
    }

    fn is_asleep(&self, task: TaskId) -> bool {
        self[task.index()].is_asleep()
    }

    fn move_to(&self, task: TaskId, processor: usize) {
        if let Some(thread) = self[task.index()].thread() {
            // It fails only if the thread is gone.
            let _ = sys::set_affinity(thread, processor);
        }
    }

    fn abort(&self, task: TaskId, number: u32) {
        self[task.index()].abort(number);
    }

    fn withdraw(&self, task: TaskId, number: u32) {
        self[task.index()].withdraw(number);
    }

    fn interrupt(&self, task: TaskId) {
        self[task.index()].interrupt();
    }

    fn arm_waiting(&self, task: TaskId, due: u64) {
        self[task.index()].sleep_timer.set(due);
    }

    fn waiting_until(&self, task: TaskId) -> Option<u64> {
        self[task.index()].sleep_timer.due()
    }

    fn can_be_timed(&self, task: TaskId) -> bool {
        self[task.index()].thread_timer.is_ready()
    }

    fn arm_executing(&self, task: TaskId, due: u64) {
        self[task.index()].thread_timer.start(due);
    }

    fn disarm_executing(&self, task: TaskId) {
        self[task.index()].thread_timer.stop();
    }

    fn end(&self) {
        make_ordinary(self);
    }
}
