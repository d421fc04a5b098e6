//! Bounded-delay resource: a rate that is kept to but for a delay.
//!
//! A. Mok, X. Feng and D. Chen, *Resource partition for real-time systems*, RTAS 2001; X. Feng and A. Mok, *A model of
//! hierarchical real-time virtual resources*, RTSS 2002. A resource of the rate a and the delay d supplies at least
//! a (t - d) in any interval of a length t > d. The supply is whole nanoseconds here, so the bound is rounded down.
//!
//! Each other model is one, too, with its longest wait as the delay: a budget Q in each period P has the rate Q/P and
//! the delay 2 (P - Q) (G. Lipari and E. Bini, *Resource partitioning among real-time applications*, ECRTS 2003).

use super::Supply;
use crate::exact::Pair;

/// A rate with a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedDelay {
    rate: Pair,
    delay: u128,
}

impl BoundedDelay {
    /// A resource of `rate` with `delay` ns. Panics unless 0 < `rate` <= 1.
    pub fn new(rate: Pair, delay: u128) -> Self {
        assert!(0 < rate.0 && rate.0 <= rate.1, "a rate is positive and at most that of a processor");
        BoundedDelay { rate, delay }
    }
}

impl Supply for BoundedDelay {
    fn within(&self, length: u128) -> u128 {
        length.saturating_sub(self.delay).saturating_mul(self.rate.0.into()) / u128::from(self.rate.1)
    }

    fn length_of(&self, work: u128) -> u128 {
        if work == 0 {
            return 0;
        }
        let at_rate = work.saturating_mul(self.rate.1.into()).div_ceil(self.rate.0.into());
        self.delay.saturating_add(at_rate)
    }

    fn line(&self) -> (Pair, u128) {
        (self.rate, self.delay)
    }

    fn pattern(&self) -> (u128, u128) {
        (self.delay, self.rate.1.into())
    }
}
