//! Uniform in a range (Baker 2005; the ranges of the papers are light, medium and heavy).

use crate::random::Random;

/// Uniform in `min..max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    /// The smallest utilization.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Uniform {
    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> f64 {
        random.real_between(self.min, self.max)
    }
}
