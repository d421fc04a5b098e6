//! Earliest deadline first: C. L. Liu and J. W. Layland, "Scheduling algorithms for multiprogramming in a
//! hard-real-time environment", Journal of the ACM 20(1), 1973.

use super::{Needs, Order, Rule};

/// By absolute deadline; ties by job id.
pub const EDF: Order = Order {
    name: "EDF",
    aliases: &[],
    description: "the earliest deadline goes first",
    rule: Rule::Deadline,
    needs: Needs::Nothing,
};
