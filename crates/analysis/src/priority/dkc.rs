//! D - kC: R. Davis and A. Burns, *Improved priority assignment for global fixed priority pre-emptive scheduling in
//! multiprocessor real-time systems*, Real-Time Systems 47(1), 2011.

use super::slack_weighted::compare;
use super::PriorityRule;

/// The smaller D - kC first.
pub(super) const RULE: PriorityRule = PriorityRule {
    name: "DkC",
    source: "Davis and Burns, RTS 47(1), 2011",
    compare: |a, b, processors| {
        compare((a.relative_deadline, a.cost), (b.relative_deadline, b.cost), processors)
    },
};
