//! Why a task set cannot be analysed.

use schedlab_model::{Duration, TaskId};
use std::fmt;

/// The longest parameter that is analysed: about 26 days. Sums and products of a million tasks then stay within 128 bits.
pub(crate) const LONGEST: Duration = Duration::from_ns((1 << 51) - 1);

/// Why a task set cannot be analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemError {
    /// A period or a relative deadline is zero.
    ZeroLength {
        /// Whose.
        task: TaskId,
        /// Which parameter.
        field: &'static str,
    },
    /// A parameter is beyond [`LONGEST`].
    TooLong {
        /// Whose.
        task: TaskId,
        /// Which parameter.
        field: &'static str,
    },
    /// Fixed priorities without a rank for this task.
    NoRank(TaskId),
    /// Priority points without one for this task.
    NoPoint(TaskId),
    /// A cluster that the platform does not have.
    NoSuchCluster(TaskId),
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemError::ZeroLength { task, field } => write!(f, "{task}: {field} must be positive"),
            SystemError::TooLong { task, field } => {
                write!(f, "{task}: {field} must be at most {} for analysis", LONGEST)
            }
            SystemError::NoPoint(task) => write!(f, "{task}: no priority point is given"),
            SystemError::NoRank(task) => write!(f, "{task}: no rank is given under fixed priority"),
            SystemError::NoSuchCluster(task) => write!(f, "{task}: its cluster is not on the platform"),
        }
    }
}

impl std::error::Error for SystemError {}
