//! When a thread that executes has to report the time: a timer of the kernel interrupts it by a signal.
//!
//! The thread that decides, one at a time and under a lock, sets what is due for a thread that executes, and starts
//! that thread's timer. The signal's handler takes what is due, and reports it. A thread that is at the lock, or on its
//! way, must not: there the handler only notes that the signal came, and the thread asks for that before it goes on. A
//! handler interrupts its own thread alone, so the note needs no order with other threads; what is due changes hands by
//! an exchange.
//!
//! What is due may be set anew or taken back at any moment before it is taken. Then it was reported by another thread,
//! or is set elsewhere: the thread that sets it anew has decided after all that was due before.

use super::super::sync::{AtomicU32, AtomicU64};
use core::sync::atomic::Ordering::{Relaxed, SeqCst};

/// Nothing is due.
const NEVER: u64 = u64::MAX;

/// The time for which one thread's timer was set, and whether its signal came where the thread could not report that.
#[derive(Debug)]
pub struct TimerSignal {
    due: AtomicU64,
    /// Not zero: the signal came where the thread could not report.
    noted: AtomicU32,
}

impl TimerSignal {
    /// A signal for which no timer is set.
    pub fn new() -> Self {
        TimerSignal { due: AtomicU64::new(NEVER), noted: AtomicU32::new(0) }
    }

    /// Sets what is due: `start` starts the thread's timer, after the thread could find what is due.
    pub fn set(&self, due: u64, start: impl FnOnce(u64)) {
        self.due.store(due, SeqCst);
        start(due);
    }

    /// Takes back what was set; `stop` stops the timer if anything was.
    pub fn unset(&self, stop: impl FnOnce()) {
        if self.due.swap(NEVER, SeqCst) != NEVER {
            stop();
        }
    }

    /// Takes what is due at `now`, once. The thread then reports it.
    pub fn take(&self, now: u64) -> Option<u64> {
        let due = self.due.load(SeqCst);
        let taken = due <= now && self.due.compare_exchange(due, NEVER, SeqCst, SeqCst).is_ok();
        taken.then_some(due)
    }

    /// Notes, in the handler, that the signal may have come where the thread cannot report.
    pub fn note(&self) {
        self.noted.store(1, Relaxed);
    }

    /// Takes what is due by now if the signal was noted: the thread can report from here on. `now` is asked only then.
    #[inline]
    pub fn take_noted(&self, now: impl FnOnce() -> u64) -> Option<u64> {
        if self.noted.load(Relaxed) == 0 {
            return None;
        }
        self.noted.store(0, Relaxed);
        self.take(now())
    }
}

impl Default for TimerSignal {
    fn default() -> Self {
        TimerSignal::new()
    }
}
