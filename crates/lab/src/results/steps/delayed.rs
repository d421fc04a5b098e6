//! Delays by sections of other tasks as plain values.

use schemars::JsonSchema;
use serde::Serialize;

/// Why a section of another task delays a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum DelayCauseName {
    /// The job waits until the section ends.
    Waiting,
    /// The section goes, on its processor, before a section for which the job waits.
    AheadOfHolder,
    /// Other jobs of its processor execute before the section for which the job waits, for so long.
    HolderKeptOff,
    /// A less urgent job is in the section when the job arrives.
    Arrival,
    /// A less urgent job waits until the section ends, and is not preempted, when the job arrives.
    ArrivalSpinning,
    /// The section keeps a job from its processor that has waited or is pending.
    KeptOff,
}

/// A section of another task that adds to the bound on a task's delay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct DelayTerm {
    pub(super) task: u32,
    pub(super) name: String,
    pub(super) resource: String,
    pub(super) cause: DelayCauseName,
    pub(super) length_ns: u64,
    /// How often it counts.
    pub(super) count: u64,
    pub(super) total_ns: u64,
}

/// The bound on the delay of a task's job by sections of others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct SummedDelay {
    pub(super) cluster: u16,
    pub(super) task: u32,
    pub(super) name: String,
    pub(super) terms: Vec<DelayTerm>,
    /// None if there is no bound.
    pub(super) total_ns: Option<u64>,
}
