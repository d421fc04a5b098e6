//! What a bound on a response time is made of.
//!
//! Own work, own jitter and suspension are what the model says; overheads on the own cost are told by kind and blocking by resource
//! ([`shares`]). Interference
//! by task is known where the bound is a fixed point of response-time analysis on one processor: there, each more urgent task
//! counts ceil((R + J) / T) times, and the parts add up exactly. Elsewhere the rest is interference by all others together:
//! the tests for several processors bound it as a whole.

mod shares;

use crate::accounting::OverheadOutcome;
use crate::analysis::ScenarioAnalysis;
use crate::prepared::Prepared;
use schedlab_analysis::ClusterAnalysis;
use schedlab_model::{Duration, Task, TaskId};
use schedlab_policy::Make;

/// A part of a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is, such as "own work" or "interference by t3".
    pub what: String,
    /// How long.
    pub length: Duration,
}

/// What a task's bound is made of: the parts add up to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// Whose.
    pub task: TaskId,
    /// The bound on its response time.
    pub bound: Duration,
    /// What it is made of; nothing that is zero.
    pub parts: Vec<Part>,
}

/// The breakdown of each task that has a bound.
pub fn explain(prepared: &Prepared, found: &ScenarioAnalysis) -> Vec<Breakdown> {
    let Some(analysis) = &found.analysis else { return Vec::new() };
    let tasks = match &found.overheads {
        OverheadOutcome::Inflated(tasks) => tasks,
        OverheadOutcome::None | OverheadOutcome::NotAccounted(_) => &prepared.tasks,
    };
    let of_kinds = match &found.overheads {
        OverheadOutcome::Inflated(tasks) => shares::of_kinds(prepared, tasks),
        OverheadOutcome::None | OverheadOutcome::NotAccounted(_) => None,
    };
    let of_resources =
        analysis.blocking.as_ref().and_then(|blocking| shares::of_resources(prepared, blocking));
    let blame = Blame { of_kinds, of_resources };
    let explained = analysis.clusters.iter().flat_map(|cluster| {
        cluster.tasks.iter().filter_map(|id| {
            let bound = analysis.response_times[id.index()]?;
            let blocking = analysis.blocking.as_ref().and_then(|blocking| {
                let terms = &blocking.terms[id.index()];
                Some((terms.remote?, terms.local))
            });
            Some(breakdown(prepared, tasks, cluster, *id, bound, blocking.unwrap_or((0, 0)), &blame))
        })
    });
    let mut all: Vec<Breakdown> = explained.collect();
    all.sort_by_key(|one| one.task);
    all
}

/// Who is to blame, where that is known.
struct Blame {
    of_kinds: Option<shares::Shares>,
    of_resources: Option<shares::Shares>,
}

fn breakdown(
    prepared: &Prepared,
    tasks: &[Task],
    cluster: &ClusterAnalysis,
    id: TaskId,
    bound: Duration,
    (remote, local): (u64, u64),
    blame: &Blame,
) -> Breakdown {
    let (given, counted) = (&prepared.tasks[id.index()], &tasks[id.index()]);
    let own = given.wcet.as_ns();
    let named = |what: &str, length| (what.to_owned(), length);
    let mut known = vec![
        named("own work", own),
        named("own jitter", counted.jitter.as_ns()),
        named("own suspension", given.suspension_bound().as_ns()),
    ];
    let overheads = counted.wcet.as_ns().saturating_sub(own);
    let of_kinds = shares::of_task(blame.of_kinds.as_ref(), id, overheads);
    known.extend(of_kinds.unwrap_or_else(|| vec![named("overheads, charged to the own cost", overheads)]));
    let of_resources = shares::of_task(blame.of_resources.as_ref(), id, remote.saturating_add(local));
    known.extend(of_resources.unwrap_or_else(|| {
        vec![named("blocking by other processors", remote), named("blocking on the own processor", local)]
    }));
    let mut left = bound.as_ns();
    let mut parts = Vec::new();
    for (what, length) in known {
        let length = length.min(left);
        left -= length;
        parts.push(Part { what, length: Duration::from_ns(length) });
    }
    let by_task = interference(prepared, tasks, cluster, id, bound.as_ns());
    if by_task.iter().map(|(_, length)| length).sum::<u128>() == u128::from(left) {
        for (other, length) in by_task {
            let what = format!("interference by {}", prepared.scenario.tasks[other.index()].name);
            parts.push(Part { what, length: Duration::from_ns(length as u64) });
        }
    } else {
        let what = "interference by all others, bounded as a whole".to_owned();
        parts.push(Part { what, length: Duration::from_ns(left) });
    }
    parts.retain(|part| !part.length.is_zero());
    Breakdown { task: id, bound, parts }
}

/// What each more urgent task takes in a busy window of fixed-priority analysis on one processor; empty elsewhere.
fn interference(
    prepared: &Prepared,
    tasks: &[Task],
    cluster: &ClusterAnalysis,
    id: TaskId,
    bound: u64,
) -> Vec<(TaskId, u128)> {
    let Make::Clustered { order, preemptive: true } = prepared.scheduler.make else { return Vec::new() };
    let rank = |task: TaskId| {
        let given = &prepared.tasks[task.index()];
        match order.name {
            "RM" => Some((given.period.as_ns(), task)),
            "DM" => Some((given.relative_deadline.as_ns(), task)),
            "FP" => Some((given.fixed_priority.into(), task)),
            _ => None,
        }
    };
    let (1, Some(own)) = (cluster.processors, rank(id)) else { return Vec::new() };
    let window = u128::from(bound.saturating_sub(tasks[id.index()].jitter.as_ns()));
    let more_urgent = cluster.tasks.iter().filter(|other| rank(**other).is_some_and(|rank| rank < own));
    let taken = more_urgent.map(|other| {
        let task = &tasks[other.index()];
        let jobs = (window + u128::from(task.jitter.as_ns())).div_ceil(task.period.as_ns().into());
        (*other, jobs * u128::from(task.wcet.as_ns()))
    });
    taken.collect()
}
