//! Given fixed priorities, as the scenario states them.

use super::Order;

/// By the task's given priority, smaller first; ties by job id.
pub const FP: Order = Order { name: "FP", point: |_, task, _| task.fixed_priority as u64 };
