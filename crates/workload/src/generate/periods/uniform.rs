//! All multiples of a step in a range, equally likely; the step is 1 ns unless given.

use super::range::Range;
use super::Periods;
use crate::generate::draw::Draw;
use crate::generate::form::SpecForm;
use crate::random::Random;

pub(super) const FORM: SpecForm<Periods> = SpecForm {
    written: &[("uniform MIN MAX [step STEP]", "all values of a range equally likely")],
    read: |words| Ok(Periods::new(Uniform(Range::parse(words)?))),
};

/// Uniform over the multiples of a step in a range.
#[derive(Debug)]
struct Uniform(Range);

impl Draw<u64> for Uniform {
    fn draw(&self, random: &mut Random) -> u64 {
        let Range { min, max, step } = self.0;
        random.between(min / step, max / step) * step
    }
}
