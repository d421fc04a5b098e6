//! Fair lateness: J. P. Erickson and J. H. Anderson, "Fair lateness scheduling: reducing maximum lateness in G-EDF-like
//! scheduling", ECRTS 2012. On m processors, a job's priority point is
//!
//! ```text
//! arrival + D - (m - 1) / m C
//! ```
//!
//! but not before its arrival: of all points a constant after the arrival, these give the smallest bound on the largest
//! lateness. On one processor it is EDF. The points here are m times as large, so that they are whole numbers: nothing
//! is rounded.

use super::{Needs, Order, Rule};
use schedlab_model::Point;

/// By absolute deadline less the share (m - 1) / m of the WCET, in parts 1 / m of a nanosecond; ties by job id.
pub const FL: Order = Order {
    name: "FL",
    aliases: &[],
    description: "the earliest deadline less a share of the WCET goes first",
    rule: Rule::AfterArrival(|task, processors| {
        let parts = processors.max(1);
        let earlier = u128::from(task.wcet.as_ns()) * u128::from(parts - 1);
        let after = (u128::from(task.relative_deadline.as_ns()) * u128::from(parts)).saturating_sub(earlier);
        // Beyond 64 bits, and beyond 62: no priority has such a point.
        Point { after: u64::try_from(after).unwrap_or(u64::MAX), parts }
    }),
    needs: Needs::Nothing,
};
