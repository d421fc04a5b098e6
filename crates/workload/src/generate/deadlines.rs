//! Rules for the relative deadlines of tasks.
//!
//! The rules of SchedCAT's generators (Brandenburg): each is a range of whole nanoseconds, all values equally likely.

use crate::random::Random;
use crate::words::{SpecError, Words};
use core::str::FromStr;
use strum::VariantArray;

/// A rule for relative deadlines, from the WCET `C` and the period `T`, where `C <= T`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Deadlines {
    /// `D = T`.
    #[default]
    Implicit,
    /// `D` in `C + (T-C)/2 ..= T`.
    Mild,
    /// `D` in `C ..= T`.
    Constrained,
    /// `D` in `C ..= C + 2(T-C)`.
    Arbitrary,
}

impl Deadlines {
    /// Names of the rules.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Deadlines::VARIANTS.iter().map(|rule| (*rule).into())
    }

    pub(super) fn draw(self, wcet: u64, period: u64, random: &mut Random) -> u64 {
        let slack = period - wcet;
        match self {
            Deadlines::Implicit => period,
            Deadlines::Mild => random.between(wcet + slack.div_ceil(2), period),
            Deadlines::Constrained => random.between(wcet, period),
            Deadlines::Arbitrary => random.between(wcet, wcet + 2 * slack),
        }
    }
}

impl FromStr for Deadlines {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("deadlines", text);
        let rule = words.one_of("the name of a rule")?;
        words.finish()?;
        Ok(rule)
    }
}
