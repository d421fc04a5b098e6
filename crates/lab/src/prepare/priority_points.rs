//! Do the priority points of all jobs up to the horizon have room in a priority?
//!
//! Points that are counted in parts of a nanosecond, such as those of fair lateness, can exceed a priority.

use crate::prepare::error::PrepareError;
use crate::prepare::prepared::Prepared;
use crate::prepare::scheduler::cluster_size;
use schedlab_model::{Instant, OrderClass, Priority};

/// Returns the latest end of a simulation for which priorities have room for the points of each cluster.
pub(crate) fn latest_horizon(prepared: &Prepared) -> Instant {
    let parts = match prepared.scheduler.class() {
        OrderClass::AfterArrival(after) => {
            let processors = cluster_size(&prepared.platform);
            prepared.tasks.iter().map(|task| after(task, processors(task)).parts).max()
        }
        OrderClass::Fixed(_)
        | OrderClass::FixedOpenTies(_)
        | OrderClass::Deadline
        | OrderClass::Pfair { .. }
        | OrderClass::Theorem(_)
        | OrderClass::Unanalysed => None,
    };
    let deadline = prepared.tasks.iter().map(|task| task.relative_deadline.as_ns()).max().unwrap_or(0);
    let latest = Priority::MAX_POINT / u64::from(parts.unwrap_or(1).max(1));
    Instant::from_ns(latest.saturating_sub(deadline))
}

/// Refuses a horizon for which priorities have no room.
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
