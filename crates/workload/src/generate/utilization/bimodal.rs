//! Uniform in one of two ranges, chosen by weight (Baker 2005; the weights of the papers are ninths and
//! tenths, and so exact).

use super::range::range;
use super::Each;
use crate::generate::draw::Draw;
use crate::generate::form::SpecForm;
use crate::random::Random;
use crate::words::{SpecError, Words};

pub(super) const FORM: SpecForm<Each> = SpecForm {
    written: &[(
        "bimodal MIN MAX MIN MAX A:B",
        "uniform in the first range with weight A, in the second with weight B",
    )],
    read: |words| Ok(Each::new(Bimodal::parse(words)?)),
};

/// Uniform in the first range with probability `weights.0 / (weights.0 + weights.1)`, else in the second.
#[derive(Debug)]
struct Bimodal {
    /// The first range.
    first: (f64, f64),
    /// The second range.
    second: (f64, f64),
    /// Weights of the ranges, relative to each other.
    weights: (u32, u32),
}

impl Bimodal {
    fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
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
}

impl Draw<f64> for Bimodal {
    fn draw(&self, random: &mut Random) -> f64 {
        let (a, b) = (u64::from(self.weights.0), u64::from(self.weights.1));
        let (min, max) = if random.below(a + b) < a { self.first } else { self.second };
        random.real_between(min, max)
    }
}
