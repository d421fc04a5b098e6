//! What lets a thread execute, and keeps it from it.
//!
//! A gate is open for one processor or shut. The deciding thread shuts it and signals the thread; the signal's handler
//! waits until it is open again. So a thread that should not run does not, even if its code is a bare infinite loop
//! that never calls us. A thread that is in our own code is left alone until it leaves it: it then sees its gate
//! itself.

mod bell;
mod cut;

use self::bell::OwnBell;
pub(crate) use self::bell::Teller;
use self::cut::Cut;
use crate::machine::sys::{self, Tid};
use crate::record::tracer::{Passage, Tracer};
use schedlab_model::{CpuId, JobId, TaskId};
use schedlab_objects::Latch;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64};
use std::sync::Arc;

/// Shut; an open one holds its processor's number plus one.
const SHUT: u32 = 0;
/// Beside the processor's number: the thread holds the processor and waits for a lock.
const SPINS: u32 = 1 << 16;
/// The run is over.
const OVER: u32 = u32::MAX;
/// No alarm.
const NEVER: u64 = u64::MAX;

/// What a thread may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// Nothing: it waits without a processor.
    Wait,
    /// Wait for a lock on this processor.
    Spin(CpuId),
    /// Execute on this processor.
    Execute(CpuId),
    /// End: the run is over.
    End,
}

impl Permission {
    fn word(self) -> u32 {
        match self {
            Permission::Wait => SHUT,
            Permission::Spin(cpu) => SPINS | (u32::from(cpu.0) + 1),
            Permission::Execute(cpu) => u32::from(cpu.0) + 1,
            Permission::End => OVER,
        }
    }

    fn of(word: u32) -> Self {
        match word {
            SHUT => Permission::Wait,
            OVER => Permission::End,
            _ if word & SPINS != 0 => Permission::Spin(CpuId((word & !SPINS) as u16 - 1)),
            _ => Permission::Execute(CpuId(word as u16 - 1)),
        }
    }
}

/// One thread's gate.
#[derive(Debug)]
pub(crate) struct Gate {
    /// What the thread may do, and whether it sleeps until it may do something.
    latch: Latch,
    /// The thread; zero until it is there, and when it has gone.
    tid: AtomicI32,
    /// The thread is in our code, where it looks at its gate by itself.
    inside: AtomicBool,
    /// When the thread has to tell of the time while it waits, by the monotonic clock.
    alarm: AtomicU64,
    /// The number of the job that the gate is open for.
    job: AtomicU32,
    task: TaskId,
    /// Whether that job was given up.
    cut: Cut,
    /// When the thread has to tell of the time while it executes.
    bell: OwnBell,
    /// Where the thread has said that it executes; [`NOWHERE`] if it has said that it was stopped.
    said: AtomicU32,
    /// Where it says when the thread passed and when it was stopped.
    tracer: Arc<Tracer>,
}

/// No processor.
const NOWHERE: u32 = u32::MAX;

thread_local! {
    /// The gate of the thread that runs: what the handler looks at. Its initial value is constant and it has no
    /// destructor, so reading it in a handler is safe.
    static MINE: Cell<*const Gate> = const { Cell::new(std::ptr::null()) };
}

/// The gate of the calling thread, if it is a task's.
fn mine<'a>() -> Option<&'a Gate> {
    // SAFETY: a thread clears `MINE` before its gate goes away.
    unsafe { MINE.with(Cell::get).as_ref() }
}

/// Tells of what is due, and waits while the thread's gate is shut, unless the thread is in our code. If its job was
/// given up, it lands then.
extern "C" fn on_park_signal(_: libc::c_int) {
    let Some(gate) = mine() else { return };
    if gate.is_inside() {
        gate.bell.bell.note();
    } else {
        gate.leave_task();
    }
}

/// Does `code`, in which the calling thread is not cut. If its job was given up meanwhile and is cut, it lands
/// afterwards.
pub fn uncut<T: Copy>(code: impl FnOnce() -> T) -> T {
    enter_uncut();
    let result = code();
    leave_uncut();
    result
}

/// The calling thread is not cut from now on. Nests.
pub fn enter_uncut() {
    cut::enter_uncut();
}

/// Ends [`enter_uncut`].
pub fn leave_uncut() {
    let may_be_cut = cut::leave_uncut();
    if let Some(gate) = mine().filter(|_| may_be_cut) {
        gate.land_if_aborted();
    }
}

/// True if the calling thread is a task's: it passes through a gate.
pub(crate) fn is_mine() -> bool {
    mine().is_some()
}

/// True if the calling thread is a task's, and the run is over for it.
pub(crate) fn is_mine_over() -> bool {
    mine().is_some_and(|gate| gate.permission() == Permission::End)
}

/// Installs what parks threads. Once is enough.
pub(crate) fn install() -> std::io::Result<()> {
    sys::on_signals(on_park_signal)
}

impl Gate {
    /// A shut gate.
    pub(crate) fn new(task: TaskId, tracer: Arc<Tracer>) -> Self {
        Gate {
            latch: Latch::shut(),
            tid: AtomicI32::new(0),
            inside: AtomicBool::new(false),
            alarm: AtomicU64::new(NEVER),
            job: AtomicU32::new(0),
            task,
            cut: Cut::default(),
            bell: OwnBell::default(),
            said: AtomicU32::new(NOWHERE),
            tracer,
        }
    }

    /// The calling thread passes through this gate from now on, until the guard goes away.
    pub(crate) fn adopt(&self) -> Adopted<'_> {
        self.set_inside(true);
        MINE.with(|mine| mine.set(self));
        self.tid.store(sys::current_thread(), SeqCst);
        Adopted(self)
    }

    /// The thread, once it is there.
    pub(crate) fn thread(&self) -> Option<Tid> {
        Some(self.tid.load(SeqCst)).filter(|tid| *tid != 0)
    }

    /// What the thread may do now.
    #[inline]
    pub(crate) fn permission(&self) -> Permission {
        Permission::of(self.latch.word())
    }

    /// True if the thread may execute now. Ordered with grabs.
    #[inline]
    pub(crate) fn lets_execute(&self) -> bool {
        matches!(self.permission(), Permission::Execute(_))
    }

    /// From now on the thread may do `permission` for its job `number`.
    pub(crate) fn open(&self, permission: Permission, number: u32) {
        self.job.store(number, Relaxed);
        self.set(permission);
    }

    /// From now on the thread may do `permission`; it is woken for that if it sleeps. One at a time says so.
    pub(crate) fn set(&self, permission: Permission) {
        self.latch.set(permission.word(), sys::futex_wake);
    }

    /// The thread is woken, but may do nothing yet: the thread that opens the gate soon need not wake it.
    pub(crate) fn wake_early(&self) {
        self.latch.wake_early(sys::futex_wake);
    }

    /// The number of the job that the gate is, or was last, open for.
    pub(crate) fn job_number(&self) -> u32 {
        self.job.load(Relaxed)
    }

    /// Makes the thread look at its gate, if it is not in our code, where it does so anyway.
    pub(crate) fn signal(&self) {
        self.send(sys::PARK_SIGNAL);
    }

    fn send(&self, signal: libc::c_int) {
        if let Some(tid) = self.thread().filter(|_| !self.is_inside()) {
            sys::signal_thread(tid, signal);
        }
    }

    /// The thread's job `number` is given up. It hears of it by [`Gate::interrupt`].
    pub(crate) fn abort(&self, number: u32) {
        self.cut.abort(number);
    }

    /// The thread's job `number`, which was given up, does not get what it asked for.
    pub(crate) fn withdraw(&self, number: u32) {
        self.cut.withdraw(number);
    }

    /// True, once, if the thread's job does not get what it asked for.
    pub(crate) fn take_withdrawal(&self) -> bool {
        self.cut.take_withdrawal(self.job_number())
    }

    /// True if the thread's job was given up.
    #[inline]
    pub(crate) fn is_aborted(&self) -> bool {
        self.cut.is_aborted(self.job_number())
    }

    /// The same, asked by the thread, which knows it from now on.
    #[inline]
    pub(crate) fn has_been_aborted(&self) -> bool {
        let is_aborted = self.is_aborted();
        if is_aborted {
            self.cut.know();
        }
        is_aborted
    }

    /// Interrupts the thread, if it is not in our code: system calls return.
    pub(crate) fn interrupt(&self) {
        self.send(sys::abort_signal());
    }

    /// Interrupts the thread again if its job was given up and it does not know: it may have begun a system call just
    /// then.
    pub(crate) fn remind(&self) {
        if self.is_aborted() && !self.cut.is_known() {
            self.interrupt();
        }
    }

    /// Sets where the thread goes on when its job is given up; null: its code finds out by itself.
    pub(crate) fn set_landing(&self, landing: *mut c_void) {
        self.cut.set_landing(landing);
    }

    /// If the thread's job was given up, and is cut, the thread leaves it.
    pub(crate) fn land_if_aborted(&self) {
        if self.is_aborted() && self.permission() != Permission::End {
            self.cut.land();
        }
    }

    /// The thread is in our code from now on (`true`) or leaves it.
    #[inline]
    pub(crate) fn set_inside(&self, inside: bool) {
        self.inside.store(inside, SeqCst);
    }

    #[inline]
    fn is_inside(&self) -> bool {
        self.inside.load(SeqCst)
    }

    /// True if the thread sleeps at its gate, so that it can be moved without waiting for it.
    pub(crate) fn is_asleep(&self) -> bool {
        self.latch.is_asleep()
    }

    /// While the thread waits, it tells of the time at `due`, by the monotonic clock.
    pub(crate) fn set_alarm(&self, due: u64) {
        self.alarm.store(due, SeqCst);
    }

    /// When the thread tells of the time, if it still waits then.
    pub(crate) fn alarm(&self) -> Option<u64> {
        Some(self.alarm.load(SeqCst)).filter(|due| *due != NEVER)
    }

    /// In a handler of a thread in its task's code: tells of what is due, and waits while the gate is shut. The thread
    /// is in our code meanwhile.
    fn leave_task(&self) {
        sys::keep_errno(|| loop {
            self.set_inside(true);
            self.tell_if_due();
            self.park();
            self.set_inside(false);
            // A thread that shuts the gate before this does not signal, since this one is in our code.
            if self.permission() != Permission::Wait {
                break;
            }
        });
        self.land_if_aborted();
    }

    fn park(&self) {
        match self.permission() {
            Permission::Wait => {}
            Permission::Execute(cpu) => {
                // It may have been moved before it noticed that it was stopped.
                if !self.has_said(cpu) {
                    self.passed(cpu, self.job.load(Relaxed));
                }
                return;
            }
            Permission::Spin(_) | Permission::End => return,
        }
        self.stopped(self.job.load(Relaxed));
        while let Some(due) = self.wait_or_alarm() {
            self.tell_time(due);
        }
        if let Permission::Execute(cpu) = self.permission() {
            self.passed(cpu, self.job.load(Relaxed));
        }
    }

    /// Waits until the gate is not shut, or the thread has to tell of the time: it says what was due when. The thread
    /// is in our code.
    pub(crate) fn wait_or_alarm(&self) -> Option<u64> {
        while self.permission() == Permission::Wait {
            let alarm = self.alarm();
            self.sleep(alarm);
            if let Some(due) = alarm.filter(|due| *due <= sys::monotonic_ns()) {
                // A thread that decides may have given it another one meanwhile.
                if self.alarm.compare_exchange(due, NEVER, SeqCst, SeqCst).is_ok() {
                    return Some(due);
                }
            }
        }
        self.alarm.store(NEVER, SeqCst);
        None
    }

    fn sleep(&self, until: Option<u64>) {
        self.latch.sleep(|word, value| sys::futex_wait(word, value, until));
    }

    /// The thread, which is inside, is about to execute `number`'s code on `cpu`, after it had waited.
    pub(crate) fn passed(&self, cpu: CpuId, number: u32) {
        self.said.store(cpu.0.into(), Relaxed);
        self.tracer.record(JobId::new(self.task, number), Passage::Passed(cpu));
    }

    /// The thread, which is inside, finds that `number` may not execute.
    pub(crate) fn stopped(&self, number: u32) {
        self.said.store(NOWHERE, Relaxed);
        self.tracer.record(JobId::new(self.task, number), Passage::Stopped);
    }

    /// True if the thread's last word is that it executes on `cpu`.
    pub(crate) fn has_said(&self, cpu: CpuId) -> bool {
        self.said.load(Relaxed) == u32::from(cpu.0)
    }
}

/// A thread that passes through a gate.
#[derive(Debug)]
pub(crate) struct Adopted<'a>(&'a Gate);

impl Drop for Adopted<'_> {
    fn drop(&mut self) {
        MINE.with(|mine| mine.set(std::ptr::null()));
        self.0.tid.store(0, SeqCst);
    }
}

/// No task's thread is real-time from now on.
pub(crate) fn disarm(gates: &[Gate]) {
    for thread in gates.iter().filter_map(Gate::thread) {
        // It fails only if the thread is gone.
        let _ = sys::set_other(thread);
    }
}

#[cfg(test)]
mod tests;
