//! Fair lateness: J. P. Erickson and J. H. Anderson, "Fair lateness scheduling: reducing maximum lateness in G-EDF-like
//! scheduling", ECRTS 2012. On m processors, a job's priority point is
//!
//! ```text
//! arrival + D - (m - 1) / m C
//! ```
//!
//! rounded up: of all points a constant after the arrival, these give the smallest bound on the largest lateness. On one
//! processor it is EDF.

use super::{Needs, Order, Rule};
use schedlab_model::Task;

/// How long after its arrival a job's priority point lies on so many processors, in nanoseconds.
pub fn fair_lateness_point(task: &Task, processors: u32) -> u64 {
    let earlier = u128::from(task.wcet.as_ns()) * u128::from(processors.saturating_sub(1));
    let earlier = (earlier / u128::from(processors.max(1))) as u64;
    task.relative_deadline.as_ns().saturating_sub(earlier)
}

/// By absolute deadline less the share (m - 1) / m of the WCET; ties by job id.
pub const FL: Order = Order {
    name: "FL",
    aliases: &[],
    description: "the earliest deadline less a share of the WCET goes first",
    rule: Rule::AfterArrival(fair_lateness_point),
    needs: Needs::Nothing,
};
