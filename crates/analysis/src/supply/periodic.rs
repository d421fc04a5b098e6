//! Periodic resource: a budget in each period, at any times of it.
//!
//! I. Shin and I. Lee, *Periodic resource model for compositional real-time guarantees*, RTSS 2003. A budget Q in each
//! period P supplies the least in an interval that begins where the budget of a period was supplied at once, at the
//! period's begin, while those of all later periods come at their ends:
//!
//! ```text
//! sbf(t) = t - (k + 1) (P - Q)   if (k + 1) P - 2 Q <= t <= (k + 1) P - Q
//!          (k - 1) Q             otherwise,   with k = max(ceil((t - (P - Q)) / P), 1)
//! ```

use super::{length_after, Supply};
use crate::exact::Pair;

/// A budget in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodicResource {
    budget: u64,
    period: u64,
}

impl PeriodicResource {
    /// A resource of `budget` ns in each `period` ns. Panics unless 0 < `budget` <= `period`.
    pub fn new(budget: u64, period: u64) -> Self {
        assert!(0 < budget && budget <= period, "a budget is positive and fits into its period");
        PeriodicResource { budget, period }
    }

    fn pause(&self) -> u128 {
        u128::from(self.period - self.budget)
    }
}

impl Supply for PeriodicResource {
    fn within(&self, length: u128) -> u128 {
        let (budget, period) = (u128::from(self.budget), u128::from(self.period));
        let k = length.saturating_sub(self.pause()).div_ceil(period).max(1);
        let end = (k + 1) * period - budget;
        match length + budget >= end && length <= end {
            true => length - (k + 1) * self.pause(),
            false => (k - 1) * budget,
        }
    }

    fn length_of(&self, work: u128) -> u128 {
        length_after(2 * self.pause(), self.budget, self.period, work)
    }

    fn line(&self) -> (Pair, u128) {
        ((self.budget, self.period), 2 * self.pause())
    }

    fn pattern(&self) -> (u128, u128) {
        (self.pause(), self.period.into())
    }
}
