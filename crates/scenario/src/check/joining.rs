//! Is there room for a task that joins, or changes its weight, under the scenario's Pfair scheduler?
//!
//! Too little room for the tasks that are there at first is a result, and so is what overheads and requests add to
//! weights: that is found when a scenario is run or analysed. A join for which there is never room is a mistake.

use crate::error::Problem;
use crate::fault::{Fault, Part};
use crate::placement::place;
use crate::scenario::Scenario;
use schedlab_model::{ClusterId, Instant, OrderClass, TaskId};
use schedlab_policy::{pfair, ClusterSetup, SetupError};

/// Returns a fault for the first task that joins and does not fit.
pub(crate) fn faults(scenario: &Scenario) -> Vec<Fault> {
    let joins = |task: TaskId| scenario.tasks[task.index()].join > Instant::ZERO;
    let ids = || (0..scenario.tasks.len() as u32).map(TaskId);
    let class = scenario.known_scheduler().map(|scheduler| scheduler.class());
    if !matches!(class, Some(OrderClass::Pfair { .. }))
        || !scenario.supertasks.is_empty()
        || !ids().any(joins)
    {
        return Vec::new();
    }
    let Ok((tasks, _)) = place(scenario) else { return Vec::new() };
    let platform = scenario.model_platform();
    let setup = ClusterSetup {
        cluster: ClusterId(0),
        cpus: &platform.clusters[0].cpus,
        platform: &platform,
        tasks: &tasks,
        affinity: scenario.scheduler.affinity,
        supertasks: &[],
        throttling: None,
    };
    let fault = match pfair::weights(&setup) {
        Err(error @ SetupError::Overload { task, from, .. }) if joins(task) => {
            Some(fault(scenario, task, &error, from))
        }
        _ => None,
    };
    fault.into_iter().collect()
}

fn fault(scenario: &Scenario, task: TaskId, error: &SetupError, from: Option<u64>) -> Fault {
    let index = task.index();
    let name = &scenario.tasks[index].name;
    let quantum = scenario.platform.quantum.as_ns();
    let allowed = match from.and_then(|slot| slot.checked_mul(quantum)) {
        Some(at) => format!("from {} on, or a smaller weight", Instant::from_ns(at)),
        None => "a smaller weight".into(),
    };
    let problem = Problem::rule(format!("{name}, {error}"), allowed);
    Fault { part: Part::Task(index), field: "join", problem }
}
