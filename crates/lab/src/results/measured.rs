//! The result of a simulation without a trace.

use schedlab_report::invariants::CheckedResult;
use schedlab_report::measured::MetricsResult;
use schemars::JsonSchema;
use serde::Serialize;

/// What a simulation without a trace gives: metrics, and what `check` would say of its trace.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Measured")]
pub struct MeasuredResult {
    /// Of jobs and processors.
    pub metrics: MetricsResult,
    /// None are there if invariants were not checked.
    pub checks: Vec<CheckedResult>,
}
