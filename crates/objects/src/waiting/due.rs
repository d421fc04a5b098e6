//! When something happens by itself at an engine that one thread at a time is at, and who tells the engine.
//!
//! A thread that tells must not wait for the engine: the thread that is there may be less urgent, on the same
//! processor. It announces that something is due, and goes if it finds the engine busy. The thread that leaves the
//! engine looks for that, and tells. Each writes first and looks second, with a fence between, so that one of both sees
//! the other (E. W. Dijkstra's account of Dekker's algorithm, 1965).
//!
//! What is due may have been told of by another thread. So a thread that is to tell looks when the next thing happens.
//! That is written before anything is set that tells of it: what rings at once would find nothing due, and be lost.

use super::super::sync::{announce, fence, AtomicU32, AtomicU64};
use core::sync::atomic::Ordering::SeqCst;

/// When the next thing happens: at once, to begin with.
#[derive(Debug, Default)]
pub struct Due {
    next: AtomicU64,
    /// Not zero: that something is due was announced, and is not told yet.
    announced: AtomicU32,
}

impl Due {
    /// The thread at the engine knows that nothing happens by itself before `next`: `arm` sets what tells of that.
    pub fn expect<T>(&self, next: u64, arm: impl FnOnce() -> T) -> T {
        self.next.store(next, SeqCst);
        arm()
    }

    /// What is due at `now`.
    #[inline]
    pub fn by(&self, now: impl FnOnce() -> u64) -> Option<u64> {
        let next = self.next.load(SeqCst);
        Some(next).filter(|next| *next <= now())
    }

    /// Something is due: the caller tells next, by [`Due::catch_up`], or the thread does that is at the engine.
    pub fn announce(&self) {
        announce(&self.announced, 1);
    }

    /// The caller has left the engine, or announced something: it tells what was announced. `enter` is how it gets to
    /// the engine if that is free, and `tell` what it does there, until it has left.
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
