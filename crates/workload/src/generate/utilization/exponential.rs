//! Exponential, redrawn until within a range (Baker 2005).
//!
//! The mean that the papers name is that of the distribution before truncation. Redrawing until a value
//! falls into the range gives the distribution conditioned on the range, which is drawn here at once by
//! inverting its distribution function: with lambda = 1/mean and v uniform in [0, 1),
//! `min - mean * ln(1 - v * (1 - exp(-lambda * (max - min))))`.

use super::range::range;
use super::Each;
use crate::generate::draw::Draw;
use crate::generate::form::SpecForm;
use crate::random::Random;
use crate::words::{SpecError, Words};

pub(super) const FORM: SpecForm<Each> = SpecForm {
    written: &[(
        "exponential MEAN MIN MAX",
        "exponential, redrawn until in the range; MEAN is that of the distribution before",
    )],
    read: |words| Ok(Each::new(Exponential::parse(words)?)),
};

/// Exponential with this mean before it is confined to `min..=max`.
#[derive(Debug)]
struct Exponential {
    mean: f64,
    min: f64,
    max: f64,
    /// `exp(-lambda * (max - min)) - 1`: minus the probability of the range, given that `min` is exceeded.
    minus_probability: f64,
}

impl Exponential {
    /// Makes the distribution of these parameters; the mean must be positive and `min < max`.
    fn new(mean: f64, min: f64, max: f64) -> Self {
        Exponential { mean, min, max, minus_probability: libm::expm1(-(max - min) / mean) }
    }

    fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
        let mean = words.number("the mean")?;
        if mean < 1e-6 {
            return Err(words.out_of_range("the mean", mean, "0.000001 and above"));
        }
        let (min, max) = range(words)?;
        Ok(Self::new(mean, min, max))
    }
}

impl Draw<f64> for Exponential {
    fn draw(&self, random: &mut Random) -> f64 {
        let drawn = self.min - self.mean * libm::log1p(random.unit() * self.minus_probability);
        drawn.clamp(self.min, self.max)
    }
}
