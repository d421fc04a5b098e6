//! When something happens next by itself at an engine, and how threads report that to it. One thread at a time is at
//! the engine.
//!
//! A thread that reports the time must not wait for the engine: the thread that is there may be less urgent, on the
//! same processor. So the reporting thread announces that something is due, and goes if it finds the engine busy. The
//! thread that leaves the engine looks for announcements, and reports them. Each writes first and looks second, with a
//! fence between, so that one of both sees the other (E. W. Dijkstra's account of Dekker's algorithm, 1965).
//!
//! Another thread may have reported already what is due. So a reporting thread first looks when the next thing happens.
//! That time is written before any timer is set for it: else a timer that fires at once would find nothing due, and its
//! signal would be lost.

use super::super::sync::{announce, fence, AtomicU32, AtomicU64};
use core::sync::atomic::Ordering::SeqCst;

/// The time of the next thing that happens by itself at an engine: at once, to begin with.
#[derive(Debug, Default)]
pub struct Due {
    next: AtomicU64,
    /// Not zero: that something is due was announced, and is not reported yet.
    announced: AtomicU32,
}

impl Due {
    /// Writes when the next thing happens by itself, as known to the thread at the engine, before `arm` sets a timer
    /// for it.
    pub fn expect<T>(&self, next: u64, arm: impl FnOnce() -> T) -> T {
        self.next.store(next, SeqCst);
        arm()
    }

    /// The time of the next thing if that has come by `now`.
    #[inline]
    pub fn by(&self, now: impl FnOnce() -> u64) -> Option<u64> {
        let next = self.next.load(SeqCst);
        Some(next).filter(|next| *next <= now())
    }

    /// Announces that something is due. The caller, or the thread that is at the engine, then reports it by
    /// [`Due::catch_up`].
    pub fn announce(&self) {
        announce(&self.announced, 1);
    }

    /// Reports what was announced; called after leaving the engine, or after an announcement. `enter` gets to the
    /// engine if that is free, and `report` does the work there, until the caller has left.
    #[inline]
    pub fn catch_up<E>(&self, mut enter: impl FnMut() -> Option<E>, mut report: impl FnMut(E)) {
        loop {
            fence(SeqCst);
            if self.announced.load(SeqCst) == 0 {
                return;
            }
            // Who is there does this when it leaves.
            let Some(engine) = enter() else { return };
            // An exchange: what was announced until here had happened before.
            self.announced.swap(0, SeqCst);
            report(engine);
        }
    }
}
