//! RM-US\[m / (3m - 2)\]: B. Andersson, S. Baruah and J. Jonsson, *Static-priority scheduling on multiprocessors*,
//! RTSS 2001.

use super::PriorityRule;
use crate::exact::compare;

/// Tasks of a utilization above m / (3m - 2) first, among themselves by task; then by period.
pub(super) const RULE: PriorityRule = PriorityRule {
    name: "RM-US",
    source: "Andersson, Baruah and Jonsson, RTSS 2001",
    compare: |a, b, processors| {
        let m = u64::from(processors.max(1));
        let heavy = |task: &crate::SporadicTask| compare((task.cost, task.period), (m, 3 * m - 2)).is_gt();
        // Among heavy ones the key says nothing.
        let key = |task: &crate::SporadicTask| if heavy(task) { None } else { Some(task.period) };
        key(a).cmp(&key(b))
    },
};
