//! Breakdown of bounds on response times into parts.
//!
//! Own work, own jitter and suspension are the task's parameters. Overheads on the own cost are divided by kind,
//! retries of lock-free operations by resource ([`shares`]), and blocking by the sections that the bound counts
//! ([`schedlab_analysis::blocking::parts`]). Interference is divided by task as the bound's own analysis counts it.
//! Under fixed priorities on one processor, that is each more urgent task's ceil((R + J) / T) jobs, elsewhere as
//! [`schedlab_analysis::interference`] says. If no analysis counts by task, the rest is interference by all others
//! together. In each case the parts add up to the bound.

mod shares;
pub mod staggered_events;
mod term;
pub mod windows;

pub use term::Term;

use crate::prepare::accounting::OverheadOutcome;
use crate::prepare::prepared::Prepared;
use crate::verdict::analysis::{counted, with_locking, ScenarioAnalysis};
use schedlab_analysis::blocking::{parts, Blocking, Case, DelayingSection};
use schedlab_analysis::interference::{self, Delay, Tightest};
use schedlab_analysis::{systems, Analysis, Bounds, ClusterAnalysis, System, Verdict};
use schedlab_model::{ClusterId, Duration, LockingClass, OrderClass, Task, TaskId};

/// A part of a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundPart {
    /// The cause of the delay.
    pub what: Term,
    /// The length of the part.
    pub length: Duration,
}

/// The parts of a task's bound, which add up to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// The task.
    pub task: TaskId,
    /// The bound on the task's response time.
    pub bound: Duration,
    /// The parts of the bound, without those of length zero.
    pub parts: Vec<BoundPart>,
}

/// Returns, by cluster of one processor under preemptive EDF, the interval with the least room, and each task's demand
/// in it.
pub fn demands(prepared: &Prepared) -> Vec<(ClusterId, Tightest)> {
    let all = systems_of(prepared).into_iter().enumerate();
    all.filter_map(|(index, one)| Some((ClusterId(index as u16), interference::tightest(&one)?))).collect()
}

/// Returns the analysed systems by cluster; empty if the scenario cannot be analysed.
fn systems_of(prepared: &Prepared) -> Vec<System> {
    let Ok(counted) = counted(prepared) else { return Vec::new() };
    systems(&counted.tasks, &prepared.platform, &counted.scheduler()).unwrap_or_default()
}

/// Returns the breakdown of the bound of each task that has one, by task.
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
    let retried = analysis.blocking.as_ref().filter(|_| prepared.retries());
    let of_resources = retried.and_then(|blocking| shares::of_resources(prepared, blocking));
    let blocked = analysis.blocking.as_ref().filter(|_| prepared.protocol.class != LockingClass::LockFree);
    let sections = blocked.map_or(Vec::new(), |found| sections(prepared, found));
    let blame = Blame { of_kinds, of_resources, sections, systems: systems_of(prepared) };
    let explained = analysis.clusters.iter().flat_map(|cluster| {
        cluster.tasks.iter().filter_map(|id| {
            let bound = analysis.response_times[id.index()]?;
            let blocking = blocking_of(analysis, cluster, *id, bound);
            Some(breakdown(prepared, tasks, cluster, *id, bound, blocking, &blame))
        })
    });
    let mut all: Vec<Breakdown> = explained.collect();
    all.sort_by_key(|one| one.task);
    all
}

/// The blocking that a task's bound counts, in ns.
#[derive(Clone, Copy, Default)]
struct Blocked {
    remote: u64,
    local: u64,
    /// True if the blocking is by the method whose sections are known.
    is_first: bool,
}

/// Returns the blocking by the method that gives the task's bound; by the first one, if the bound is not a method's.
fn blocking_of(analysis: &Analysis, cluster: &ClusterAnalysis, id: TaskId, bound: Duration) -> Blocked {
    let gives = |blocking: &&Blocking| {
        let place = cluster.tasks.iter().position(|task| *task == id);
        let of = |verdict: &Verdict| match &verdict.bounds {
            Bounds::ResponseTime(bounds) => bounds[place?],
            Bounds::None | Bounds::Tardiness(_) => None,
        };
        let by_it = cluster.verdicts.iter().filter(|verdict| verdict.test == blocking.method);
        by_it.filter_map(of).any(|found| found == bound)
    };
    let (first, more) = (analysis.blocking.as_ref(), &analysis.more_blocking);
    let given = first.into_iter().chain(more).find(gives);
    let Some(found) = given.or(first) else { return Blocked::default() };
    let terms = &found.terms[id.index()];
    let is_first = given.is_some_and(|given| first.is_some_and(|first| std::ptr::eq(first, given)));
    terms.remote.map_or(Blocked::default(), |remote| Blocked { remote, local: terms.local, is_first })
}

/// Returns, by task, the sections that make up its bound on blocking; empty if the method does not tell them apart.
fn sections(prepared: &Prepared, blocking: &Blocking) -> Vec<Vec<DelayingSection>> {
    let Ok(counted) = counted(prepared) else { return Vec::new() };
    let (tasks, platform, scheduler) = (&counted.tasks, &prepared.platform, &counted.scheduler());
    with_locking(prepared, |locking| {
        parts::of_terms(blocking.method, &Case { tasks, platform, scheduler, locking }, &blocking.terms)
    })
}

/// Causes of delay, as far as they are known.
struct Blame {
    of_kinds: Option<shares::Shares>,
    of_resources: Option<shares::Shares>,
    sections: Vec<Vec<DelayingSection>>,
    systems: Vec<System>,
}

impl Blame {
    /// Returns the delays of the task, if the analysis of interference gives this very bound.
    fn delay(&self, cluster: &ClusterAnalysis, id: TaskId, bound: Duration) -> Option<Delay> {
        let system = self.systems.get(cluster.cluster.index())?;
        let index = system.tasks.iter().position(|task| task.id == id)?;
        interference::of(system, index).filter(|delay| delay.bound == bound.as_ns())
    }

    /// Returns the parts of a task's blocking, in ns.
    fn blocking(&self, prepared: &Prepared, id: TaskId, blocked: Blocked) -> Vec<(Term, u64)> {
        let Blocked { remote, local, is_first } = blocked;
        let whole = remote.saturating_add(local);
        let sections = self.sections.get(id.index()).filter(|sections| is_first && !sections.is_empty());
        if let Some(sections) = sections {
            let sum = sections.iter().map(DelayingSection::total).fold(0, u64::saturating_add);
            let part = |&DelayingSection { task, resource, length, count }: &DelayingSection| {
                (Term::Blocking { task, resource, count }, length.saturating_mul(count))
            };
            // Retries of operations on lock-free objects come on top of the sections.
            let retries = whole.saturating_sub(sum);
            let told = shares::of_task(self.of_resources.as_ref(), id, retries);
            let told = told.unwrap_or_else(|| vec![(Term::Retries, retries)]);
            return sections.iter().map(part).chain(told).collect();
        }
        shares::of_task(self.of_resources.as_ref(), id, whole).unwrap_or_else(|| {
            match prepared.protocol.class == LockingClass::LockFree {
                // Failed attempts are counted as one number, whatever processor caused them.
                true => vec![(Term::Retries, whole)],
                false => vec![(Term::BlockingByOthers, remote), (Term::BlockingHere, local)],
            }
        })
    }
}

fn breakdown(
    prepared: &Prepared,
    tasks: &[Task],
    cluster: &ClusterAnalysis,
    id: TaskId,
    bound: Duration,
    blocked: Blocked,
    blame: &Blame,
) -> Breakdown {
    let (given, counted) = (&prepared.tasks[id.index()], &tasks[id.index()]);
    let own = given.wcet.as_ns();
    // An arrival may be noticed later by as much as accounting has shortened the relative deadline.
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
    known.extend(blame.blocking(prepared, id, blocked));
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

/// Returns the time that each more urgent task takes under fixed priorities on one processor; empty elsewhere.
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
