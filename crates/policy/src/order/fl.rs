//! Fair lateness: J. P. Erickson and J. H. Anderson, "Fair lateness scheduling: reducing maximum lateness in G-EDF-like
//! scheduling", ECRTS 2012. On m processors, a job's priority point is
//!
//! ```text
//! arrival + D - (m - 1) / m C
//! ```
//!
//! rounded up: of all points a constant after the arrival, these give the smallest bound on the largest lateness. On one
//! processor it is EDF.

use super::Order;

/// By absolute deadline less the share (m - 1) / m of the WCET; ties by job id.
pub const FL: Order = Order {
    name: "FL",
    point: |job, task, processors| {
        let earlier = u128::from(task.wcet.as_ns()) * u128::from(processors.saturating_sub(1));
        let earlier = (earlier / u128::from(processors.max(1))) as u64;
        let relative = task.relative_deadline.as_ns().saturating_sub(earlier);
        job.arrival.as_ns().saturating_add(relative)
    },
};
