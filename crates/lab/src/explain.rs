//! What a bound on a response time is made of.
//!
//! Own work, own jitter and suspension are what the model says; overheads on the own cost are given by kind and
//! blocking, or the retries of lock-free operations, by resource ([`shares`]). Interference by task is what the
//! analysis counts that gives the bound: under fixed priorities on one processor each more urgent task's ceil((R + J) /
//! T) jobs, elsewhere as [`schedlab_analysis::interference`] says. Where no analysis counts by task, the rest is
//! interference by all others together. Either way the parts add up to the bound.

mod shares;
pub mod staggered_events;
mod term;
pub mod windows;

pub use term::Term;

use crate::prepare::accounting::OverheadOutcome;
use crate::prepare::prepared::Prepared;
use crate::verdict::analysis::{counted, ScenarioAnalysis};
use schedlab_analysis::interference::{self, Delay, Tightest};
use schedlab_analysis::{systems, ClusterAnalysis, System};
use schedlab_model::{ClusterId, Duration, LockingClass, OrderClass, Task, TaskId};

/// A part of a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundPart {
    /// What it is.
    pub what: Term,
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
    pub parts: Vec<BoundPart>,
}

/// By cluster of one processor under preemptive EDF: the interval that is exhausted most, and who demands it.
pub fn demands(prepared: &Prepared) -> Vec<(ClusterId, Tightest)> {
    let all = systems_of(prepared).into_iter().enumerate();
    all.filter_map(|(index, one)| Some((ClusterId(index as u16), interference::tightest(&one)?))).collect()
}

/// What is analysed, by cluster; nothing if it cannot be.
fn systems_of(prepared: &Prepared) -> Vec<System> {
    let Ok(counted) = counted(prepared) else { return Vec::new() };
    systems(&counted.tasks, &prepared.platform, &counted.scheduler()).unwrap_or_default()
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
    let blame = Blame { of_kinds, of_resources, systems: systems_of(prepared) };
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
    systems: Vec<System>,
}

impl Blame {
    /// What delays the task, if that is known of this very bound.
    fn delay(&self, cluster: &ClusterAnalysis, id: TaskId, bound: Duration) -> Option<Delay> {
        let system = self.systems.get(cluster.cluster.index())?;
        let index = system.tasks.iter().position(|task| task.id == id)?;
        interference::of(system, index).filter(|delay| delay.bound == bound.as_ns())
    }
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
    // An arrival may be noticed so much later.
    let unnoticed = given.relative_deadline.as_ns().saturating_sub(counted.relative_deadline.as_ns());
    let noticed = Duration::from_ns(bound.as_ns().saturating_sub(unnoticed));
    let delay = blame.delay(cluster, id, noticed);
    let jitter = delay.as_ref().map_or(counted.jitter.as_ns(), |delay| delay.jitter);
    let suspension = given.suspension_bound().as_ns();
    let mut known = vec![(Term::OwnWork, own), (Term::OwnJitter, jitter), (Term::OwnSuspension, suspension)];
    let overheads = counted.wcet.as_ns().saturating_sub(own);
    let of_kinds = shares::of_task(blame.of_kinds.as_ref(), id, overheads);
    known.extend(of_kinds.unwrap_or_else(|| vec![(Term::Overheads, overheads)]));
    known.push((Term::Overheads, unnoticed));
    let of_resources = shares::of_task(blame.of_resources.as_ref(), id, remote.saturating_add(local));
    known.extend(of_resources.unwrap_or_else(|| {
        match prepared.protocol.class == LockingClass::LockFree {
            // Failed attempts stand in one number, from any processor.
            true => vec![(Term::Retries, remote.saturating_add(local))],
            false => vec![(Term::BlockingByOthers, remote), (Term::BlockingHere, local)],
        }
    }));
    let mut left = bound.as_ns();
    let mut parts = Vec::new();
    for (what, length) in known {
        let length = length.min(left);
        left -= length;
        parts.push(BoundPart { what, length: Duration::from_ns(length) });
    }
    let by_task: Vec<(TaskId, u128)> = match delay {
        Some(delay) => delay.by.into_iter().map(|(other, length)| (other, length.into())).collect(),
        None => by_more_urgent(prepared, tasks, cluster, id, noticed),
    };
    if by_task.iter().map(|(_, length)| length).sum::<u128>() == u128::from(left) {
        for (other, length) in by_task {
            let what = if other == id { Term::EarlierJobs } else { Term::Interference(other) };
            parts.push(BoundPart { what, length: Duration::from_ns(length as u64) });
        }
    } else {
        parts.push(BoundPart { what: Term::AllOthers, length: Duration::from_ns(left) });
    }
    parts.retain(|part| !part.length.is_zero());
    Breakdown { task: id, bound, parts }
}

/// What each more urgent task takes under fixed priorities on one processor; empty elsewhere.
fn by_more_urgent(
    prepared: &Prepared,
    tasks: &[Task],
    cluster: &ClusterAnalysis,
    id: TaskId,
    bound: Duration,
) -> Vec<(TaskId, u128)> {
    let scheduler = &prepared.scheduler;
    let OrderClass::Fixed(key) = scheduler.class() else { return Vec::new() };
    if !scheduler.is_preemptive() || cluster.processors != 1 {
        return Vec::new();
    }
    let rank = |task: TaskId| (key(&prepared.tasks[task.index()]), task);
    let more_urgent = cluster.tasks.iter().copied().filter(|other| rank(*other) < rank(id));
    let jitter = tasks[id.index()].jitter.as_ns();
    let window = Duration::from_ns(bound.as_ns().saturating_sub(jitter));
    interference::in_busy_window(tasks, more_urgent, window)
}
