//! Costs of locks on a scenario's machine.

use schedlab_model::{Duration, Statistic};
use schedlab_scenario::{OverheadProfile, Value, LEAVING};

/// Returns the time to leave a non-preemptive section when a preemption was delayed; `None` if the profile has no
/// value.
pub(crate) fn leaving(profile: &OverheadProfile, statistic: Statistic) -> Option<Duration> {
    match profile.unmodelled.get(LEAVING)?.get(statistic)? {
        Value::Cost(cost) => Some(cost.evaluate(0, 0)),
        Value::NotApplicable => Some(Duration::ZERO),
    }
}
