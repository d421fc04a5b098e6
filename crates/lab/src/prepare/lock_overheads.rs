//! What locks cost on a scenario's machine.

use schedlab_model::{Duration, Statistic};
use schedlab_scenario::{OverheadProfile, Value};

/// How files call what the machine takes to leave a section without preemption, if a preemption was delayed: measured
/// besides the kinds that are the same for every scheduler.
pub(crate) const LEAVING: &str = "leaving_np_section";

/// What that takes; `None` where the profile has no value.
pub(crate) fn leaving(profile: &OverheadProfile, statistic: Statistic) -> Option<Duration> {
    match profile.unmodelled.get(LEAVING)?.get(statistic)? {
        Value::Cost(cost) => Some(cost.evaluate(0, 0)),
        Value::NotApplicable => Some(Duration::ZERO),
    }
}
