//! Deadline-monotonic: J. Y.-T. Leung and J. Whitehead, Performance Evaluation 2(4), 1982.

use super::PriorityRule;

/// The shorter relative deadline first.
pub(super) const RULE: PriorityRule = PriorityRule {
    name: "DM",
    source: "Leung and Whitehead, Performance Evaluation 2(4), 1982",
    compare: |a, b, _| a.relative_deadline.cmp(&b.relative_deadline),
};
