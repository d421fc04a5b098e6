//! Uniform in one of two ranges, chosen by weight (Baker 2005; the weights of the papers are ninths and
//! tenths, and so exact).

use super::range;
use crate::random::Random;
use crate::words::{SpecError, Words};

/// Uniform in the first range with probability `weights.0 / (weights.0 + weights.1)`, else in the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bimodal {
    /// The first range.
    pub first: (f64, f64),
    /// The second.
    pub second: (f64, f64),
    /// How often each is taken, relative to the other.
    pub weights: (u32, u32),
}

impl Bimodal {
    pub(super) fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
        let (first, second) = (range(words)?, range(words)?);
        let word = words.word("the weights")?;
        let wrong = || words.malformed("the weights", word, "two whole numbers such as 8:1, not both 0");
        let (a, b) = word.split_once(':').ok_or_else(wrong)?;
        let weights: (u32, u32) = (a.parse().map_err(|_| wrong())?, b.parse().map_err(|_| wrong())?);
        match weights {
            (0, 0) => Err(wrong()),
            _ => Ok(Bimodal { first, second, weights }),
        }
    }

    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> f64 {
        let (a, b) = (u64::from(self.weights.0), u64::from(self.weights.1));
        let (min, max) = if random.below(a + b) < a { self.first } else { self.second };
        random.real_between(min, max)
    }
}
