//! Is one processor enough?

pub mod demand;
pub mod demand_criterion;
pub mod edf_utilization;
pub mod hyperbolic;
pub mod liu_layland;
pub mod qpa;
pub mod response_time;

use crate::system::System;

/// Why a utilization bound for rate-monotonic priorities says nothing of `system`, if so.
fn unlike_liu_and_layland(system: &System) -> Option<&'static str> {
    if system.needs_blocking() {
        return Some("requests and non-preemptive sections are not accounted for");
    }
    if !system.has_implicit_deadlines() {
        return Some("a relative deadline differs from its period");
    }
    let order = system.by_priority();
    let rises = |pair: &[usize]| system.tasks[pair[0]].period <= system.tasks[pair[1]].period;
    (!order.windows(2).all(rises)).then_some("the priorities are not rate-monotonic")
}
