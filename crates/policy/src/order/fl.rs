//! Fair lateness: J. P. Erickson and J. H. Anderson, "Fair lateness scheduling: reducing maximum lateness in G-EDF-like
//! scheduling", ECRTS 2012. On m processors, a job's priority point is
//!
//! ```text
//! arrival + D - (m - 1) / m C
//! ```
//!
//! but not before its arrival: of all points a constant after the arrival, these give the smallest bound on the largest lateness.
//! On one processor it is EDF. The points here are m times as large, so that they are whole numbers: nothing is rounded.

use super::Order;

/// By absolute deadline less the share (m - 1) / m of the WCET, in parts 1 / m of a nanosecond; ties by job id.
pub const FL: Order = Order {
    name: "FL",
    point: |job, task, processors| {
        let parts = u128::from(processors.max(1));
        let earlier = u128::from(task.wcet.as_ns()) * (parts - 1);
        let relative = (u128::from(task.relative_deadline.as_ns()) * parts).saturating_sub(earlier);
        let point = u128::from(job.arrival.as_ns()) * parts + relative;
        // Beyond 64 bits, and beyond 62: no priority has such a point.
        u64::try_from(point).unwrap_or(u64::MAX)
    },
};
