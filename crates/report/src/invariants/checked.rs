//! What became of one invariant as plain values.

use super::{Outcome, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

/// `Checked` as plain values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CheckedDict")]
pub struct CheckedResult {
    /// Of what ought to hold.
    pub name: &'static str,
    /// Whether it does.
    pub holds: bool,
    /// Why not, or what there is to know.
    pub detail: Option<String>,
}

impl From<&Outcome> for CheckedResult {
    fn from(outcome: &Outcome) -> Self {
        CheckedResult { name: outcome.invariant.name(), holds: outcome.holds(), detail: outcome.detail() }
    }
}

impl Verdict {
    /// A row for each invariant that was checked.
    pub fn results(&self) -> Vec<CheckedResult> {
        self.outcomes.iter().map(CheckedResult::from).collect()
    }
}
