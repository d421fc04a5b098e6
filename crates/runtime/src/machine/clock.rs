//! The time of a run: nanoseconds since its time zero, at which all its tasks are ready.

use crate::machine::sys;
use schedlab_model::Instant;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

/// A run's clock.
#[derive(Debug)]
pub(crate) struct Clock {
    /// What the monotonic clock says at time zero.
    zero: AtomicU64,
}

impl Clock {
    /// A clock whose time zero is not known yet.
    pub(crate) fn stopped() -> Self {
        Clock { zero: AtomicU64::new(u64::MAX) }
    }

    /// Time zero is when the monotonic clock says `zero` nanoseconds.
    pub(crate) fn start_at(&self, zero: u64) {
        self.zero.store(zero, SeqCst);
    }

    /// The time now; before time zero, time zero.
    #[inline]
    pub(crate) fn now(&self) -> Instant {
        Instant::from_ns(sys::monotonic_ns().saturating_sub(self.zero.load(Relaxed)))
    }

    /// What the monotonic clock will say at `at`.
    #[inline]
    pub(crate) fn monotonic(&self, at: Instant) -> u64 {
        self.zero.load(Relaxed).saturating_add(at.as_ns())
    }
}
