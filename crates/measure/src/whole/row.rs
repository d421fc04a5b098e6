//! One measured thing: a line of the file of measurements.

use crate::values::samples::Kept;
use serde::{Deserialize, Serialize};

/// A measured thing with its conditions. Conditions that do not matter are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MeasuredRow {
    /// Name of an overhead as in overheads files, or of another thing.
    pub(crate) what: String,
    /// Scheduler of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scheduler: Option<String>,
    /// Locking protocol of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<String>,
    /// Number of tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tasks: Option<usize>,
    /// Number of the task set of that size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) set: Option<u64>,
    /// Number of jobs that waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiters: Option<usize>,
    /// Size of the working set, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<usize>,
    /// Way in which the working set is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) access: Option<String>,
    /// Whether the processors' quanta begin together: `aligned` or `staggered`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alignment: Option<String>,
    /// Path of a migration: what its processors share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Statistics of the values.
    #[serde(flatten)]
    pub(crate) kept: Kept,
}

impl MeasuredRow {
    /// A row of `what` without conditions.
    pub(crate) fn new(what: &str, kept: Kept) -> Self {
        MeasuredRow { what: what.to_owned(), kept, ..MeasuredRow::default() }
    }
}
