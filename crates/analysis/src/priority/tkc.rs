//! T - kC: B. Andersson and J. Jonsson, *Fixed-priority preemptive multiprocessor scheduling: to partition or not to
//! partition*, RTCSA 2000.

use super::slack_weighted::compare;
use super::PriorityRule;

/// The smaller T - kC first.
pub(super) const RULE: PriorityRule = PriorityRule {
    name: "TkC",
    source: "Andersson and Jonsson, RTCSA 2000",
    compare: |a, b, processors| compare((a.period, a.cost), (b.period, b.cost), processors),
};
