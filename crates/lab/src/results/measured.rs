//! The result of a simulation without a trace.

use schedlab_report::invariants::CheckedResult;
use schedlab_report::measured::MetricsResult;
use schemars::JsonSchema;
use serde::Serialize;

/// The result of a simulation without a trace: metrics, and the checks of invariants.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Measured")]
pub struct MeasuredResult {
    /// Metrics of jobs and processors.
    pub metrics: MetricsResult,
    /// Results of checks; empty if invariants were not checked.
    pub checks: Vec<CheckedResult>,
}
