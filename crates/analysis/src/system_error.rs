//! Why a task set cannot be analysed.

use schedlab_model::{Duration, TaskId};

/// The longest parameter that is analysed: about 26 days. Sums and products of a million tasks then stay within 128 bits.
pub(crate) const LONGEST: Duration = Duration::from_ns((1 << 51) - 1);

/// Why a task set cannot be analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SystemError {
    /// A period or a relative deadline is zero.
    #[error("{task}: {field} must be positive")]
    ZeroLength {
        /// Whose.
        task: TaskId,
        /// Which parameter.
        field: &'static str,
    },
    /// A parameter is beyond [`LONGEST`].
    #[error("{task}: {field} must be at most {LONGEST} for analysis")]
    TooLong {
        /// Whose.
        task: TaskId,
        /// Which parameter.
        field: &'static str,
    },
    /// Fixed priorities without a rank for this task.
    #[error("{0}: no rank is given under fixed priority")]
    NoRank(TaskId),
    /// Priority points without one for this task.
    #[error("{0}: no priority point is given")]
    NoPoint(TaskId),
    /// A cluster that the platform does not have.
    #[error("{0}: its cluster is not on the platform")]
    NoSuchCluster(TaskId),
}
