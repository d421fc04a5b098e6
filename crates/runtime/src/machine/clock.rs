//! The time of a run: nanoseconds since its time zero, at which all its tasks are ready.

use crate::machine::sys;
use schedlab_model::Instant;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

/// The clock of a run.
#[derive(Debug)]
pub(crate) struct Clock {
    /// The time of the monotonic clock at time zero, in nanoseconds.
    zero: AtomicU64,
}

impl Clock {
    /// A clock whose time zero is not known yet.
    pub(crate) fn stopped() -> Self {
        Clock { zero: AtomicU64::new(u64::MAX) }
    }

    /// Sets time zero: the monotonic clock shows `zero` nanoseconds then.
    pub(crate) fn start_at(&self, zero: u64) {
        self.zero.store(zero, SeqCst);
    }

    /// The time now; time zero, if that has not come.
    #[inline]
    pub(crate) fn now(&self) -> Instant {
        Instant::from_ns(sys::monotonic_ns().saturating_sub(self.zero.load(Relaxed)))
    }

    /// The time of the monotonic clock at `at`, in nanoseconds.
    #[inline]
    pub(crate) fn monotonic(&self, at: Instant) -> u64 {
        self.zero.load(Relaxed).saturating_add(at.as_ns())
    }
}
