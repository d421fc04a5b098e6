//! What a scheduler accrues at several loads.

use crate::simulations::{Observed, Simulated};
use schemars::JsonSchema;
use serde::Serialize;

/// What a scheduler accrues by load; None where it cannot have the tasks.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SchedulerOverLoad {
    name: String,
    accrued_utility_ratios: Vec<Option<f64>>,
    deadline_satisfaction_ratios: Vec<Option<f64>>,
}

impl SchedulerOverLoad {
    /// Of the scheduler of this name, by load; `None` where nothing could be simulated.
    pub fn of(name: String, simulated: &[Option<Simulated>]) -> Self {
        let seen = || simulated.iter().map(|one| one.as_ref().and_then(|one| one.outcome.as_ref().ok()));
        let column = |ratio: fn(&Observed) -> Option<f64>| seen().map(|seen| seen.and_then(ratio)).collect();
        SchedulerOverLoad {
            name,
            accrued_utility_ratios: column(|seen| seen.all.accrued_utility_ratio()),
            deadline_satisfaction_ratios: column(|seen| seen.all.deadline_satisfaction_ratio()),
        }
    }
}
