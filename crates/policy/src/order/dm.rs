//! Deadline-monotonic priorities: J. Y.-T. Leung and J. Whitehead, "On the complexity of fixed-priority
//! scheduling of periodic, real-time tasks", Performance Evaluation 2(4), 1982.

use super::Order;

/// By relative deadline; ties by job id.
pub const DM: Order = Order { name: "DM", point: |_, task, _| task.relative_deadline.as_ns() };
