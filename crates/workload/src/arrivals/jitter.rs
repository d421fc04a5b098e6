//! How much later than its arrival a job is released, at most by the task's jitter.
//!
//! Text forms: `none`, `uniform`, `extreme`, `latest`, `first-late`.

use crate::random::Random;
use crate::words::{SpecError, Words};
use core::fmt;
use core::str::FromStr;
use schedlab_model::Duration;

/// A rule for release jitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReleaseJitter {
    /// Jobs are released on arrival.
    #[default]
    None,
    /// Uniform in `0..=J`.
    Uniform,
    /// Either 0 or `J`, each as likely.
    Extreme,
    /// Always `J`.
    Latest,
    /// `J` for the first job and 0 for all others: the first two releases are as close as they can be,
    /// which is the worst case of response-time analysis with jitter.
    FirstLate,
}

impl ReleaseJitter {
    /// All rules.
    pub const ALL: [ReleaseJitter; 5] = [
        ReleaseJitter::None,
        ReleaseJitter::Uniform,
        ReleaseJitter::Extreme,
        ReleaseJitter::Latest,
        ReleaseJitter::FirstLate,
    ];

    /// The rule's name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            ReleaseJitter::None => "none",
            ReleaseJitter::Uniform => "uniform",
            ReleaseJitter::Extreme => "extreme",
            ReleaseJitter::Latest => "latest",
            ReleaseJitter::FirstLate => "first-late",
        }
    }

    /// The jitter of the next job, of which `first` says whether it is the task's first.
    #[inline]
    pub(super) fn draw(self, bound: Duration, first: bool, random: &mut Random) -> Duration {
        if bound.is_zero() {
            return bound;
        }
        let late = match self {
            ReleaseJitter::None => false,
            ReleaseJitter::Uniform => return Duration::from_ns(random.between(0, bound.as_ns())),
            ReleaseJitter::Extreme => random.below(2) == 1,
            ReleaseJitter::Latest => true,
            ReleaseJitter::FirstLate => first,
        };
        if late {
            bound
        } else {
            Duration::ZERO
        }
    }
}

impl FromStr for ReleaseJitter {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("jitter", text);
        let word = words.word("the name of a rule")?;
        let found = Self::ALL.into_iter().find(|rule| rule.name() == word);
        let rule = found.ok_or_else(|| words.unknown(word, Self::ALL.map(Self::name).join(", ")))?;
        words.finish()?;
        Ok(rule)
    }
}

impl fmt::Display for ReleaseJitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
