//! What has to be decided by analysis before a scenario can be placed and run: pieces, places, priorities.
//!
//! A scenario may leave these to a rule: which pieces a task that fits nowhere is cut into
//! ([`schedlab_analysis::split`]), where tasks go if a test has a say at each step
//! ([`Packing::place_tested_pinned`](schedlab_workload::placement::Packing::place_tested_pinned)), and which fixed
//! priorities they have ([`schedlab_analysis::priority`]). The scenario that comes out says all of that itself: pieces
//! are tasks of their own, so analysis, simulation, traces and exports need not know of any rule. Overheads are not
//! looked at here, but where the result is analysed.

mod one_processor;
mod pieces;
mod priorities;

use crate::prepare::error::PrepareError;
use one_processor::system;
use pieces::cut;
use schedlab_analysis::registry::find as find_test;
use schedlab_analysis::Answer;
use schedlab_model::{Task, TaskId};
use schedlab_policy::{find, Needs, Scheduler, Scope};
use schedlab_scenario::{complete, packing, pins, Priorities, Scenario, Split};
use std::borrow::Cow;

pub use crate::prepare::error::Unresolved;
pub use crate::prepare::prepared::PieceOf;

/// A scenario that leaves nothing to a rule.
#[derive(Clone, Debug)]
pub struct Resolved<'a> {
    /// The scenario: the given one, if that left nothing to a rule.
    pub scenario: Cow<'a, Scenario>,
    /// By task of it: which piece of which given task it is; empty if none was split.
    pub pieces: Vec<PieceOf>,
    /// Why a simulation of the pieces would not be one of the given tasks, if so.
    pub only_analysis: Option<&'static str>,
    /// Tasks that were placed best-effort, where a test decided places. None is beside pieces of split tasks: those do
    /// not wait for each other only where all processors meet their deadlines.
    pub overflowed: Vec<TaskId>,
}

/// Decides what `scenario` leaves to rules.
pub fn resolve(scenario: &Scenario) -> Result<Resolved<'_>, PrepareError> {
    let scheduler = find(&scenario.scheduler.name).map_err(PrepareError::Scheduler)?;
    resolve_under(scenario, &scheduler)
}

/// As [`resolve`], where the scenario is under `scheduler`.
pub(crate) fn resolve_under<'a>(
    scenario: &'a Scenario,
    scheduler: &Scheduler,
) -> Result<Resolved<'a>, PrepareError> {
    let mut resolved = Resolved {
        scenario: Cow::Borrowed(scenario),
        pieces: Vec::new(),
        only_analysis: None,
        overflowed: Vec::new(),
    };
    let wanted = scenario.scheduler.placement;
    if scheduler.scope == Scope::Partitioned && wanted.split != Split::None {
        let split = cut(scenario, scheduler).map_err(PrepareError::Unresolved)?;
        resolved.scenario = Cow::Owned(split.scenario);
        resolved.pieces = split.pieces;
        resolved.only_analysis = split.only_analysis;
    } else if let Some(test) = wanted.test {
        match scheduler.scope {
            Scope::Partitioned => {
                resolved.overflowed = placed_by_test(resolved.scenario.to_mut(), scheduler, test)?;
            }
            Scope::Clustered => return Err(PrepareError::Unresolved(Unresolved::TestOnClusters(test))),
            Scope::Global => resolved.scenario.to_mut().scheduler.placement.test = None,
        }
    } else if scheduler.scope != Scope::Partitioned && wanted.split != Split::None {
        resolved.scenario.to_mut().scheduler.placement.split = Split::None;
    }
    if scheduler.needs() == Needs::Priority && scenario.scheduler.priorities != Priorities::Given {
        priorities::assign(resolved.scenario.to_mut(), scheduler)?;
    }
    Ok(resolved)
}

/// Gives each task the processor where the test accepts it. Returns those that it accepts nowhere, which are placed
/// best-effort.
fn placed_by_test(
    scenario: &mut Scenario,
    scheduler: &Scheduler,
    name: &'static str,
) -> Result<Vec<TaskId>, PrepareError> {
    scenario.scheduler.placement.test = None;
    let Some(pins) = pins(scenario) else { return Ok(Vec::new()) };
    let test = find_test(name).expect("the scenario's reader allows tests that exist");
    let tasks = ranked(scenario, scheduler)?;
    let mut failure = None;
    let first = system(scenario, scheduler, &tasks, &[TaskId(0)])?;
    if !(test.applies)(&first) {
        return Err(PrepareError::Unresolved(Unresolved::TestUnder(test.name, scheduler.name.clone())));
    }
    let accepts = |_, bin: &[TaskId]| match system(scenario, scheduler, &tasks, bin) {
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
    Ok(placed.overflowed)
}

/// The tasks, with the priorities that a rule gives them; Audsley's algorithm knows them after the placement only.
fn ranked(scenario: &Scenario, scheduler: &Scheduler) -> Result<Vec<Task>, PrepareError> {
    let mut tasks = scenario.model_tasks();
    if scheduler.needs() == Needs::Priority && scenario.scheduler.priorities != Priorities::Given {
        let ranks = priorities::by_rule(scenario, scheduler, &tasks)?.ok_or_else(|| {
            let why =
                "it needs places first, and a test at each step needs priorities; allowed: a rule such as DM";
            PrepareError::Unresolved(Unresolved::Audsley(why.to_owned()))
        })?;
        tasks.iter_mut().zip(ranks).for_each(|(task, rank)| task.fixed_priority = rank);
    }
    Ok(tasks)
}
