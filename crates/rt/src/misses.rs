//! Why jobs missed their deadlines in a real run.
//!
//! A job that also misses in a simulation without any overhead misses by the schedule itself. Another one is explained if the
//! processor time that was visibly lost, since its processors were last idle, is at least its tardiness: time that a decision
//! gave to a task and the kernel to somebody else, or to nobody while the thread was on its way; and time that jobs executed for
//! beyond their costs, because the machine was slower than when the workload was calibrated.

use schedlab_app::system;
use schedlab_lab::Prepared;
use schedlab_model::{ClusterId, CpuId, Instant, JobId};
use schedlab_runtime::Outcome;
use schedlab_sim::{simulate_watched, Setup};
use schedlab_trace::{Record, Timeline};
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The missed deadlines of a run, by why.
#[derive(Debug, Default)]
pub struct Misses {
    /// Missed in a simulation without overheads, too.
    pub of_schedule: usize,
    /// Tardy by no more than what was lost.
    pub of_lost_time: usize,
    /// Neither, with their tardiness and what was lost, in nanoseconds.
    pub unexplained: Vec<(JobId, u64, u64)>,
}

impl Misses {
    /// For programs.
    pub fn to_json(&self) -> Value {
        let unexplained = |(job, tardiness, lost): &(JobId, u64, u64)| json!({ "job": job.to_string(), "tardiness_ns": tardiness, "lost_ns": lost });
        json!({
            "of_schedule": self.of_schedule,
            "of_lost_time": self.of_lost_time,
            "unexplained": self.unexplained.iter().map(unexplained).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Misses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.of_schedule, "by the schedule itself"),
            (self.of_lost_time, "by lost time"),
            (self.unexplained.len(), "UNEXPLAINED"),
        ];
        let said = parts.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}"));
        let said: Vec<String> = said.collect();
        if said.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", said.join(", "))
    }
}

/// A job of the run.
#[derive(Clone, Copy, Debug)]
struct Ran {
    cost: u64,
    absolute_deadline: Instant,
    /// Its processors were idle until then.
    busy_since: Instant,
    /// When it was complete, or the run ended.
    until: Instant,
    missed: bool,
}

/// Explains every miss of `outcome`; nothing if the kernel was not asked.
pub fn explain(prepared: &Prepared, outcome: &Outcome) -> Result<Option<Misses>, String> {
    if outcome.witness.is_none() {
        return Ok(None);
    }
    let jobs = jobs(prepared, outcome);
    if !jobs.values().any(|job| job.missed) {
        return Ok(Some(Misses::default()));
    }
    let expected = missed_without_overheads(prepared, outcome.end())?;
    let lost = outcome.lost();
    let stretched = stretched(outcome, &jobs);
    let mut found = Misses::default();
    for (id, job) in jobs.iter().filter(|(_, job)| job.missed) {
        if expected.contains(id) {
            found.of_schedule += 1;
            continue;
        }
        let group = group_of(prepared, *id);
        let here = |processor: usize| {
            let at = outcome.processors.iter().position(|other| *other == processor);
            at.is_some_and(|at| group_of_cpu(prepared, CpuId(at as u16)) == group)
        };
        let within =
            |from: Instant, to: Instant| to.min(job.until).saturating_since(from.max(job.busy_since)).as_ns();
        let taken: u64 =
            lost.iter().filter(|one| here(one.processor)).map(|one| within(one.from, one.to)).sum();
        let longer: u64 = stretched
            .iter()
            .filter(|(other, from, to, _)| group_of(prepared, *other) == group && within(*from, *to) > 0)
            .map(|(.., extra)| extra)
            .sum();
        let tardiness = (job.until - job.absolute_deadline).as_ns();
        if tardiness <= taken + longer {
            found.of_lost_time += 1;
        } else {
            found.unexplained.push((*id, tardiness, taken + longer));
        }
    }
    Ok(Some(found))
}

/// Jobs of one group wait for each other: those of a cluster, or all if there is something to lock.
fn group_of(prepared: &Prepared, job: JobId) -> ClusterId {
    let cluster = prepared.tasks[job.task.index()].cluster;
    if prepared.resources.is_empty() {
        cluster
    } else {
        ClusterId(0)
    }
}

fn group_of_cpu(prepared: &Prepared, cpu: CpuId) -> ClusterId {
    if prepared.resources.is_empty() {
        prepared.platform.cluster_of(cpu)
    } else {
        ClusterId(0)
    }
}

fn jobs(prepared: &Prepared, outcome: &Outcome) -> BTreeMap<JobId, Ran> {
    let mut jobs = BTreeMap::new();
    // By group: how many jobs are there, and since when at least one.
    let mut pending: BTreeMap<ClusterId, (usize, Instant)> = BTreeMap::new();
    for (at, record) in &outcome.decisions {
        match *record {
            Record::Arrival { job, absolute_deadline, cost } => {
                let (count, since) = pending.entry(group_of(prepared, job)).or_default();
                if *count == 0 {
                    *since = *at;
                }
                *count += 1;
                let (cost, until) = (cost.as_ns(), outcome.end());
                jobs.insert(job, Ran { cost, absolute_deadline, busy_since: *since, until, missed: false });
            }
            Record::Complete { job } | Record::Abort { job } => {
                let (count, _) = pending.entry(group_of(prepared, job)).or_default();
                *count = count.saturating_sub(1);
                if let Some(ran) = jobs.get_mut(&job) {
                    ran.until = *at;
                }
            }
            Record::Miss { job } => {
                if let Some(ran) = jobs.get_mut(&job) {
                    ran.missed = true;
                }
            }
            _ => {}
        }
    }
    jobs
}

fn missed_without_overheads(prepared: &Prepared, horizon: Instant) -> Result<BTreeSet<JobId>, String> {
    let setup = Setup { horizon, ..system::setup(prepared) };
    let failed = |error: schedlab_lab::PrepareError| error.to_string();
    let policies = prepared.policies().map_err(failed)?;
    let locks = prepared.locks().map_err(failed)?;
    let source = prepared.source().map_err(failed)?;
    let mut timeline = Timeline::default();
    simulate_watched(setup, policies, locks, source, &mut timeline, &mut |_| true);
    let missed = |(_, record): &(Instant, Record)| match record {
        Record::Miss { job } => Some(*job),
        _ => None,
    };
    Ok(timeline.records.iter().filter_map(missed).collect())
}

/// Jobs that executed for longer than their costs, when, and how much longer: by the kernel's word, less what they spun.
fn stretched(outcome: &Outcome, jobs: &BTreeMap<JobId, Ran>) -> Vec<(JobId, Instant, Instant, u64)> {
    let mut found = Vec::new();
    let mut spun: BTreeMap<JobId, u64> = BTreeMap::new();
    let mut spins: BTreeMap<JobId, Instant> = BTreeMap::new();
    for (at, record) in &outcome.decisions {
        match *record {
            Record::Spin { job, .. } => drop(spins.insert(job, *at)),
            Record::Acquire { job, .. } => {
                if let Some(since) = spins.remove(&job) {
                    *spun.entry(job).or_default() += (*at - since).as_ns();
                }
            }
            _ => {}
        }
    }
    let executed = outcome.executed();
    let mut before: BTreeMap<_, Instant> = BTreeMap::new();
    for (id, job) in jobs {
        let from = before.insert(id.task, job.until).unwrap_or(Instant::ZERO);
        let mine = &executed[id.task.index()];
        let first = mine.partition_point(|(_, end)| *end <= from);
        let mine = mine[first..].iter().take_while(|(begin, _)| *begin < job.until);
        let length =
            |(begin, end): &(Instant, Instant)| (*end).min(job.until).saturating_since((*begin).max(from));
        let ran: u64 = mine.map(|span| length(span).as_ns()).sum();
        let extra = ran.saturating_sub(job.cost + spun.get(id).copied().unwrap_or(0));
        if extra > 0 {
            found.push((*id, from, job.until, extra));
        }
    }
    found
}
