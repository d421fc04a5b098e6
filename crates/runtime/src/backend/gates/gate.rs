//! The gate of a task's thread: it lets the thread execute, or keeps it from that.
//!
//! A gate is open for one processor or shut. The deciding thread shuts it and signals the thread; the signal's handler
//! waits until it is open again. So a thread that should not run does not, even if its code is a bare infinite loop
//! that never calls the runtime. A thread in the runtime's code is left alone until it leaves it: it then sees its gate
//! itself.

use super::abort_jump::{self, AbortJump};
use super::passages::Passages;
use super::permission_latch::PermissionLatch;
use super::presence::Presence;
use crate::backend::linked_thread::LinkedThread;
use crate::engine::permission::Permission;
use crate::machine::sys::{self, Tid};
use crate::record::tracer::Tracer;
use crate::timers::sleep_timer::SleepTimer;
use crate::timers::thread_timer::{report_time, ThreadTimer};
use schedlab_model::{CpuId, TaskId};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

/// The gate of one task's thread.
#[derive(Debug)]
pub(crate) struct Gate {
    latch: PermissionLatch,
    presence: Presence,
    /// The timer by which the thread reports the time while it waits.
    pub(crate) sleep_timer: SleepTimer,
    /// The timer by which the thread reports the time while it executes.
    pub(crate) thread_timer: ThreadTimer,
    /// The number of the job that the gate is, or was last, open for.
    job: AtomicU32,
    abort: AbortJump,
    passages: Passages,
}

thread_local! {
    /// The gate of the calling thread, at which a signal's handler looks. The initial value is constant and has no
    /// destructor, so that a handler can read it.
    static MINE: Cell<*const Gate> = const { Cell::new(std::ptr::null()) };
}

/// The gate of the calling thread, if it is a task's.
fn mine<'a>() -> Option<&'a Gate> {
    // SAFETY: a thread clears `MINE` before its gate goes away.
    unsafe { MINE.with(Cell::get).as_ref() }
}

/// Installs the handler of the signals that make threads look at their gates. Once is enough.
pub(crate) fn install() -> std::io::Result<()> {
    sys::on_signals(on_signal)
}

/// Makes the interrupted thread look at its gate, unless it is in the runtime's code.
extern "C" fn on_signal(_: libc::c_int) {
    let Some(gate) = mine() else { return };
    if gate.presence.is_inside() {
        gate.thread_timer.note();
    } else {
        gate.leave_task();
    }
}

/// Does `code`, which no abort jump of the calling thread leaves. If its job was given up meanwhile, the jump follows.
pub fn uncut<T: Copy>(code: impl FnOnce() -> T) -> T {
    enter_uncut();
    let result = code();
    leave_uncut();
    result
}

/// Forbids abort jumps of the calling thread from now on. Nests.
pub fn enter_uncut() {
    abort_jump::enter_uncut();
}

/// Ends [`enter_uncut`]. If the thread's job was given up meanwhile, the abort jump happens now.
pub fn leave_uncut() {
    let may_jump = abort_jump::leave_uncut();
    if let Some(gate) = mine().filter(|_| may_jump) {
        gate.jump_if_aborted();
    }
}

/// While this guard exists, the calling thread passes through the gate.
#[derive(Debug)]
pub(crate) struct Adopted<'a>(&'a Gate);

impl Drop for Adopted<'_> {
    fn drop(&mut self) {
        MINE.with(|mine| mine.set(std::ptr::null()));
        self.0.presence.end();
    }
}

impl Gate {
    /// A shut gate. Where the kernel executes the thread by links, `linked` is its part in these.
    pub(crate) fn new(task: TaskId, tracer: Arc<Tracer>, linked: Option<LinkedThread>) -> Self {
        Gate {
            latch: PermissionLatch::shut(),
            presence: Presence::of(linked),
            sleep_timer: SleepTimer::unset(),
            thread_timer: ThreadTimer::default(),
            job: AtomicU32::new(0),
            abort: AbortJump::default(),
            passages: Passages::new(task, tracer),
        }
    }

    /// Has the calling thread, which is in the runtime's code, pass through this gate until the guard goes away.
    pub(crate) fn adopt(&self) -> Adopted<'_> {
        // Before signals are sent to it.
        self.set_inside(true);
        MINE.with(|mine| mine.set(self));
        self.presence.begin();
        Adopted(self)
    }

    /// The thread, while it is there.
    pub(crate) fn thread(&self) -> Option<Tid> {
        self.presence.thread()
    }

    /// The permission that the thread has now.
    #[inline]
    pub(crate) fn permission(&self) -> Permission {
        self.latch.permission()
    }

    /// True if the thread may execute now. Ordered with the thread's fast sections.
    #[inline]
    pub(crate) fn lets_execute(&self) -> bool {
        matches!(self.permission(), Permission::Execute(_))
    }

    /// Gives the thread this permission for its job `number`.
    pub(crate) fn open(&self, permission: Permission, number: u32) {
        self.note_job(number);
        self.set(permission);
    }

    /// Gives the thread this permission, and wakes it if it sleeps and may go on. One thread at a time calls this.
    pub(crate) fn set(&self, permission: Permission) {
        self.latch.set(permission);
    }

    /// Wakes the thread, which may not go on yet: the thread that opens the gate soon need not wake it.
    pub(crate) fn wake_early(&self) {
        self.latch.wake_early();
    }

    /// True if the thread sleeps at its gate, so that it can be moved without waiting for it.
    pub(crate) fn is_asleep(&self) -> bool {
        self.latch.is_asleep()
    }

    /// The number of the job that the gate is, or was last, open for.
    pub(crate) fn job_number(&self) -> u32 {
        self.job.load(Relaxed)
    }

    /// Makes the thread look at its gate, if it is not in the runtime's code, where it does so anyway.
    pub(crate) fn signal(&self) {
        self.presence.signal(sys::PARK_SIGNAL);
    }

    /// States that the calling thread enters the runtime's code (`true`), or leaves it.
    #[inline]
    pub(crate) fn set_inside(&self, inside: bool) {
        self.presence.set_inside(inside);
    }

    /// Notes that the thread is about to execute job `number`, before it gets the permission for that.
    pub(crate) fn note_job(&self, number: u32) {
        self.job.store(number, Relaxed);
    }

    /// States that the calling thread, which is in the runtime's code, asks for its first job (`true`), or has no job
    /// any more.
    pub(crate) fn set_working(&self, working: bool) {
        self.presence.set_working(working);
    }

    /// Gives job `number` of the thread up. The thread learns of it by [`Gate::interrupt`].
    pub(crate) fn abort(&self, number: u32) {
        self.abort.abort(number);
    }

    /// Withdraws the request of job `number`, which was given up and goes on without it.
    pub(crate) fn withdraw(&self, number: u32) {
        self.abort.withdraw(number);
    }

    /// True, once, if the request of the thread's job was withdrawn.
    pub(crate) fn take_withdrawal(&self) -> bool {
        self.abort.take_withdrawal(self.job_number())
    }

    /// True if the thread's job was given up.
    #[inline]
    pub(crate) fn is_aborted(&self) -> bool {
        self.abort.is_aborted(self.job_number())
    }

    /// True if the thread's job was given up. The thread asks this itself, and knows it from now on.
    #[inline]
    pub(crate) fn has_been_aborted(&self) -> bool {
        let is_aborted = self.is_aborted();
        if is_aborted {
            self.abort.know();
        }
        is_aborted
    }

    /// Interrupts the thread, if it is not in the runtime's code: its system calls return.
    pub(crate) fn interrupt(&self) {
        self.presence.signal(sys::abort_signal());
    }

    /// Interrupts the thread again if its job was given up and it does not know: it may have begun a system call just
    /// then.
    pub(crate) fn remind(&self) {
        if self.is_aborted() && !self.abort.is_known() {
            self.interrupt();
        }
    }

    /// Sets where the thread goes on when its job is given up; null: its code finds out by itself.
    pub(crate) fn set_landing(&self, landing: *mut c_void) {
        self.abort.set_landing(landing);
    }

    /// Makes the calling thread's abort jump if its job was given up and it has a landing.
    pub(crate) fn jump_if_aborted(&self) {
        if self.is_aborted() && self.permission() != Permission::End {
            self.abort.jump();
        }
    }

    /// Handles a signal that met the thread in its task's code: reports what is due, and waits while the gate is shut.
    /// The thread is in the runtime's code meanwhile.
    fn leave_task(&self) {
        sys::keep_errno(|| loop {
            self.set_inside(true);
            self.thread_timer.report_if_due();
            self.park();
            self.set_inside(false);
            // A thread that has shut the gate before this did not signal, since this one was in the runtime's code.
            if self.permission() != Permission::Wait {
                break;
            }
        });
        self.jump_if_aborted();
    }

    /// Waits in a signal's handler while the gate is shut.
    fn park(&self) {
        match self.permission() {
            Permission::Wait => {}
            Permission::Execute(cpu) => {
                // The thread may have been moved before it noticed that it was stopped.
                if !self.is_recorded_on(cpu) {
                    self.passed(cpu, self.job_number());
                }
                return;
            }
            Permission::Spin(_) | Permission::End => return,
        }
        self.stopped(self.job_number());
        while let Some(due) = self.wait_or_due() {
            report_time(due);
        }
        if let Permission::Execute(cpu) = self.permission() {
            self.passed(cpu, self.job_number());
        }
    }

    /// Waits until the gate is not shut, or until the thread has to report the time: then this returns what is due. The
    /// thread is in the runtime's code.
    pub(crate) fn wait_or_due(&self) -> Option<u64> {
        while self.permission() == Permission::Wait {
            let until = self.sleep_timer.due();
            self.presence.wait(|| self.latch.sleep(until));
            let due = until.filter(|due| self.sleep_timer.take(*due));
            if due.is_some() {
                return due;
            }
        }
        self.sleep_timer.forget();
        None
    }

    /// Records that the thread, in the runtime's code, is about to execute job `number` on `cpu`.
    pub(crate) fn passed(&self, cpu: CpuId, number: u32) {
        self.passages.passed(cpu, number);
    }

    /// Records that the thread, in the runtime's code, finds that job `number` may not execute.
    pub(crate) fn stopped(&self, number: u32) {
        self.passages.stopped(number);
    }

    /// True if the thread's last record says that it executes on `cpu`.
    pub(crate) fn is_recorded_on(&self, cpu: CpuId) -> bool {
        self.passages.is_recorded_on(cpu)
    }
}

/// Makes all threads of tasks ordinary ones, without a real-time priority, from now on.
pub(crate) fn make_ordinary(gates: &[Gate]) {
    for thread in gates.iter().filter_map(Gate::thread) {
        // It fails only if the thread is gone.
        let _ = sys::set_other(thread);
    }
}

#[cfg(test)]
mod tests;
