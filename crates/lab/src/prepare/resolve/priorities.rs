//! Fixed priorities by a rule, or by Audsley's algorithm for the tasks of each processor.

use super::one_processor::system;
use crate::prepare::error::{PrepareError, Unresolved};
use crate::prepare::machine::platform;
use schedlab_analysis::priority::{audsley, find};
use schedlab_analysis::uniprocessor::{nonpreemptive_fp, response_time};
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Arrivals, Budget, System};
use schedlab_model::{Task, TaskId};
use schedlab_policy::{Scheduler, Scope, FP};
use schedlab_scenario::{place, Priorities, Scenario, UrgentPriority};

/// Gives each task of `scenario` the priority of its rule; the smallest is the most urgent.
pub(super) fn assign(scenario: &mut Scenario, scheduler: &Scheduler) -> Result<(), PrepareError> {
    let ranks = match by_rule(scenario, scheduler, &scenario.model_tasks())? {
        Some(ranks) => ranks,
        None => audsleys(scenario, scheduler)?,
    };
    scenario.tasks.iter_mut().zip(ranks).for_each(|(task, rank)| task.priority = Some(rank));
    scenario.scheduler.priorities = Priorities::Given;
    scenario.scheduler.urgent_priority = UrgentPriority::Smallest;
    Ok(())
}

/// Ranks each task among all by rule, for as many processors as the largest cluster has; `None` for Audsley's
/// algorithm.
pub(super) fn by_rule(
    scenario: &Scenario,
    scheduler: &Scheduler,
    tasks: &[Task],
) -> Result<Option<Vec<u32>>, PrepareError> {
    let Priorities::ByRule(name) = scenario.scheduler.priorities else { return Ok(None) };
    let rule = find(name).expect("the scenario's reader allows rules that exist");
    let clusters = platform(scenario, scheduler).clusters;
    let processors = clusters.iter().map(|cluster| cluster.cpus.len()).max().unwrap_or(1) as u32;
    let equal = vec![0; tasks.len()];
    let (order, arrivals) = (AnalysedOrder::FixedPriority, Arrivals::Sporadic);
    let analysed = AnalysedScheduler { order, ranks: &equal, arrivals, ..AnalysedScheduler::EDF };
    // A task that never arrives is in no system; it comes last.
    let system = System::global(tasks, processors, &analysed)
        .map_err(|error| PrepareError::analysis(error, scenario))?;
    let mut ranks: Vec<u32> = (system.tasks.len() as u32..).take(tasks.len()).collect();
    for (task, rank) in system.tasks.iter().zip(rule.ranks(&system.tasks, processors)) {
        ranks[task.id.index()] = rank;
    }
    Ok(Some(ranks))
}

/// Ranks each task on its processor by Audsley's algorithm.
fn audsleys(scenario: &Scenario, scheduler: &Scheduler) -> Result<Vec<u32>, PrepareError> {
    let refused = |why: String| PrepareError::Unresolved(Unresolved::Audsley(why));
    let clusters = platform(scenario, scheduler).clusters;
    if clusters.iter().any(|cluster| cluster.cpus.len() != 1) {
        let [preempting, other] =
            [true, false].map(|preemptive| Scheduler::of_order(FP, preemptive, Scope::Partitioned).name);
        return Err(refused(format!(
            "the tests of several processors that read other response times are not compatible with it; \
             allowed: {preempting}, {other}"
        )));
    }
    let preemptive = scheduler.is_preemptive();
    let test = if preemptive { response_time::TEST.name } else { nonpreemptive_fp::TEST.name };
    let (tasks, _) = place(scenario).map_err(PrepareError::Placement)?;
    let mut ranks = vec![0; tasks.len()];
    for cluster in 0..clusters.len() {
        let ids: Vec<TaskId> = (0..tasks.len() as u32)
            .map(TaskId)
            .filter(|id| tasks[id.index()].cluster.index() == cluster)
            .collect();
        let system = system(scenario, scheduler, &tasks, &ids)?;
        let found =
            audsley::assign(&system, test, &mut Budget::default()).map_err(|why| refused(why.to_string()))?;
        let none = PrepareError::Unresolved(Unresolved::NoOrder(cluster as u16, test));
        for (task, rank) in system.tasks.iter().zip(found.ok_or(none)?) {
            ranks[task.id.index()] = rank;
        }
    }
    Ok(ranks)
}
