//! Deadline-monotonic priorities: J. Y.-T. Leung and J. Whitehead, "On the complexity of fixed-priority
//! scheduling of periodic, real-time tasks", Performance Evaluation 2(4), 1982.

use super::{Needs, Order, Rule};

/// By relative deadline; ties by job id.
pub const DM: Order = Order {
    name: "DM",
    aliases: &[],
    description: "the shortest relative deadline goes first",
    rule: Rule::Fixed(|task| task.relative_deadline.as_ns()),
    needs: Needs::Nothing,
};
