//! Uniform in a range (Baker 2005; the ranges of the papers are light, medium and heavy).

use super::range::range;
use super::Each;
use crate::generate::draw::Draw;
use crate::generate::form::SpecForm;
use crate::random::Random;

pub(super) const FORM: SpecForm<Each> = SpecForm {
    written: &[("uniform MIN MAX", "uniform in a range")],
    read: |words| range(words).map(|(min, max)| Each::new(Uniform { min, max })),
};

/// Uniform in `min..max`.
#[derive(Debug)]
struct Uniform {
    min: f64,
    max: f64,
}

impl Draw<f64> for Uniform {
    fn draw(&self, random: &mut Random) -> f64 {
        random.real_between(self.min, self.max)
    }
}
