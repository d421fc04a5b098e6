//! Why a task set cannot be analysed.

use schedlab_model::{Duration, TaskId};

/// The longest parameter that is analysed: about 26 days. Sums and products of a million tasks then stay within 128
/// bits.
pub(crate) const LONGEST: Duration = Duration::from_ns((1 << 51) - 1);

crate::sentences! {
    /// Why a task set cannot be analysed.
    #[derive(Copy)]
    pub enum SystemError {
        ZeroLength { task: TaskId, field: &'static str } => "{task}: {field} must be positive",
        TooLong { task: TaskId, field: &'static str } => "{task}: {field} must be at most {LONGEST} for analysis",
        NoRank(task: TaskId) => "{task}: no rank is given under fixed priority",
        NoPoint(task: TaskId) => "{task}: no priority point is given",
        NoSuchCluster(task: TaskId) => "{task}: its cluster is not on the platform",
        Contradiction { proves: &'static str, refutes: &'static str } =>
            "test \"{proves}\" proves what test \"{refutes}\" refutes: one of them is wrong",
    }
}

impl std::error::Error for SystemError {}
