//! Rate-monotonic priorities: C. L. Liu and J. W. Layland, Journal of the ACM 20(1), 1973.

use super::Order;

/// By period; ties by job id.
pub const RM: Order = Order { name: "RM", point: |_, task, _| task.period.as_ns() };
