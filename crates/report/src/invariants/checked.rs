//! The outcome of one invariant as plain values.

use super::{InvariantCheck, InvariantChecks};
use schemars::JsonSchema;
use serde::Serialize;

/// An [`InvariantCheck`] as plain values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CheckedDict")]
pub struct CheckedResult {
    /// Name of the invariant, or of another property that ought to hold.
    pub name: &'static str,
    /// Whether the property holds.
    pub holds: bool,
    /// Reason why it does not hold, or a remark.
    pub detail: Option<String>,
}

impl From<&InvariantCheck> for CheckedResult {
    fn from(outcome: &InvariantCheck) -> Self {
        CheckedResult { name: outcome.invariant.name(), holds: outcome.holds(), detail: outcome.detail() }
    }
}

impl InvariantChecks {
    /// A row for each invariant that was checked.
    pub fn results(&self) -> Vec<CheckedResult> {
        self.outcomes.iter().map(CheckedResult::from).collect()
    }
}
