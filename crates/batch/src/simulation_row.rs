//! One simulation of many as plain values.

use crate::simulations::{Observed, Simulated};
use schedlab_lab::Caveats;
use schemars::JsonSchema;
use serde::Serialize;

/// One simulation of many. Without a schedule, `error` has the reason, and the metrics are None or empty.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SimulationRow {
    scheduler: String,
    /// Reason why the scheduler or the protocol cannot have the tasks, such as a task set that does not fit its
    /// partitions.
    error: Option<String>,
    #[serde(flatten)]
    caveats: Caveats,
    horizon_ns: Option<u64>,
    jobs: Option<u64>,
    misses: Option<u64>,
    aborts: Option<u64>,
    deadline_satisfaction_ratio: Option<f64>,
    accrued_utility_ratio: Option<f64>,
    preemptions: Option<u64>,
    migrations: Option<u64>,
    max_tardiness_ns: Option<u64>,
    overhead_ns: Option<u64>,
    wasted_ns: Option<u64>,
    load: Option<f64>,
    deadlocks: Option<u64>,
    /// Invariants that the schedule violates, of those that were checked.
    violated: Vec<&'static str>,
    /// Tasks that fit nowhere and were placed best-effort.
    overflowed: Vec<String>,
    /// By task: the longest response time of its complete jobs; None if none is complete.
    max_response_times_ns: Vec<Option<u64>>,
}

impl From<Simulated> for SimulationRow {
    fn from(simulated: Simulated) -> Self {
        let Simulated { scheduler, caveats, outcome } = simulated;
        let seen = outcome.as_ref().ok();
        let count = |value: fn(&Observed) -> u64| seen.map(value);
        SimulationRow {
            scheduler,
            error: outcome.as_ref().err().cloned(),
            caveats,
            horizon_ns: count(|seen| seen.until.as_ns()),
            jobs: count(|seen| seen.all.arrived),
            misses: count(|seen| seen.all.missed),
            aborts: count(|seen| seen.all.aborted),
            deadline_satisfaction_ratio: seen.and_then(|seen| seen.all.deadline_satisfaction_ratio()),
            accrued_utility_ratio: seen.and_then(|seen| seen.all.accrued_utility_ratio()),
            preemptions: count(|seen| seen.all.preemptions),
            migrations: count(|seen| seen.all.migrations),
            max_tardiness_ns: count(|seen| seen.max_tardiness_ns),
            overhead_ns: count(|seen| seen.overhead_ns),
            wasted_ns: count(|seen| seen.wasted_ns),
            load: seen.map(|seen| seen.load),
            deadlocks: count(|seen| seen.deadlocks as u64),
            violated: seen.map_or_else(Vec::new, |seen| seen.violated.clone()),
            overflowed: seen.map_or_else(Vec::new, |seen| seen.overflowed.clone()),
            max_response_times_ns: seen.map_or_else(Vec::new, |seen| seen.max_response_times_ns.clone()),
        }
    }
}
