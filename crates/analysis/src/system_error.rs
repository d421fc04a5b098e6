//! Why a task set cannot be analysed.

use crate::sentences::Ns;
use schedlab_model::{Duration, TaskId};

/// The longest parameter that is analysed: a year of 365 days, as in files. That is below 2^55 ns, so that products of
/// two parameters and sums of them over 100,000 tasks stay within 128 bits.
pub(crate) const LONGEST: Duration = Duration::from_ns(365 * 86_400 * 1_000_000_000);

crate::sentences! {
    /// Why a task set cannot be analysed.
    #[derive(Copy)]
    pub enum SystemError {
        ZeroLength { task: TaskId, field: &'static str } => "{task}: {field} must be positive",
        TooLong { task: TaskId, field: &'static str, length: Ns<u64> }
            => "{task}: {field} is {length}, but analysis takes at most a year (31536000 s)",
        NoRank(task: TaskId) => "{task}: no rank is given under fixed priority",
        NoPoint(task: TaskId) => "{task}: no priority point is given",
        NoSuchCluster(task: TaskId) => "{task}: its cluster is not on the platform",
        Contradiction { proves: &'static str, refutes: &'static str } =>
            "test \"{proves}\" proves what test \"{refutes}\" refutes: one of them is wrong",
    }
}

impl std::error::Error for SystemError {}
