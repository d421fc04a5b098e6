//! Log-uniform in a range: R. I. Davis, A. Zabos, A. Burns, "Efficient exact schedulability tests for fixed
//! priority real-time systems", IEEE Transactions on Computers 57(9), 2008; also Emberson, Stafford, Davis,
//! WATERS 2010.
//!
//! With a step, a real number is drawn log-uniformly from `MIN .. MAX + STEP` and rounded down to a multiple
//! of the step, so that the longest period is as likely as its neighbours.

use super::Range;
use crate::random::Random;

/// Log-uniform over the multiples of a step in a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogUniform {
    range: Range,
    /// The logarithm of the range's start, in steps.
    start: f64,
    /// The logarithm of its end, one step beyond the longest period, less that of its start.
    width: f64,
}

impl LogUniform {
    pub(super) fn new(range: Range) -> Self {
        let (first, end) = (range.min / range.step, range.max / range.step + 1);
        let start = libm::log(first as f64);
        LogUniform { range, start, width: libm::log(end as f64) - start }
    }

    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        let Range { min, max, step } = self.range;
        let steps = libm::exp(self.start + self.width * random.unit()) as u64;
        steps.clamp(min / step, max / step) * step
    }
}
