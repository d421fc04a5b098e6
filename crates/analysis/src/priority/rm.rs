//! Rate-monotonic: C. L. Liu and J. W. Layland, Journal of the ACM 20(1), 1973.

use super::PriorityRule;

/// The shorter period first.
pub(super) const RULE: PriorityRule = PriorityRule {
    name: "RM",
    source: "Liu and Layland, JACM 20(1), 1973",
    compare: |a, b, _| a.period.cmp(&b.period),
};
