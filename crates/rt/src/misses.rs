//! Why jobs missed their deadlines in a real run, and why responses took as long as they did.
//!
//! A job that also misses in a simulation without any overhead misses by the schedule itself. Another one is explained if what was
//! visibly taken (see [`crate::ledger`]), since its processors were last idle, is at least its tardiness.

use crate::jobs::{group_of, Jobs};
use crate::ledger::{mostly, Ledger, Taken, Taker};
use schedlab_app::system;
use schedlab_lab::Prepared;
use schedlab_model::{Instant, JobId};
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
    /// Tardy by no more than what was lost: how many, by who took most of it.
    pub of_lost_time: BTreeMap<Taker, usize>,
    /// Neither, with their tardiness and what was lost, in nanoseconds.
    pub unexplained: Vec<(JobId, u64, u64)>,
    /// By task: its longest response.
    pub longest: Vec<Option<Response>>,
}

/// The longest response of a task.
#[derive(Debug)]
pub struct Response {
    job: JobId,
    /// In nanoseconds.
    length: u64,
    /// What was taken since its processors were last idle.
    taken: Taken,
    /// The longest response of the task, each less what was taken meanwhile, in nanoseconds: no response is longer than
    /// that and its own loss.
    less_taken: u64,
}

impl Misses {
    /// How many are explained by what was taken.
    pub fn explained(&self) -> usize {
        self.of_lost_time.values().sum()
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let unexplained = |(job, tardiness, lost): &(JobId, u64, u64)| json!({ "job": job.to_string(), "tardiness_ns": tardiness, "lost_ns": lost });
        json!({
            "of_schedule": self.of_schedule,
            "of_lost_time": self.explained(),
            "lost_mostly_to": by_name(&self.of_lost_time),
            "unexplained": self.unexplained.iter().map(unexplained).collect::<Vec<_>>(),
        })
    }

    /// By task: its longest response, for programs; null for a task without one.
    pub fn longest_json(&self) -> Value {
        let one = |longest: &Option<Response>| {
            longest.as_ref().map(|longest| {
                json!({
                    "job": longest.job.to_string(),
                    "response_ns": longest.length,
                    "lost_ns": longest.taken.values().sum::<u64>(),
                    "lost_to_ns": by_name(&longest.taken),
                    "longest_less_lost_ns": longest.less_taken,
                })
            })
        };
        self.longest.iter().map(one).collect()
    }
}

fn by_name<T: Copy + Into<Value>>(of: &BTreeMap<Taker, T>) -> Value {
    of.iter().map(|(taker, much)| (taker.to_string(), (*much).into())).collect()
}

impl fmt::Display for Misses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = Vec::new();
        if self.of_schedule > 0 {
            said.push(format!("{} by the schedule itself", self.of_schedule));
        }
        let mut by_taker: Vec<_> = self.of_lost_time.iter().collect();
        by_taker.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        if let Some((most, count)) = by_taker.first() {
            let explained = self.explained();
            let of_them = if **count == explained { String::new() } else { format!(" in {count}") };
            said.push(format!("{explained} by lost time, mostly to {most}{of_them}"));
        }
        if !self.unexplained.is_empty() {
            said.push(format!("{} UNEXPLAINED", self.unexplained.len()));
        }
        if said.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", said.join(", "))
    }
}

/// Explains every miss and the longest responses of `outcome`; nothing if the kernel was not asked.
pub fn explain(prepared: &Prepared, outcome: &Outcome) -> Result<Option<Misses>, String> {
    if outcome.witness.is_none() {
        return Ok(None);
    }
    let jobs = Jobs::of(prepared, outcome)?;
    let ledger = Ledger::of(prepared, outcome, &jobs);
    let any = jobs.iter().any(|(_, job)| job.missed);
    let expected = if any { missed_without_overheads(prepared, outcome.end())? } else { BTreeSet::default() };
    let mut found = Misses { longest: prepared.tasks.iter().map(|_| None).collect(), ..Misses::default() };
    for (id, job) in jobs.iter() {
        let taken = ledger.within(group_of(prepared, *id), job.busy_since, job.until);
        let lost: u64 = taken.values().sum();
        if job.missed {
            let tardiness = (job.until - job.absolute_deadline).as_ns();
            if expected.contains(id) {
                found.of_schedule += 1;
            } else if let Some(most) = mostly(&taken).filter(|_| tardiness <= lost) {
                *found.of_lost_time.entry(most.clone()).or_default() += 1;
            } else {
                found.unexplained.push((*id, tardiness, lost));
            }
        }
        if job.complete {
            let length = (job.until - job.arrival).as_ns();
            found.longest[id.task.index()] =
                longer(found.longest[id.task.index()].take(), *id, length, taken);
        }
    }
    Ok(Some(found))
}

/// The longest response so far and this one.
fn longer(before: Option<Response>, job: JobId, length: u64, taken: Taken) -> Option<Response> {
    let less_taken = length.saturating_sub(taken.values().sum());
    let this = Response { job, length, taken, less_taken };
    let Some(before) = before else { return Some(this) };
    let less_taken = before.less_taken.max(less_taken);
    let longest = if before.length < length { this } else { before };
    Some(Response { less_taken, ..longest })
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
