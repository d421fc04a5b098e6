//! Bells: while a task's thread executes, a timer of its own may interrupt it, and it tells of the time.

use super::Gate;
use crate::machine::sys::{self, Timer};
use schedlab_objects::Bell;
use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::OnceLock;

/// Who tells of what is due.
pub(crate) trait Teller {
    /// Tells of what is due at `due`, by the monotonic clock. The thread is in our code.
    fn tell_time(&self, due: u64);
}

thread_local! {
    /// The thread's own. Its initial value is constant and it has no destructor, so reading it in a handler is safe.
    static MINE: Cell<Option<&'static dyn Teller>> = const { Cell::new(None) };
}

/// A bell, with its timer if the thread has one.
#[derive(Debug, Default)]
pub(super) struct OwnBell {
    pub(super) bell: Bell,
    timer: OnceLock<Timer>,
    /// The thread has asked for its first job. Its code before that may allocate, and must not decide.
    is_allowed: AtomicBool,
}

/// While it is there, the thread tells by its own teller.
pub(crate) struct Hung<'a>(#[allow(dead_code, reason = "it borrows the teller")] &'a dyn Teller);

impl Drop for Hung<'_> {
    fn drop(&mut self) {
        MINE.with(|mine| mine.set(None));
    }
}

impl Gate {
    /// The calling thread gets a timer, and tells of the time by `teller` when its bell rings, until the guard goes
    /// away. Without room for a timer it has none, and others tell.
    pub(crate) fn hang_bell<'a>(&self, teller: &'a dyn Teller) -> Hung<'a> {
        if let Ok(timer) = Timer::of(sys::current_thread()) {
            let _ = self.bell.timer.set(timer);
        }
        // SAFETY: the guard, which borrows `teller`, takes it back before that goes away; a signal's handler of this
        // thread alone looks at it.
        let teller = unsafe { std::mem::transmute::<&'a dyn Teller, &'static dyn Teller>(teller) };
        MINE.with(|mine| mine.set(Some(teller)));
        Hung(teller)
    }

    /// The calling thread, which is in our code, may be interrupted by its bell from now on.
    pub(crate) fn allow_bell(&self) {
        self.bell.is_allowed.store(true, SeqCst);
    }

    /// True if the thread has a bell, and may be interrupted by it.
    pub(crate) fn has_bell(&self) -> bool {
        self.bell.timer.get().is_some() && self.bell.is_allowed.load(SeqCst)
    }

    /// The thread, which has a bell and executes, tells of what is due at `due`, by the monotonic clock.
    pub(crate) fn set_bell(&self, due: u64) {
        let timer = self.bell.timer.get().expect("it has a bell");
        self.bell.bell.set(due, |due| timer.start(due));
    }

    /// It does not any more.
    pub(crate) fn unset_bell(&self) {
        if let Some(timer) = self.bell.timer.get() {
            self.bell.bell.unset(|| timer.stop());
        }
    }

    /// What is due, if a bell has rung while the thread could not tell, as it can now.
    #[inline]
    pub(crate) fn take_noted(&self) -> Option<u64> {
        self.bell.bell.take_noted(sys::monotonic_ns)
    }

    /// In a handler: tells of what is due.
    pub(super) fn tell_if_due(&self) {
        self.bell.bell.take(sys::monotonic_ns()).into_iter().for_each(|due| self.tell_time(due));
    }

    /// In a handler: tells of `due`.
    pub(super) fn tell_time(&self, due: u64) {
        MINE.with(Cell::get).into_iter().for_each(|teller| teller.tell_time(due));
    }
}
