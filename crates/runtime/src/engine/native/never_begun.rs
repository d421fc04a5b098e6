//! Jobs that the kernel ought to have begun.
//!
//! The engine decides by what the kernel recorded, and there a job begins when the kernel has begun it. Of one that
//! the kernel forgets there is no record. So the engine decides once more, as if each task's next job had been ready
//! as soon as it could be: if it then lets the job execute, the kernel should have done so.

use crate::engine::domain::DomainSetup;
use crate::engine::native::begun::begun_jobs;
use crate::record::inputs::EngineInput;
use schedlab_model::{Duration, Instant, JobId, JobSource, TaskId};
use schedlab_sim::{Input, Setup};
use schedlab_trace::{about, Record, Timeline};
use std::collections::{BTreeMap, BTreeSet};

/// An input of a domain, with its job and its time.
type Timed = (Instant, JobId, EngineInput);

/// The jobs of a domain that the kernel did not begin although the engine would have let them execute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NeverBegun {
    pub jobs: u64,
    /// Longest time for which the engine would have let one of them execute.
    pub longest: Duration,
}

/// Finds the jobs that the kernel, by `inputs`, had not begun at `until`, and that would have executed for longer than
/// `allowed` by then. `make` makes the domain's engine.
pub(crate) fn never_begun(
    make: &dyn Fn() -> DomainSetup,
    system: &Setup,
    inputs: &[Timed],
    until: Instant,
    allowed: Duration,
) -> NeverBegun {
    let mut missing = unbegun(make().source, system, inputs);
    missing.retain(|(due, ..)| due.checked_add(allowed).is_some_and(|at| at < until));
    if missing.is_empty() {
        return NeverBegun::default();
    }
    let mut all = inputs.to_vec();
    all.extend(&missing);
    all.sort_by_key(|(at, ..)| *at);
    let records = decided(make(), &Setup { horizon: until, ..system.clone() }, &all);
    let mut found = NeverBegun::default();
    for executes in executions(&records, &missing, until).into_values().filter(|executes| *executes > allowed)
    {
        found.jobs += 1;
        found.longest = found.longest.max(executes);
    }
    found
}

/// What is known of a task.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Number of jobs that began.
    begun: u32,
    /// Arrival of the last one.
    arrival: Option<Instant>,
    /// When that was complete.
    complete: Option<Instant>,
    /// True if no other job follows.
    left: bool,
}

/// The next job of each task that has one and is not busy, as an input at the earliest time at which it could begin.
fn unbegun(mut source: Box<dyn JobSource + Send>, system: &Setup, inputs: &[Timed]) -> Vec<Timed> {
    let mut known = vec![Known::default(); system.tasks.len()];
    for (_, job, what) in inputs {
        if let EngineInput::Began(arrival) = what {
            let own = &mut known[job.task.index()];
            (own.begun, own.arrival) = (own.begun.max(job.number + 1), Some(*arrival));
        }
    }
    for (at, job, what) in inputs {
        let own = &mut known[job.task.index()];
        own.left |= *what == EngineInput::Left;
        if *what == EngineInput::Reported(Input::Complete) && job.number + 1 == own.begun {
            own.complete = Some(*at);
        }
    }
    let mut program = Vec::new();
    let mut missing = Vec::new();
    for (task, own) in (0..).map(TaskId).zip(known) {
        if own.left || own.begun > 0 && own.complete.is_none() {
            continue;
        }
        let mut draw = || source.next_job(task, &mut program);
        let Some(next) = (0..own.begun).try_fold((), |(), _| draw().map(drop)).and_then(|()| draw()) else {
            continue;
        };
        let period = system.tasks[task.index()].period;
        let earliest =
            own.arrival.map_or(Instant::ZERO, |last| last.checked_add(period).unwrap_or(Instant::NEVER));
        let arrival = next.arrival.max(earliest);
        let due = arrival.max(next.release).max(own.complete.unwrap_or(Instant::ZERO));
        missing.push((due, JobId::new(task, own.begun), EngineInput::Began(arrival)));
    }
    missing
}

/// The decisions by `inputs`, of which some may not fit. Whatever a job does after the first one that the engine does
/// not take counts for nothing: so it keeps its processor at least as long as it did, and others get no more.
fn decided(setup: DomainSetup, system: &Setup, inputs: &[Timed]) -> Vec<(Instant, Record)> {
    let setup = DomainSetup { source: begun_jobs(setup.source, system.tasks.len(), inputs), ..setup };
    let mut live = setup.live(system, Timeline::default());
    live.leave_budgets_to_inputs();
    let mut refused: BTreeSet<JobId> = BTreeSet::new();
    for (at, job, what) in inputs.iter().filter(|(at, ..)| *at < system.horizon) {
        match what {
            EngineInput::Reported(_) | EngineInput::Resumed if refused.contains(job) => {}
            EngineInput::Reported(input) => {
                if live.is_spinning(*job) || !live.report(*at, *job, *input) {
                    refused.insert(*job);
                }
            }
            EngineInput::Resumed => live.wake(*at, *job),
            EngineInput::FastSection(_)
            | EngineInput::Called(_)
            | EngineInput::Began(_)
            | EngineInput::Executes(_)
            | EngineInput::Left => {}
        }
    }
    live.finish(system.horizon);
    live.into_sink().records
}

/// For how long each of these jobs is dispatched by `until`.
fn executions(records: &[(Instant, Record)], jobs: &[Timed], until: Instant) -> BTreeMap<JobId, Duration> {
    let mut executes: BTreeMap<JobId, Duration> =
        jobs.iter().map(|(_, job, _)| (*job, Duration::ZERO)).collect();
    let mut since: BTreeMap<JobId, Instant> = BTreeMap::new();
    for (at, record) in records {
        match record {
            Record::Dispatch { job, .. } => drop(since.insert(*job, *at)),
            Record::Preempt { job, .. }
            | Record::Complete { job }
            | Record::Suspend { job, .. }
            | Record::Abort { job } => {
                if let (Some(begin), Some(all)) = (since.remove(job), executes.get_mut(job)) {
                    *all += *at - begin;
                }
            }
            about![
                Arrival, Ready, GiveUp, Miss, Link, Resume, Move, urgencies, requests, attempts, machine
            ] => {}
        }
    }
    for (job, begin) in since {
        if let Some(all) = executes.get_mut(&job) {
            *all += until.saturating_since(begin);
        }
    }
    executes
}
