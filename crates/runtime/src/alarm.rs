//! When a processor's timer thread has to tell the engine of the time.

use crate::sys;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// One processor's alarm.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// When it is due, by the monotonic clock.
    due: AtomicU64,
    /// Changes when the alarm becomes due earlier.
    changes: AtomicU32,
}

impl Default for Alarm {
    fn default() -> Self {
        Alarm { due: AtomicU64::new(u64::MAX), changes: AtomicU32::new(0) }
    }
}

impl Alarm {
    /// It is due at `due`; whoever sleeps until later is woken.
    pub fn set(&self, due: u64) {
        if due < self.due.swap(due, SeqCst) {
            self.wake();
        }
    }

    /// It went off: it is due no more, until it is set again. Says when it was due.
    pub fn clear(&self) -> u64 {
        self.due.swap(u64::MAX, SeqCst)
    }

    /// Wakes whoever sleeps.
    pub fn wake(&self) {
        self.changes.fetch_add(1, SeqCst);
        sys::futex_wake(&self.changes);
    }

    /// Sleeps until the alarm is due or [`Alarm::wake`]. True if it is due.
    pub fn sleep(&self) -> bool {
        let seen = self.changes.load(SeqCst);
        let due = self.due.load(SeqCst);
        if due > sys::monotonic_ns() {
            sys::futex_wait(&self.changes, seen, Some(due));
        }
        self.due.load(SeqCst) <= sys::monotonic_ns()
    }
}
