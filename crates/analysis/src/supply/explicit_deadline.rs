//! Explicit deadline periodic resource (EDP): a budget in each period, by a deadline within it.
//!
//! A. Easwaran, M. Anand and I. Lee, *Compositional analysis framework using EDP resource models*, RTSS 2007. A budget
//! Q within D of the begin of each period P supplies the least in an interval that begins where the budget of a period
//! was supplied at once, at the period's begin, while those of all later periods come just before their deadlines:
//!
//! ```text
//! sbf(t) = y Q + max(0, t - x - y P)   if t >= D - Q, else 0
//! x = P + D - 2 Q,   y = floor((t - (D - Q)) / P)
//! ```
//!
//! With D = P this is the periodic resource.

use super::{length_after, Supply};
use crate::exact::Pair;

/// A budget within a deadline in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplicitDeadline {
    budget: u64,
    period: u64,
    relative_deadline: u64,
}

impl ExplicitDeadline {
    /// A resource of `budget` ns within `relative_deadline` ns of the begin of each `period`. Panics unless
    /// 0 < `budget` <= `relative_deadline` <= `period`.
    pub fn new(budget: u64, period: u64, relative_deadline: u64) -> Self {
        assert!(
            0 < budget && budget <= relative_deadline,
            "a budget is positive and fits before its deadline"
        );
        assert!(relative_deadline <= period, "a budget's deadline is within its period");
        ExplicitDeadline { budget, period, relative_deadline }
    }

    /// The time before a deadline in which no budget need come.
    fn slack(&self) -> u128 {
        u128::from(self.relative_deadline - self.budget)
    }

    fn longest_wait(&self) -> u128 {
        u128::from(self.period - self.budget) + self.slack()
    }
}

impl Supply for ExplicitDeadline {
    fn within(&self, length: u128) -> u128 {
        let Some(rest) = length.checked_sub(self.slack()) else { return 0 };
        let whole = rest / u128::from(self.period);
        let begun = length.saturating_sub(self.longest_wait() + whole * u128::from(self.period));
        whole * u128::from(self.budget) + begun
    }

    fn length_of(&self, work: u128) -> u128 {
        length_after(self.longest_wait(), self.budget, self.period, work)
    }

    fn line(&self) -> (Pair, u128) {
        ((self.budget, self.period), self.longest_wait())
    }

    fn pattern(&self) -> (u128, u128) {
        (self.slack(), self.period.into())
    }
}
