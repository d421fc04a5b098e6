//! How a task gets its relative deadline.
//!
//! The rules of SchedCAT's generators (Brandenburg): each is a range of whole nanoseconds, all values
//! equally likely.

use crate::random::Random;
use crate::words::{SpecError, Words};
use core::fmt;
use core::str::FromStr;

/// A rule for relative deadlines, from the WCET `C` and the period `T`, where `C <= T`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// All rules.
    pub const ALL: [Deadlines; 4] =
        [Deadlines::Implicit, Deadlines::Mild, Deadlines::Constrained, Deadlines::Arbitrary];

    /// The rule's name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Deadlines::Implicit => "implicit",
            Deadlines::Mild => "mild",
            Deadlines::Constrained => "constrained",
            Deadlines::Arbitrary => "arbitrary",
        }
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
        let word = words.word("the name of a rule")?;
        let found = Self::ALL.into_iter().find(|rule| rule.name() == word);
        let rule = found.ok_or_else(|| words.unknown(word, Self::ALL.map(Self::name).join(", ")))?;
        words.finish()?;
        Ok(rule)
    }
}

impl fmt::Display for Deadlines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
