//! How much later than its arrival a job is released, at most by the task's jitter.
//!
//! Text forms: `none`, `uniform`, `extreme`, `latest`, `first-late`.

use crate::random::Random;
use crate::words::{self, SpecError};
use core::str::FromStr;
use schedlab_model::Duration;

/// A rule for release jitter.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
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
        words::rule("jitter", text)
    }
}
