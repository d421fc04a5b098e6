//! Which cluster each task of a scenario runs in.

use schedlab_model::{ClusterId, Task, TaskId};
use schedlab_scenario::{Fit, Overflow, PlacementOrder, Scenario};
use schedlab_workload::placement::{self, FitBound, Order, Packing, Weight};
use schedlab_workload::Ratio;
use std::fmt;

/// Why tasks could not be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// These fit on no processor. With `overflow = "least-loaded"` they would go to the least loaded one.
    DoNotFit(Vec<String>),
    /// Some tasks have a place and others have none.
    HalfGiven(String),
    /// The packing refuses the tasks.
    Packing(placement::PlacementError),
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::DoNotFit(names) => {
                write!(f, "{} of the tasks fit on no processor: {}", names.len(), names.join(", "))?;
                write!(f, "; use more processors, or overflow = \"least-loaded\" in [scheduler.placement]")
            }
            PlaceError::HalfGiven(name) => {
                write!(f, "task \"{name}\" has no processor, but others do: give one to all of them or to none")
            }
            PlaceError::Packing(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlaceError {}

/// The scenario's tasks, each in its cluster, and those that went somewhere although they fit nowhere.
///
/// Under a clustered scheduler, tasks are placed on processors, and neighbours are joined
/// (chronos-scalability-2011, section 3.3).
pub fn place(scenario: &Scenario) -> Result<(Vec<Task>, Vec<TaskId>), PlaceError> {
    let mut tasks = scenario.model_tasks();
    let given = scenario.tasks.iter().filter(|spec| scenario.given_cluster(spec).is_some()).count();
    if given == tasks.len() {
        return Ok((tasks, Vec::new()));
    }
    if given > 0 {
        let without = scenario.tasks.iter().find(|spec| scenario.given_cluster(spec).is_none());
        return Err(PlaceError::HalfGiven(without.map_or_else(String::new, |spec| spec.name.clone())));
    }
    let platform = scenario.model_platform();
    let packing = packing(scenario);
    let placed = packing.place(&tasks, platform.processors()).map_err(PlaceError::Packing)?;
    if !placed.is_complete() {
        let left_over = placed.misfits.iter().chain(&placed.untried);
        return Err(PlaceError::DoNotFit(left_over.map(|id| scenario.task_name(*id).to_owned()).collect()));
    }
    for (task, cpu) in tasks.iter_mut().zip(placed.cpus()) {
        task.cluster = cpu.map_or(ClusterId(0), |cpu| platform.cluster_of(cpu));
    }
    Ok((tasks, placed.overflowed))
}

fn packing(scenario: &Scenario) -> Packing {
    let wanted = scenario.scheduler.placement;
    let (weight, order) = match wanted.order {
        PlacementOrder::DecreasingUtilization => (Weight::Utilization, Order::Decreasing(Weight::Utilization)),
        PlacementOrder::DecreasingDensity => (Weight::Utilization, Order::Decreasing(Weight::Density)),
        PlacementOrder::Given => (Weight::Utilization, Order::Given),
    };
    let bound = Ratio::new(wanted.bound.millionths().into(), 1_000_000);
    Packing {
        weight,
        order,
        fit: match wanted.fit {
            Fit::First => placement::Fit::First,
            Fit::Next => placement::Fit::Next,
            Fit::Best => placement::Fit::Best,
            Fit::Worst => placement::Fit::Worst,
        },
        fit_bound: FitBound { bound: bound.unwrap_or(Ratio::ONE), strictly_below: false },
        overflow: match wanted.overflow {
            Overflow::Refuse => placement::Overflow::Misfit,
            Overflow::LeastLoaded => placement::Overflow::LeastLoaded,
        },
    }
}
