//! One measured thing: a line of the file of measurements.

use crate::values::samples::Kept;
use serde::{Deserialize, Serialize};

/// What was measured under which conditions. Conditions that do not matter are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MeasuredRow {
    /// What: the name of an overhead as in overheads files, or another.
    pub(crate) what: String,
    /// Under which scheduler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scheduler: Option<String>,
    /// Under which locking protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<String>,
    /// With how many tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tasks: Option<usize>,
    /// In which task set of that size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) set: Option<u64>,
    /// How many jobs waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiters: Option<usize>,
    /// For which working set, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<usize>,
    /// How the working set is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) access: Option<String>,
    /// Whether the processors' quanta begin together: "aligned" or "staggered".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alignment: Option<String>,
    /// From where to where: what the processors share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// The values.
    #[serde(flatten)]
    pub(crate) kept: Kept,
}

impl MeasuredRow {
    /// A row of `what` without conditions.
    pub(crate) fn new(what: &str, kept: Kept) -> Self {
        MeasuredRow { what: what.to_owned(), kept, ..MeasuredRow::default() }
    }
}
