//! The cost of working sets in a schedule, as plain values.

use crate::memory::{modelled, MemoryUse};
use schedlab_model::{Cost, OverheadKind, Statistic};
use schedlab_scenario::{OverheadsChoice, Scenario, NO_OVERHEADS};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The kinds of overhead in which a working set is loaded again.
const RELOADS: [OverheadKind; 2] =
    [OverheadKind::CacheRelatedPreemption, OverheadKind::CacheRelatedMigration];

/// The memory accesses of a job, and how long it waited for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct JobMemory {
    task: usize,
    name: String,
    job: u32,
    accesses: u64,
    requests: u64,
    /// Time in which the bus served the job.
    served_ns: u64,
    /// Time in which the job waited while the bus served another processor.
    lost_ns: u64,
}

/// Delays of jobs that loaded a working set again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct CacheDelay {
    #[schemars(extend("enum" = RELOADS.map(OverheadKind::name)))]
    kind: &'static str,
    working_set_bytes: u64,
    /// Other processors that executed jobs when the job went on.
    co_runners: u32,
    samples: u64,
    max_ns: u64,
    mean_ns: u64,
}

/// The memory accesses of the jobs in a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MemoryUse")]
pub struct MemoryUseResult {
    scheduler: String,
    jobs: Vec<JobMemory>,
    delays: Vec<CacheDelay>,
    /// Number of times that a job went on after others had executed.
    resumptions: usize,
    /// Resumptions of jobs whose working set exceeds the cache: no delay is known.
    beyond_the_cache: usize,
}

/// Writes how long the jobs in a schedule of `scheduler` waited for caches and the bus.
pub fn memory_use_of(scenario: &Scenario, scheduler: &str, used: &MemoryUse) -> MemoryUseResult {
    let mhz = scenario.platform.memory.clock_mhz;
    let jobs = used.jobs.iter().map(|(job, counts)| JobMemory {
        task: job.task.index(),
        name: scenario.task_name(job.task).to_owned(),
        job: job.number,
        accesses: counts.accesses,
        requests: counts.requests,
        served_ns: modelled::nanoseconds(counts.served, mhz).as_ns(),
        lost_ns: modelled::nanoseconds(counts.lost, mhz).as_ns(),
    });
    let delays = modelled::delays(used, mhz).into_iter().map(|one| CacheDelay {
        kind: one.kind.name(),
        working_set_bytes: one.working_set,
        co_runners: one.co_runners,
        samples: one.samples,
        max_ns: one.max.as_ns(),
        mean_ns: one.mean.as_ns(),
    });
    MemoryUseResult {
        scheduler: scheduler.to_owned(),
        jobs: jobs.collect(),
        delays: delays.collect(),
        resumptions: used.resumptions.len(),
        beyond_the_cache: used.resumptions.iter().filter(|one| one.delay.is_none()).count(),
    }
}

/// The longest time to load a working set again; None where it is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BesideCharged {
    scheduler: String,
    #[schemars(extend("enum" = RELOADS.map(OverheadKind::name)))]
    kind: &'static str,
    working_set_bytes: u64,
    charged_ns: Option<u64>,
    modelled_ns: Option<u64>,
}

/// Returns the name of the overheads, else their title.
pub(super) fn name_of(overheads: &OverheadsChoice) -> &str {
    overheads.name.as_deref().unwrap_or(&overheads.profile.title)
}

/// Compares, for each working set, the longest time to load it again: as charged to the scheduler of `scenario`, and as
/// the overheads of `model` state it.
pub fn delays_beside(scenario: &Scenario, model: &Scenario) -> Vec<BesideCharged> {
    let is_charged = name_of(&scenario.overheads) != NO_OVERHEADS;
    let sizes: BTreeSet<u64> = scenario.tasks.iter().map(|task| task.working_set).collect();
    let row = |kind: OverheadKind, size: u64| BesideCharged {
        scheduler: scenario.scheduler_name().to_owned(),
        kind: kind.name(),
        working_set_bytes: size,
        charged_ns: is_charged.then(|| longest(scenario, kind, size, false)).flatten(),
        modelled_ns: longest(model, kind, size, true),
    };
    let sizes: Vec<u64> = sizes.into_iter().filter(|size| *size > 0).collect();
    let rows = |kind| sizes.iter().map(move |size| (kind, *size));
    RELOADS.into_iter().flat_map(rows).map(|(kind, size)| row(kind, size)).collect()
}

/// Returns the longest time in ns to load `size` bytes again by the scenario's overheads; `None` if unknown. With
/// `as_stated`, a size between those of the file is unknown.
fn longest(scenario: &Scenario, kind: OverheadKind, size: u64, as_stated: bool) -> Option<u64> {
    let charged = scenario.overheads.profile.charged(scenario.scheduler_name(), scenario.protocol_name());
    let is_known = charged.unknown(Statistic::Max).all(|unknown| unknown != kind);
    let is_stated = || match charged.overheads.get(kind).get(Statistic::Max) {
        Cost::ByWorkingSet(rows) => rows.iter().any(|(stated, _)| *stated == size),
        Cost::Constant(_) | Cost::Linear { .. } | Cost::ByTaskCount(_) | Cost::ByReadyJobs(_) => true,
    };
    let value = || charged.overheads.evaluate(kind, Statistic::Max, scenario.tasks.len(), size).as_ns();
    (is_known && (!as_stated || is_stated())).then(value)
}
