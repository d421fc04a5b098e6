//! When a thread that executes has to tell of the time: a timer of the kernel interrupts it by a signal.
//!
//! The thread that decides, one at a time and under a lock, sets the bell of a thread that executes, and starts that
//! thread's timer. The signal's handler takes what is due, and tells. A thread that is at the lock, or on its way, must
//! not: there the handler only notes that the bell rang, and the thread asks for that before it goes on. A handler
//! interrupts its own thread alone, so the note needs no order with other threads; what is due changes hands by an
//! exchange.
//!
//! What is due may be set anew or taken back at any moment before it is taken. Then it was told of, or is set
//! elsewhere: who sets it anew has decided after all that was due before.

use super::super::sync::{AtomicU32, AtomicU64};
use core::sync::atomic::Ordering::{Relaxed, SeqCst};

/// Nothing is due.
const NEVER: u64 = u64::MAX;

/// One thread's bell.
#[derive(Debug)]
pub struct Bell {
    due: AtomicU64,
    /// Not zero: it rang where the thread could not tell.
    rang: AtomicU32,
}

impl Bell {
    /// One that is not set.
    pub fn new() -> Self {
        Bell { due: AtomicU64::new(NEVER), rang: AtomicU32::new(0) }
    }

    /// It rings at `due`: `start` starts the thread's timer, after the thread could find what is due.
    pub fn set(&self, due: u64, start: impl FnOnce(u64)) {
        self.due.store(due, SeqCst);
        start(due);
    }

    /// It does not ring any more; `stop` stops the timer if there was something to ring for.
    pub fn unset(&self, stop: impl FnOnce()) {
        if self.due.swap(NEVER, SeqCst) != NEVER {
            stop();
        }
    }

    /// What is due at `now`, which the thread then tells of: it is taken once.
    pub fn take(&self, now: u64) -> Option<u64> {
        let due = self.due.load(SeqCst);
        let taken = due <= now && self.due.compare_exchange(due, NEVER, SeqCst, SeqCst).is_ok();
        taken.then_some(due)
    }

    /// It may have rung where the thread cannot tell: the handler notes that.
    pub fn note(&self) {
        self.rang.store(1, Relaxed);
    }

    /// The thread can tell from here on. What is due by now if the bell has rung meanwhile; `now` is asked only then.
    #[inline]
    pub fn take_noted(&self, now: impl FnOnce() -> u64) -> Option<u64> {
        if self.rang.load(Relaxed) == 0 {
            return None;
        }
        self.rang.store(0, Relaxed);
        self.take(now())
    }
}

impl Default for Bell {
    fn default() -> Self {
        Bell::new()
    }
}
