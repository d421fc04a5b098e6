//! What has to be decided by analysis before a scenario can be placed and run: pieces, places, priorities.
//!
//! A scenario may leave these to a rule: which pieces a task that fits nowhere is cut into ([`schedlab_analysis::split`]), where tasks go if a
//! test has a say at each step ([`Packing::place_tested_pinned`](schedlab_workload::placement::Packing::place_tested_pinned)), and
//! which fixed priorities they have ([`schedlab_analysis::priority`]). The scenario that comes out says all of that itself: pieces are tasks
//! of their own, so analysis, simulation, traces and exports need not know of any rule. Overheads are not looked at here, but by whoever
//! analyses the result.

mod pieces;
mod priorities;

use crate::analysis::{arrivals_of, describe};
use crate::prepared::PrepareError;
use pieces::cut;
use schedlab_analysis::registry::find as find_test;
use schedlab_analysis::{Answer, Scheduler as Analysed, System};
use schedlab_model::{Duration, Task, TaskId};
use schedlab_policy::{find, Make, Scheduler, Scope};
use schedlab_scenario::{complete, packing, pins, Priorities, Scenario, Split};
use std::borrow::Cow;

pub use pieces::PieceOf;

/// A scenario that leaves nothing to a rule.
#[derive(Clone, Debug)]
pub struct Resolved<'a> {
    /// The scenario: the given one, if that left nothing to a rule.
    pub scenario: Cow<'a, Scenario>,
    /// By task of it: which piece of which given task it is; empty if none was split.
    pub pieces: Vec<PieceOf>,
    /// Why a simulation of the pieces would not be one of the given tasks, if so.
    pub only_analysis: Option<&'static str>,
}

/// Why a rule decides nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// Tasks are split under partitioned preemptive EDF only.
    SplitUnder(String),
    /// The split says where tasks run, and so does this one.
    SplitAndGiven(String),
    /// Pieces need jobs that begin at their offsets: no requests, suspension or jitter.
    SplitDisturbed,
    /// The work budget ended first.
    Spent,
    /// These fit on no processor, even split.
    NotSplit(Vec<String>),
    /// This test says nothing of a processor under this scheduler.
    TestUnder(&'static str, String),
    /// Tasks are placed on processors, not on clusters of several.
    TestOnClusters(&'static str),
    /// Audsley's algorithm cannot ask a test here.
    Audsley(String),
    /// No order of priorities is accepted for the tasks of this cluster.
    NoOrder(u16, &'static str),
}

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unresolved::SplitUnder(name) => write!(
                f,
                "split in [scheduler.placement] under \"{name}\": pieces are scheduled by EDF on each processor; allowed: P-EDF"
            ),
            Unresolved::SplitAndGiven(task) => write!(
                f,
                "split in [scheduler.placement] says where tasks run, and task \"{task}\" names processors; allowed: one of the two"
            ),
            Unresolved::SplitDisturbed => write!(
                f,
                "split in [scheduler.placement]: pieces have to begin at their offsets; allowed: tasks without programs, \
                 self-suspension and jitter, released by timer"
            ),
            Unresolved::Spent => write!(f, "[scheduler.placement]: the work budget was spent"),
            Unresolved::NotSplit(names) => {
                write!(f, "{} of the tasks fit on no processor, even split: {}", names.len(), names.join(", "))
            }
            Unresolved::TestUnder(test, name) => write!(
                f,
                "test = \"{test}\" in [scheduler.placement] says nothing of a processor under \"{name}\""
            ),
            Unresolved::TestOnClusters(test) => write!(
                f,
                "test = \"{test}\" in [scheduler.placement] is for one processor; allowed under partitioned schedulers"
            ),
            Unresolved::Audsley(why) => write!(f, "priorities = \"Audsley\" in [scheduler]: {why}"),
            Unresolved::NoOrder(cluster, test) => write!(
                f,
                "no order of fixed priorities for the tasks of cluster {cluster} is accepted by {test}"
            ),
        }
    }
}

impl std::error::Error for Unresolved {}

/// Decides what `scenario` leaves to rules.
pub fn resolve(scenario: &Scenario) -> Result<Resolved<'_>, PrepareError> {
    let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
    let mut resolved =
        Resolved { scenario: Cow::Borrowed(scenario), pieces: Vec::new(), only_analysis: None };
    let wanted = scenario.scheduler.placement;
    if scheduler.scope == Scope::Partitioned && wanted.split != Split::None {
        let split = cut(scenario, &scheduler).map_err(PrepareError::Unresolved)?;
        resolved.scenario = Cow::Owned(split.scenario);
        resolved.pieces = split.pieces;
        resolved.only_analysis = split.only_analysis;
    } else if let Some(test) = wanted.test {
        match scheduler.scope {
            Scope::Partitioned => placed_by_test(resolved.scenario.to_mut(), &scheduler, test)?,
            Scope::Clustered => return Err(PrepareError::Unresolved(Unresolved::TestOnClusters(test))),
            Scope::Global => resolved.scenario.to_mut().scheduler.placement.test = None,
        }
    } else if scheduler.scope != Scope::Partitioned && wanted.split != Split::None {
        resolved.scenario.to_mut().scheduler.placement.split = Split::None;
    }
    let fixed = matches!(scheduler.make, Make::Clustered { order, .. } if order.name == "FP");
    if fixed && scenario.scheduler.priorities != Priorities::Given {
        priorities::assign(resolved.scenario.to_mut(), &scheduler)?;
    }
    Ok(resolved)
}

/// The tasks as a test of one processor sees them.
fn system(
    scenario: &Scenario,
    scheduler: &Scheduler,
    tasks: &[Task],
    ids: &[TaskId],
) -> Result<System, PrepareError> {
    let Make::Clustered { order, preemptive } = scheduler.make else {
        return Err(PrepareError::Unresolved(Unresolved::TestUnder("a test", scheduler.name.clone())));
    };
    let (order, ranks) = describe(order.name, tasks);
    let analysed = Analysed { order, preemptive, ranks: &ranks, arrivals: arrivals_of(scenario) };
    let delay = match scenario.platform.releases {
        schedlab_model::ReleasePoint::Timer => Duration::ZERO,
        schedlab_model::ReleasePoint::Tick => scenario.platform.quantum,
    };
    System::new(tasks, ids.iter().copied(), 1, &analysed, delay).map_err(PrepareError::Analysis)
}

/// Gives each task the processor where the test accepts it.
fn placed_by_test(
    scenario: &mut Scenario,
    scheduler: &Scheduler,
    name: &'static str,
) -> Result<(), PrepareError> {
    scenario.scheduler.placement.test = None;
    let Some(pins) = pins(scenario) else { return Ok(()) };
    let test = find_test(name).expect("the scenario's reader allows tests that exist");
    let tasks = ranked(scenario, scheduler)?;
    let mut failure = None;
    let first = system(scenario, scheduler, &tasks, &[TaskId(0)])?;
    if !(test.applies)(&first) {
        return Err(PrepareError::Unresolved(Unresolved::TestUnder(test.name, scheduler.name.clone())));
    }
    let accepts = |bin: &[TaskId]| match system(scenario, scheduler, &tasks, bin) {
        Ok(system) => (test.run)(&system).answer == Answer::Schedulable,
        Err(error) => {
            failure.get_or_insert(error);
            false
        }
    };
    let placed = packing(scenario).place_tested_pinned(&tasks, scenario.platform.processors, &pins, accepts);
    if let Some(error) = failure {
        return Err(error);
    }
    let placed =
        placed.map_err(|error| PrepareError::Placement(schedlab_scenario::PlaceError::Packing(error)))?;
    complete(scenario, &placed).map_err(PrepareError::Placement)?;
    for (spec, cpu) in scenario.tasks.iter_mut().zip(placed.cpus()) {
        spec.processor = cpu.map(|cpu| cpu.0);
    }
    Ok(())
}

/// The tasks, with the priorities that a rule gives them; Audsley's algorithm knows them after the placement only.
fn ranked(scenario: &Scenario, scheduler: &Scheduler) -> Result<Vec<Task>, PrepareError> {
    let mut tasks = scenario.model_tasks();
    let fixed = matches!(scheduler.make, Make::Clustered { order, .. } if order.name == "FP");
    if fixed && scenario.scheduler.priorities != Priorities::Given {
        let ranks = priorities::by_rule(scenario, scheduler, &tasks)?.ok_or_else(|| {
            let why =
                "it needs places first, and a test at each step needs priorities; allowed: a rule such as DM";
            PrepareError::Unresolved(Unresolved::Audsley(why.to_owned()))
        })?;
        tasks.iter_mut().zip(ranks).for_each(|(task, rank)| task.fixed_priority = rank);
    }
    Ok(tasks)
}
