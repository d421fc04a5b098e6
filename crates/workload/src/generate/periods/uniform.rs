//! All multiples of a step in a range, equally likely; the step is 1 ns unless given.

use super::Range;
use crate::random::Random;

/// Uniform over the multiples of a step in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform(Range);

impl Uniform {
    pub(super) fn new(range: Range) -> Self {
        Uniform(range)
    }

    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        let Range { min, max, step } = self.0;
        random.between(min / step, max / step) * step
    }
}
