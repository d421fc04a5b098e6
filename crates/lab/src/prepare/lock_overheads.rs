//! What locks cost on a scenario's machine.

use schedlab_model::{Duration, Statistic};
use schedlab_scenario::{OverheadProfile, Value};

/// What the machine takes to leave a section without preemption, if a preemption was delayed: measured besides the kinds that
/// simulation charges.
pub(crate) fn leaving(profile: &OverheadProfile, statistic: Statistic) -> Duration {
    let measured = profile.unmodelled.get("leaving_np_section");
    match measured.and_then(|measured| measured.get(statistic)) {
        Some(Value::Cost(cost)) => cost.evaluate(0, 0),
        Some(Value::NotApplicable) | None => Duration::ZERO,
    }
}
