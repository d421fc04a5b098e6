//! Results about a real run for programs: plain values, as `--json` prints them. Python's types are generated from
//! these.

use schedlab_report::invariants::CheckedResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Distribution of lengths of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Distribution {
    pub(crate) count: usize,
    pub(crate) largest_ns: u64,
    pub(crate) median_ns: u64,
    pub(crate) p999_ns: u64,
    pub(crate) p99_ns: u64,
}

/// Agreement of the kernel's context switches with the decisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Witness {
    pub(crate) lost: u64,
    pub(crate) never_ran: usize,
    pub(crate) on_two_processors: usize,
    pub(crate) untrue: u64,
    pub(crate) clipped_ns: Option<u64>,
    pub(crate) holds: bool,
    pub(crate) invariants_hold: Option<bool>,
    pub(crate) starts: Option<Distribution>,
    pub(crate) stops: Option<Distribution>,
}

/// A task's longest response, and the lost time in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LongestResponse")]
pub struct LongestResponseResult {
    pub(crate) job: String,
    pub(crate) response_ns: u64,
    /// Time that was taken since the processors of the job were last idle.
    pub(crate) lost_ns: u64,
    pub(crate) lost_to_ns: BTreeMap<String, u64>,
    /// Largest response of any job less its lost time: no response is longer than this and its own loss.
    pub(crate) longest_less_lost_ns: u64,
    /// Longest response of the task in a simulation without overheads.
    pub(crate) longest_in_schedule_ns: u64,
    /// Response of this job in a simulation in which lost time is part of the costs.
    pub(crate) reconstructed_ns: u64,
}

/// A missed deadline without an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct UnexplainedMiss {
    pub(crate) job: String,
    pub(crate) tardiness_ns: u64,
    pub(crate) lost_ns: u64,
}

/// Missed deadlines, by reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Misses")]
pub(crate) struct MissesResult {
    pub(crate) of_schedule: usize,
    pub(crate) of_lost_time: usize,
    pub(crate) of_shifted_decisions: usize,
    pub(crate) lost_mostly_to: BTreeMap<String, usize>,
    pub(crate) shifted_mostly_by: BTreeMap<String, usize>,
    pub(crate) unexplained: Vec<UnexplainedMiss>,
    pub(crate) words: String,
}

/// Time that was taken from a job of a real run since its processors were last idle, and the reason why it missed its
/// deadline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Lost")]
pub struct LostResult {
    pub(crate) busy_since_ns: u64,
    pub(crate) lost_ns: u64,
    pub(crate) lost_to_ns: BTreeMap<String, u64>,
    pub(crate) missed_by: Option<String>,
}

/// Time that the host of a virtual machine took.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Stolen")]
pub(crate) struct StolenResult {
    pub(crate) total_ns: u64,
    pub(crate) share: f64,
    pub(crate) by_processor_ns: BTreeMap<String, u64>,
}

/// An interval in which no thread of the run executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Standstill {
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
}

/// Losses from outside the machine, and standstills of the run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FromOutside")]
pub(crate) struct FromOutsideResult {
    pub(crate) stolen: Option<StolenResult>,
    pub(crate) stood_still: Vec<Standstill>,
}

/// Ordinary threads that ran over ready real-time ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct OrdinaryOverRealTime {
    pub(crate) count: usize,
    pub(crate) total_ns: u64,
}

/// Processor time that tasks lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct LostTime {
    pub(crate) on_the_way_ns: u64,
    pub(crate) to_others_ns: u64,
    pub(crate) ordinary_over_real_time: OrdinaryOverRealTime,
}

/// Account of a real run. Fields that are None need the kernel's context switches.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Accounted {
    pub(crate) witness: Option<Witness>,
    pub(crate) lost_time: Option<LostTime>,
    pub(crate) from_outside: FromOutsideResult,
    pub(crate) misses: Option<MissesResult>,
    pub(crate) longest_responses: Option<Vec<Option<LongestResponseResult>>>,
    pub(crate) invariants_hold: Option<bool>,
    pub(crate) holders_preempted_in_overlong_sections: Option<u64>,
}

/// Account of a real run with its text and the judgements.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub struct AccountResult {
    #[serde(flatten)]
    pub(crate) accounted: Accounted,
    pub(crate) judgements: Vec<CheckedResult>,
    pub(crate) text: String,
}
