//! Do the priority points of all jobs up to the horizon have room in a priority?
//!
//! Only fair lateness can be short of it: its points are in parts of a nanosecond, one part for each processor of the cluster.

use crate::error::PrepareError;
use crate::prepared::Prepared;
use schedlab_model::{Instant, Priority};
use schedlab_policy::Make;

/// The latest end of a simulation for which the points of each cluster have room.
pub(crate) fn latest_horizon(prepared: &Prepared) -> Instant {
    let parts = match prepared.scheduler.make {
        Make::Clustered { order, .. } if order.name == "FL" => {
            prepared.platform.clusters.iter().map(|cluster| cluster.cpus.len().max(1) as u64).max()
        }
        Make::Clustered { .. } | Make::Other(_) => None,
    };
    let deadline = prepared.tasks.iter().map(|task| task.relative_deadline.as_ns()).max().unwrap_or(0);
    let latest = Priority::MAX_POINT / parts.unwrap_or(1);
    Instant::from_ns(latest.saturating_sub(deadline))
}

/// Refuses a horizon that is too late.
pub(crate) fn check(prepared: &Prepared) -> Result<(), PrepareError> {
    let latest = latest_horizon(prepared);
    match prepared.scenario.horizon <= latest {
        true => Ok(()),
        false => {
            let scheduler = prepared.scheduler.name.clone();
            Err(PrepareError::PriorityPoints { scheduler, horizon: prepared.scenario.horizon, latest })
        }
    }
}
