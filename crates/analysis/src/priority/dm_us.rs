//! DM-US\[1/3\]: M. Bertogna, M. Cirinei and G. Lipari, *New schedulability tests for real-time task sets scheduled by
//! deadline monotonic on multiprocessors*, OPODIS 2005.

use super::PriorityRule;
use crate::exact::compare;

/// Tasks of a density above 1/3 first, among themselves by task; then by relative deadline.
pub(super) const RULE: PriorityRule = PriorityRule {
    name: "DM-US",
    source: "Bertogna, Cirinei and Lipari, OPODIS 2005",
    compare: |a, b, _| {
        let heavy = |task: &crate::SporadicTask| {
            compare((task.cost, task.relative_deadline.min(task.period)), (1, 3)).is_gt()
        };
        // Among heavy ones the key says nothing.
        let key = |task: &crate::SporadicTask| if heavy(task) { None } else { Some(task.relative_deadline) };
        key(a).cmp(&key(b))
    },
};
