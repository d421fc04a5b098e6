//! DM-US\[1/3\]: M. Bertogna, M. Cirinei and G. Lipari, *New schedulability tests for real-time task sets scheduled by
//! deadline monotonic on multiprocessors*, OPODIS 2005.

use super::PriorityRule;
use crate::exact::compare;
use std::cmp::Ordering;

/// Tasks of a density above 1/3 first, among themselves by task; then by relative deadline.
pub(super) const RULE: PriorityRule = PriorityRule {
    name: "DM-US",
    source: "Bertogna, Cirinei and Lipari, OPODIS 2005",
    compare: |a, b, _| {
        let heavy = |task: &crate::SporadicTask| {
            compare((task.cost, task.relative_deadline.min(task.period)), (1, 3)).is_gt()
        };
        match (heavy(a), heavy(b)) {
            (true, true) => Ordering::Equal,
            (false, false) => a.relative_deadline.cmp(&b.relative_deadline),
            (a_first, _) => {
                if a_first {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    },
};
