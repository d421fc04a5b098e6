//! Placement: the cluster in which each task of a scenario runs.

use crate::aspect::shortened;
use crate::scenario::{Scenario, TaskSpec};
use crate::words::Split;
use schedlab_lock::Length;
use schedlab_model::{ClusterId, CpuId, LockingClass, Platform, ResourceId, Task, TaskId, Work};
use schedlab_policy::Scope;
use schedlab_workload::placement::{
    place_together, Fit, FitBound, InBins, Packing, Pin, PlacementError, PlacementWays, TaskPlaces,
};
use schedlab_workload::Ratio;
use std::borrow::Cow;

/// Reason why tasks could not be placed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// These fit on no processor, and the scenario refuses to place them best-effort.
    #[error(
        "{} of the tasks fit on no processor: {}; use more processors, or overflow = \"least_loaded\" in [scheduler.placement]",
        .0.len(),
        shortened(.0)
    )]
    DoNotFit(Vec<String>),
    /// The packing refuses the tasks.
    #[error(transparent)]
    Packing(PlacementError),
    /// A test at each step or a split was to decide, and has not yet.
    #[error("[scheduler.placement] names a test or a split: it has to be decided by analysis before")]
    Undecided,
    /// Tasks that share resources are to go together, and some of the tasks have places already.
    #[error(
        "together = true in [scheduler.placement] beside tasks that name processors; allowed: one of the two"
    )]
    TogetherAndGiven,
}

/// Places the tasks of a scenario. Returns them, each in its cluster, and the ids of those that were placed although
/// they fit nowhere. Tasks with a given place are placed first.
///
/// Under a clustered scheduler, tasks are placed on processors, and neighbours are joined (chronos-scalability-2011,
/// section 3.3). Where that leaves a task over, what counts is the sum over a cluster's processors.
///
/// A test at each step or a split is decided by a crate that knows the tests: it gives the places to this function.
pub fn place(scenario: &Scenario) -> Result<(Vec<Task>, Vec<TaskId>), PlaceError> {
    let mut tasks = scenario.model_tasks();
    let Some(pins) = pins(scenario) else { return Ok((tasks, Vec::new())) };
    let platform = scenario.model_platform();
    let wanted = &scenario.scheduler.placement;
    if wanted.test.is_some() || wanted.split != Split::None {
        return Err(PlaceError::Undecided);
    }
    let mut placed = None;
    if wanted.together {
        if pins.iter().any(|pin| *pin != Pin::Free) {
            return Err(PlaceError::TogetherAndGiven);
        }
        let all = place_together(&tasks, platform.processors(), |resource| binds(scenario, resource));
        placed = Some(all.map_err(PlaceError::Packing)?).filter(TaskPlaces::is_complete);
    }
    let placed = match placed {
        Some(placed) => InBins { placed, are_clusters: false },
        None => packed(scenario, &weighed(scenario, &tasks), &platform, &pins)?,
    };
    complete(scenario, &placed.placed)?;
    for (task, bin) in tasks.iter_mut().zip(placed.placed.by_task()) {
        let bin = bin.expect("a complete placement has a place for each task");
        task.cluster = placed.cluster_of(bin, &platform);
    }
    // A task that names its place is there because the scenario says so.
    let given = scenario.given_clusters();
    let is_chosen = |id: &TaskId| given[id.index()].is_none();
    Ok((tasks, placed.placed.overflowed.into_iter().filter(is_chosen).collect()))
}

/// Returns the tasks as placement weighs them: a server weighs what its budget is, and its clients nothing besides.
fn weighed<'a>(scenario: &Scenario, tasks: &'a [Task]) -> Cow<'a, [Task]> {
    let mut weighed = Cow::Borrowed(tasks);
    for server in scenario.model_servers() {
        for (place, client) in server.clients.iter().enumerate() {
            let budget = if place == 0 { server.budget } else { Work::ZERO };
            let task = &mut weighed.to_mut()[client.index()];
            (task.wcet, task.period, task.relative_deadline) =
                (budget, server.period, server.relative_deadline);
        }
    }
    weighed
}

/// Packs `tasks` by the scenario's rules: the first of its ways that leaves no task over, or the last rule's best
/// effort.
///
/// A rule that is named is the only one; without one worst fit goes before first fit. Under clustered schedulers tasks
/// are placed on processors first, then in clusters as wholes, which may have room where no processor has.
fn packed(
    scenario: &Scenario,
    tasks: &[Task],
    platform: &Platform,
    pins: &[Pin],
) -> Result<InBins, PlaceError> {
    let wanted = &scenario.scheduler.placement;
    let named = packing(scenario);
    let filling = wanted.fit.is_none().then_some(Packing { fit: Fit::First, ..named });
    let whole = scenario.scope() == Scope::Clustered && !wanted.by_processor;
    PlacementWays { named, filling, whole }.place(tasks, platform, pins).map_err(PlaceError::Packing)
}

/// Refuses a placement that leaves tasks out, with their names.
pub fn complete(scenario: &Scenario, placed: &TaskPlaces) -> Result<(), PlaceError> {
    if placed.is_complete() {
        return Ok(());
    }
    let left_over = placed.misfits.iter().chain(&placed.untried);
    Err(PlaceError::DoNotFit(left_over.map(|id| scenario.task_name(*id).to_owned()).collect()))
}

/// Returns where each task may go; `None` if there is nothing to choose.
pub fn pins(scenario: &Scenario) -> Option<Vec<Pin>> {
    let given = scenario.given_clusters();
    if given.iter().all(Option::is_some) {
        return None;
    }
    let (scope, platform) = (scenario.scope(), scenario.model_platform());
    let pin = |(spec, given): (&TaskSpec, &Option<ClusterId>)| match given {
        None if scope == Scope::Partitioned => choice(scenario, spec).map_or(Pin::Free, Pin::Among),
        None => Pin::Free,
        Some(cluster) => match platform.clusters[cluster.index()].cpus.as_slice() {
            [only] => Pin::On(*only),
            several => Pin::Among(several.to_vec()),
        },
    };
    Some(scenario.tasks.iter().zip(&given).map(pin).collect())
}

/// Returns the processors from which a partitioned scheduler may choose for a task: its affinity, or else those of the
/// cluster that it names; `None` if any processor may be chosen.
fn choice(scenario: &Scenario, spec: &TaskSpec) -> Option<Vec<CpuId>> {
    let platform = &scenario.platform;
    let cpus = match spec.cluster {
        _ if !spec.affinity.is_empty() => spec.affinity.clone(),
        Some(named) => platform.clusters.lists(platform.processors).swap_remove(usize::from(named)),
        None => return None,
    };
    Some(cpus.into_iter().map(CpuId).collect())
}

/// Returns whether tasks that use this resource are to be on one processor: under the FMLP only for long resources, as
/// in the paper, otherwise for all.
fn binds(scenario: &Scenario, resource: ResourceId) -> bool {
    let class = scenario.known_protocol().map(|protocol| protocol.class);
    class != Some(LockingClass::Fmlp) || scenario.resources[resource.index()].length == Length::Long
}

/// Returns the scenario's packing rule, without its test and its split. The default is worst fit, or first fit if a
/// test decides at each step.
pub fn packing(scenario: &Scenario) -> Packing {
    let wanted = scenario.scheduler.placement;
    let bound = Ratio::new(wanted.bound.millionths().into(), 1_000_000).unwrap_or(Ratio::ONE);
    Packing {
        weight: wanted.weight,
        order: wanted.order,
        fit: wanted.fit.unwrap_or(if wanted.test.is_some() { Fit::First } else { Fit::Worst }),
        fit_bound: FitBound { bound, strictly_below: false },
        overflow: wanted.overflow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under a partitioned scheduler, a task goes to a processor of its cluster, and preferably to its own processor.
    #[test]
    fn a_cluster_is_where_a_processor_is_chosen_from() {
        let text = |scheduler: &str, platform: &str| {
            format!(
                r#"schedlab = 1
horizon = "1 s"
scheduler = "{scheduler}"
platform = {{ processors = 4{platform} }}
task = [
  {{ name = "a", wcet = "6 ms", period = "10 ms", cluster = 1 }},
  {{ name = "b", wcet = "6 ms", period = "10 ms", cluster = 1 }},
  {{ name = "c", wcet = "1 ms", period = "10 ms", cluster = 0 }},
  {{ name = "d", wcet = "1 ms", period = "10 ms", processor = 3, cluster = 1 }},
  {{ name = "e", wcet = "1 ms", period = "10 ms" }},
]"#
            )
        };
        let clusters = |scheduler: &str, platform: &str| -> Vec<u16> {
            let scenario = Scenario::parse("example", &text(scheduler, platform)).unwrap();
            place(&scenario).unwrap().0.iter().map(|task| task.cluster.0).collect()
        };
        assert_eq!(clusters("P-EDF", ""), [2, 3, 0, 3, 1], "halves: P2 and P3 are cluster 1");
        let single =
            text("P-EDF", ", cluster_size = 1").replace("processor = 3, ", "").replace("6 ms", "4 ms");
        let scenario = Scenario::parse("example", &single).unwrap();
        let placed = place(&scenario).unwrap().0;
        assert!(placed.iter().zip([1, 1, 0, 1]).all(|(task, cluster)| task.cluster.0 == cluster));
        assert_eq!(clusters("C-EDF", ""), [1, 1, 0, 1, 0]);
        assert_eq!(clusters("G-EDF", ""), [0; 5]);
    }
}
