//! Threads under `SCHED_FIFO`, each with a processor and a priority that can be typed in.
//!
//! Places come from the packings of a partitioned scheduler of fixed priorities, and priorities from a rule or from
//! Audsley's algorithm. Both become numbers
//! ([`numbers`](super::numbers)).
//!
//! Audsley's algorithm orders the threads without their sections: what blocks a thread depends on the order of the
//! others, so that no test of mutexes is compatible with it. The resulting order is judged with the sections.

use super::numbers::numbers;
use crate::prepare::catalog::{Catalog, CatalogError};
use crate::prepare::resolve::resolve_under;
use schedlab_lock::NONE;
use schedlab_model::{TaskId, ThreadClass};
use schedlab_policy::{class_name, KernelClass, Scheduler, Scope, FP};
use schedlab_scenario::{place, Priorities, Scenario, UrgentPriority};

/// Returns the scenario without protocols of its own.
pub(super) fn without_protocols(given: &Scenario, catalog: &Catalog) -> Result<Scenario, CatalogError> {
    catalog.sharing(given.clone().without_own_protocols(), NONE)
}

/// Returns the scenario with every thread on one processor under `SCHED_FIFO`: places by `placement`, if the scenario's
/// own are not kept, and priorities by `rule`, if the given ones are not kept. The error says why there is no such
/// arrangement.
pub(super) fn partitioned(
    given: &Scenario,
    catalog: &Catalog,
    placement: Option<&str>,
    rule: Option<&'static str>,
) -> Result<Scenario, String> {
    let say = |error: CatalogError| error.to_string();
    let fixed = Scheduler::of_order(FP, true, Scope::Partitioned);
    let mut made = without_protocols(given, catalog).map_err(say)?;
    // Other schedulers know no classes of threads; the tests of the result do.
    made.tasks.iter_mut().for_each(|task| task.class = ThreadClass::Fifo);
    made = match rule {
        Some(rule) => made.with_priorities(rule).map_err(|error| error.to_string())?,
        None => with_given_priorities(made),
    };
    let by_audsley = made.scheduler.priorities == Priorities::Audsley;
    if by_audsley {
        // Places do not depend on the order, but a test at each step needs one.
        made = made.with_priorities(schedlab_policy::DM.name).map_err(|error| error.to_string())?;
    }
    made = catalog.under(made, &fixed.name).map_err(say)?;
    if let Some(words) = placement {
        made = made.with_placement(words).map_err(|error| error.to_string())?;
    }
    made = placed(&made, &fixed)?;
    if by_audsley {
        made = ordered_by_audsley(made, &fixed)?;
    }
    let (tasks, _) = place(&made).map_err(|error| error.to_string())?;
    let numbers = numbers(&made, &tasks, rule.is_none());
    made.scheduler.priorities = Priorities::Given;
    made.scheduler.urgent_priority = UrgentPriority::Largest;
    made.scheduler.name = class_name(KernelClass::Fifo, Scope::Partitioned);
    for ((task, number), stated) in made.tasks.iter_mut().zip(numbers).zip(&given.tasks) {
        (task.priority, task.class) = (Some(number), stated.class);
    }
    made = as_by_default(made);
    made.check().map_err(|error| error.to_string())?;
    Ok(made)
}

/// Returns a scenario under `SCHED_FIFO` with the kernel's throttling: the default unless the scenario states one.
pub(super) fn as_by_default(mut made: Scenario) -> Scenario {
    if made.known_scheduler().and_then(|known| known.kernel_class()) == Some(KernelClass::Fifo) {
        made.scheduler.throttling.get_or_insert_default();
    }
    made
}

/// Returns the scenario with the priorities that its tasks state.
fn with_given_priorities(mut scenario: Scenario) -> Scenario {
    scenario.scheduler.priorities = Priorities::Given;
    scenario
}

/// Writes the processor and the priority of each task into the scenario.
fn placed(scenario: &Scenario, scheduler: &Scheduler) -> Result<Scenario, String> {
    let resolved = resolve_under(scenario, scheduler).map_err(|error| error.to_string())?;
    let mut made = resolved.scenario.into_owned();
    let (tasks, overflowed) = place(&made).map_err(|error| error.to_string())?;
    let nowhere: Vec<TaskId> = resolved.overflowed.into_iter().chain(overflowed).collect();
    if !nowhere.is_empty() {
        let names: Vec<&str> = nowhere.iter().map(|id| made.task_name(*id)).collect();
        return Err(format!("no processor has room for {}", names.join(", ")));
    }
    for (spec, task) in made.tasks.iter_mut().zip(tasks) {
        spec.processor = Some(task.cluster.0);
        spec.affinity.clear();
    }
    made.scheduler.placement = schedlab_scenario::Placement::default();
    Ok(made)
}

/// Orders the threads of each processor by Audsley's algorithm, as if they shared nothing.
fn ordered_by_audsley(mut placed: Scenario, scheduler: &Scheduler) -> Result<Scenario, String> {
    let mut alone = placed.clone();
    alone.tasks.iter_mut().for_each(|task| task.program.clear());
    alone.scheduler.priorities = Priorities::Audsley;
    let resolved = resolve_under(&alone, scheduler).map_err(|error| error.to_string())?;
    for (task, ranked) in placed.tasks.iter_mut().zip(&resolved.scenario.tasks) {
        task.priority = ranked.priority;
    }
    placed.scheduler.urgent_priority = UrgentPriority::Smallest;
    Ok(placed)
}
