//! Bells: while a task's thread executes, a timer may interrupt it, and it tells of the time.
//!
//! The timer is the thread's own, or that of the processor for whichever thread executes there.

use super::Gate;
use crate::machine::sys::{self, BellSignal, Timer};
use schedlab_objects::Bell;
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::OnceLock;

/// Who tells of what is due.
pub(crate) trait Teller {
    /// What is due by now, by the monotonic clock.
    fn due(&self) -> Option<u64>;

    /// Tells of what is due at `due`, by the monotonic clock. The thread is in our code.
    fn tell_time(&self, due: u64);

    /// Tells of what is due by now; if `beside`, as a timer thread does: the task's thread waits for what it waits for.
    fn tell_due(&self, beside: bool);
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
}

/// While it is there, the thread tells by its own teller.
pub(crate) struct Hung<'a>(#[allow(dead_code, reason = "it borrows the teller")] &'a dyn Teller);

impl Drop for Hung<'_> {
    fn drop(&mut self) {
        MINE.with(|mine| mine.set(None));
    }
}

impl Gate {
    /// The calling thread tells of the time by `teller` when a bell rings, until the guard goes away: that of the
    /// processor, or (`own`) one of its own. Without room for a timer it has none, and others tell.
    pub(crate) fn hang_bell<'a>(&self, teller: &'a dyn Teller, own: bool) -> Hung<'a> {
        if let Some(timer) = own.then(|| Timer::of(sys::current_thread()).ok()).flatten() {
            let _ = self.bell.timer.set(timer);
        }
        // SAFETY: the guard, which borrows `teller`, takes it back before that goes away; a signal's handler of this
        // thread alone looks at it.
        let teller = unsafe { std::mem::transmute::<&'a dyn Teller, &'static dyn Teller>(teller) };
        MINE.with(|mine| mine.set(Some(teller)));
        Hung(teller)
    }

    /// The calling thread, in our code, is interrupted by bells from now on, that of the processor among them.
    pub(crate) fn hear_bells(&self, of_processor: Option<&BellSignal>) {
        self.hears.store(true, Relaxed);
        // Where it fails, other threads get the signal, and tell.
        let _ = of_processor.map(BellSignal::unblock);
    }

    /// True if the thread has a bell of its own.
    pub(crate) fn has_bell(&self) -> bool {
        self.bell.timer.get().is_some()
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
        self.take_rung().or_else(|| self.bell.bell.take_noted(sys::monotonic_ns))
    }

    /// The same of the processor's bell.
    #[inline]
    pub(super) fn take_rung(&self) -> Option<u64> {
        if self.whereabouts.take_ring() {
            MINE.with(Cell::get).and_then(Teller::due)
        } else {
            None
        }
    }

    /// In a handler: tells of what is due.
    pub(super) fn tell_if_due(&self) {
        if self.has_bell() {
            self.bell.bell.take(sys::monotonic_ns()).into_iter().for_each(|due| self.tell_time(due));
        } else {
            self.whereabouts.take_ring();
            self.tell_due(false);
        }
    }

    /// In a handler: tells of `due`.
    pub(super) fn tell_time(&self, due: u64) {
        MINE.with(Cell::get).into_iter().for_each(|teller| teller.tell_time(due));
    }

    /// In a handler: tells of what is due by now; `beside`, if the thread waits.
    pub(super) fn tell_due(&self, beside: bool) {
        MINE.with(Cell::get).into_iter().for_each(|teller| teller.tell_due(beside));
    }
}
