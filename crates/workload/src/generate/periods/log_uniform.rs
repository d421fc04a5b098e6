//! Log-uniform in a range: R. I. Davis, A. Zabos, A. Burns, "Efficient exact schedulability tests for fixed
//! priority real-time systems", IEEE Transactions on Computers 57(9), 2008; also Emberson, Stafford, Davis,
//! WATERS 2010.
//!
//! With a step, a real number is drawn log-uniformly from `MIN .. MAX + STEP` and rounded down to a multiple
//! of the step, so that the longest period is as likely as its neighbours.

use super::range::Range;
use super::Periods;
use crate::generate::draw::Draw;
use crate::generate::form::SpecForm;
use crate::random::Random;

pub(super) const FORM: SpecForm<Periods> = SpecForm {
    written: &[(
        "log-uniform MIN MAX [step STEP]",
        "the logarithm is uniform: each order of magnitude equally likely",
    )],
    read: |words| Ok(Periods::new(LogUniform::new(Range::parse(words)?))),
};

/// Log-uniform over the multiples of a step in a range.
#[derive(Debug)]
struct LogUniform {
    range: Range,
    /// The logarithm of the range's start, in steps.
    start: f64,
    /// The logarithm of the range's end, one step beyond the longest period, less that of its start.
    width: f64,
}

impl LogUniform {
    fn new(range: Range) -> Self {
        let (first, end) = (range.min / range.step, range.max / range.step + 1);
        let start = libm::log(first as f64);
        LogUniform { range, start, width: libm::log(end as f64) - start }
    }
}

impl Draw<u64> for LogUniform {
    fn draw(&self, random: &mut Random) -> u64 {
        let Range { min, max, step } = self.range;
        let steps = libm::exp(self.start + self.width * random.unit()) as u64;
        steps.clamp(min / step, max / step) * step
    }
}
