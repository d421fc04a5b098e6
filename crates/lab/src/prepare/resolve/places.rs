//! Placement by tests: by one that the scenario names, or by the default placement.

use super::one_processor::system;
use super::priorities;
use crate::prepare::error::{PrepareError, Unresolved};
use schedlab_analysis::decide::{meets_deadlines, Scratch};
use schedlab_analysis::registry::find as find_test;
use schedlab_analysis::uniprocessor::{nonpreemptive_edf, nonpreemptive_fp, qpa, response_time};
use schedlab_analysis::{Answer, Test};
use schedlab_model::{OrderClass, Task, TaskId};
use schedlab_policy::{Needs, Scheduler, Scope};
use schedlab_scenario::{complete, packing, pins, place, PlaceError, Priorities, Scenario, Split};
use schedlab_workload::placement::{Fit, Overflow, Packing, Pin, TaskPlaces};
use std::borrow::Cow;

/// Largest number of tasks for which a default placement asks tests. For more it would take too long, and small tasks
/// are placed well by their utilizations.
const MOST_TASKS: usize = 256;

/// Returns the test that is exact for sporadic tasks on one processor under this scheduler, if there is one.
pub(crate) fn exact_test(scheduler: &Scheduler) -> Option<&'static Test> {
    match (scheduler.class(), scheduler.is_preemptive()) {
        (OrderClass::Deadline, true) => Some(&qpa::TEST),
        (OrderClass::Deadline, false) => Some(&nonpreemptive_edf::DEMAND),
        (OrderClass::Fixed(_), true) => Some(&response_time::TEST),
        (OrderClass::Fixed(_), false) => Some(&nonpreemptive_fp::TEST),
        (
            OrderClass::FixedOpenTies(_)
            | OrderClass::AfterArrival(_)
            | OrderClass::Pfair { .. }
            | OrderClass::Theorem(_)
            | OrderClass::Unanalysed,
            _,
        ) => None,
    }
}

/// Gives each task a processor on which the named test accepts it. Returns the tasks that it accepts nowhere, which are
/// placed best-effort.
pub(super) fn placed_by_test(
    scenario: &mut Scenario,
    scheduler: &Scheduler,
    name: &'static str,
) -> Result<Vec<TaskId>, PrepareError> {
    let packing = packing(scenario);
    scenario.scheduler.placement.test = None;
    let Some(pins) = pins(scenario) else { return Ok(Vec::new()) };
    let test = find_test(name).expect("the scenario's reader allows tests that exist");
    let tasks = ranked(scenario, scheduler)?;
    let first = system(scenario, scheduler, &tasks, &[TaskId(0)])?;
    if !(test.applies)(&first) {
        return Err(PrepareError::Unresolved(Unresolved::TestUnder(test.name, scheduler.name.clone())));
    }
    let accepts = |bin: &[TaskId]| {
        let system = system(scenario, scheduler, &tasks, bin)?;
        Ok((test.run)(&system).answer == Answer::Schedulable)
    };
    let placed = tested(scenario, &packing, &tasks, &pins, accepts)?;
    complete(scenario, &placed).map_err(PrepareError::Placement)?;
    assign(scenario, &placed);
    Ok(placed.overflowed)
}

/// Places the tasks of a partitioned scheduler whose scenario names no rule. If worst fit leaves a processor without
/// proof, the tests are asked instead: each task goes to the first processor that accepts it, if that places all tasks.
/// Else the scenario stays as it is.
pub(super) fn placed_by_default(given: &mut Cow<'_, Scenario>, scheduler: &Scheduler) {
    let scenario = given.as_ref();
    let Some(pins) = pins(scenario).filter(|_| is_open(scenario, scheduler)) else { return };
    // A scenario whose tasks cannot be ranked or placed is reported later.
    let Ok(tasks) = ranked(scenario, scheduler) else { return };
    let Ok((placed, overflowed)) = place(scenario) else { return };
    let mut scratch = Scratch::default();
    let mut accepts = |bin: &[TaskId]| {
        let system = system(scenario, scheduler, &tasks, bin)?;
        Ok(match exact_test(scheduler) {
            Some(test) => test.accepts(&system, &mut scratch),
            None => meets_deadlines(&system, &mut scratch) == Answer::Schedulable,
        })
    };
    let on = |cpu: u16| {
        let ids = (0..placed.len() as u32).map(TaskId);
        ids.filter(|id| placed[id.index()].cluster.0 == cpu).collect::<Vec<_>>()
    };
    let bins: Vec<Vec<TaskId>> =
        (0..scenario.platform.processors).map(on).filter(|bin| !bin.is_empty()).collect();
    if overflowed.is_empty() && bins.iter().all(|bin| accepts(bin).unwrap_or(false)) {
        return;
    }
    let filling = Packing { fit: Fit::First, overflow: Overflow::Misfit, ..packing(scenario) };
    let filled = tested(scenario, &filling, &tasks, &pins, accepts);
    if let Some(filled) = filled.ok().filter(TaskPlaces::is_complete) {
        assign(given.to_mut(), &filled);
    }
}

/// True if tests may decide where tasks go: no rule is named, and tests know the order of several processors' tasks.
fn is_open(scenario: &Scenario, scheduler: &Scheduler) -> bool {
    let wanted = &scenario.scheduler.placement;
    let is_unsaid = wanted.fit.is_none() && wanted.test.is_none() && wanted.split == Split::None;
    is_unsaid
        && !wanted.together
        && scheduler.scope == Scope::Partitioned
        && scenario.platform.processors > 1
        && (1..=MOST_TASKS).contains(&scenario.tasks.len())
        && match scheduler.class() {
            OrderClass::Deadline | OrderClass::Fixed(_) | OrderClass::AfterArrival(_) => true,
            OrderClass::FixedOpenTies(_)
            | OrderClass::Pfair { .. }
            | OrderClass::Theorem(_)
            | OrderClass::Unanalysed => false,
        }
}

/// Places tasks on processors for which `accepts` returns true; returns its first error, if there is one.
fn tested(
    scenario: &Scenario,
    packing: &Packing,
    tasks: &[Task],
    pins: &[Pin],
    mut accepts: impl FnMut(&[TaskId]) -> Result<bool, PrepareError>,
) -> Result<TaskPlaces, PrepareError> {
    let mut failure = None;
    let asked = |_, bin: &[TaskId]| {
        accepts(bin).unwrap_or_else(|error| {
            failure.get_or_insert(error);
            false
        })
    };
    let placed = packing.place_tested_pinned(tasks, scenario.platform.processors, pins, asked);
    match failure {
        Some(error) => Err(error),
        None => placed.map_err(|error| PrepareError::Placement(PlaceError::Packing(error))),
    }
}

/// Writes the processor of each task into the scenario.
fn assign(scenario: &mut Scenario, placed: &TaskPlaces) {
    for (spec, cpu) in scenario.tasks.iter_mut().zip(placed.cpus()) {
        spec.processor = cpu.map(|cpu| cpu.0);
    }
}

/// Returns the tasks with priorities by rule. Fails under Audsley's algorithm, which assigns them after the placement.
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
