//! Given fixed priorities, as the scenario states them.

use super::{Needs, Order, Rule};

/// By the task's given priority, smaller first; ties by job id.
pub const FP: Order = Order {
    name: "FP",
    aliases: &[],
    description: "the given priority decides",
    rule: Rule::Fixed(|task| task.fixed_priority as u64),
    needs: Needs::Priority,
};
