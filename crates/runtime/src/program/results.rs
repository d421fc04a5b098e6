//! What a run found, as plain values: what `schedlab run --json` prints.

use crate::program::workload::Completions;
use schedlab_account::{Accounted, Distribution};
use schemars::JsonSchema;
use serde::Serialize;

/// Jobs of a real run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct RunJobs {
    pub arrived: u64,
    pub completed: u64,
    pub missed: u64,
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[allow(missing_docs)]
pub enum Decider {
    Schedlab,
    Kernel,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[allow(missing_docs)]
pub enum RunEnding {
    Horizon,
    ProgramsCompleted,
    Stopped,
    Crashed,
    Starved,
}

/// What a real run found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Findings")]
#[allow(missing_docs)]
pub struct RunFindings {
    #[serde(flatten)]
    pub accounted: Accounted,
    pub holds: bool,
    pub ending: RunEnding,
    /// It reached its horizon, or its programs had nothing left to do.
    pub whole: bool,
    /// The task whose code crashed, if the run ended by that.
    pub crashed: Option<String>,
    pub end_ns: u64,
    pub jobs: RunJobs,
    pub release_latency: Option<Distribution>,
    pub decided_by: Decider,
    pub replay_is_exact: Option<bool>,
    pub overruns: usize,
    pub tracer_lost: u64,
    pub background_ns: Vec<Option<u64>>,
    pub warning: Option<&'static str>,
    /// Tasks that fit nowhere and are placed best-effort.
    pub overflowed: Vec<String>,
    pub programs: Option<Completions>,
    pub runaways: Vec<String>,
    pub kept_waiting: Vec<String>,
}
