//! Which cluster each task of a scenario runs in.

use crate::scenario::{Fit, Overflow, PlacementOrder, Scenario};
use schedlab_model::{ClusterId, Task, TaskId};
use schedlab_workload::placement::{self, FitBound, Order, Packing, Pin, Weight};
use schedlab_workload::Ratio;
use std::fmt;

/// Why tasks could not be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// These fit on no processor. With `overflow = "least_loaded"` they would go to the least loaded one.
    DoNotFit(Vec<String>),
    /// The packing refuses the tasks.
    Packing(placement::PlacementError),
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::DoNotFit(names) => {
                write!(f, "{} of the tasks fit on no processor: {}", names.len(), names.join(", "))?;
                write!(f, "; use more processors, or overflow = \"least_loaded\" in [scheduler.placement]")
            }
            PlaceError::Packing(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlaceError {}

/// The scenario's tasks, each in its cluster, and those that went somewhere although they fit nowhere.
///
/// Under a clustered scheduler, tasks are placed on processors, and neighbours are joined
/// (chronos-scalability-2011, section 3.3). Tasks with a given place are placed first.
pub fn place(scenario: &Scenario) -> Result<(Vec<Task>, Vec<TaskId>), PlaceError> {
    let mut tasks = scenario.model_tasks();
    let given: Vec<Option<ClusterId>> =
        scenario.tasks.iter().map(|spec| scenario.given_cluster(spec)).collect();
    if given.iter().all(Option::is_some) {
        return Ok((tasks, Vec::new()));
    }
    let platform = scenario.model_platform();
    let pin = |cluster: &Option<ClusterId>| match cluster {
        None => Pin::Free,
        Some(cluster) => match platform.clusters[cluster.index()].cpus.as_slice() {
            [only] => Pin::On(*only),
            several => Pin::Among(several.to_vec()),
        },
    };
    let pins: Vec<Pin> = given.iter().map(pin).collect();
    let placed =
        packing(scenario).place_pinned(&tasks, platform.processors(), &pins).map_err(PlaceError::Packing)?;
    if !placed.is_complete() {
        let left_over = placed.misfits.iter().chain(&placed.untried);
        return Err(PlaceError::DoNotFit(left_over.map(|id| scenario.task_name(*id).to_owned()).collect()));
    }
    for (task, cpu) in tasks.iter_mut().zip(placed.cpus()) {
        task.cluster = platform.cluster_of(cpu.expect("a complete placement has a processor for each task"));
    }
    Ok((tasks, placed.overflowed))
}

fn packing(scenario: &Scenario) -> Packing {
    let wanted = scenario.scheduler.placement;
    let (weight, order) = match wanted.order {
        PlacementOrder::DecreasingUtilization => {
            (Weight::Utilization, Order::Decreasing(Weight::Utilization))
        }
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
