//! Rate-monotonic priorities: C. L. Liu and J. W. Layland, Journal of the ACM 20(1), 1973.

use super::{Needs, Order, Rule};

/// By period; ties by job id.
pub const RM: Order = Order {
    name: "RM",
    aliases: &["RMS"],
    description: "the shortest period goes first",
    rule: Rule::Fixed(|task| task.period.as_ns()),
    needs: Needs::Nothing,
};
