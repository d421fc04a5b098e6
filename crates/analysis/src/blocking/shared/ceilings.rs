//! Priority ceilings: the urgency of the users of each resource.

use crate::blocking::{Sharer, Sharing};

/// By resource: the most urgent level among its users; `u32::MAX` if there are none.
pub(crate) fn ceilings(sharing: &Sharing) -> Vec<u32> {
    let mut ceilings = vec![u32::MAX; sharing.units().len()];
    for (index, task) in sharing.tasks().iter().enumerate() {
        for request in sharing.requests(index) {
            let ceiling = &mut ceilings[request.resource as usize];
            *ceiling = task.level.min(*ceiling);
        }
    }
    ceilings
}

/// By task: the longest section of less urgent tasks of the same cluster whose ceiling is at least as urgent as the
/// task.
///
/// One job waits for no more than this if ceilings allow at most one open section of less urgent jobs.
pub(crate) fn longest_by_ceiling(sharing: &Sharing) -> Vec<u64> {
    let ceilings = ceilings(sharing);
    let of = |task: &Sharer| {
        let is_lower = |other: &usize| {
            let other = &sharing.tasks()[*other];
            other.cluster == task.cluster && other.level > task.level
        };
        let sections = (0..sharing.tasks().len()).filter(is_lower).flat_map(|other| sharing.requests(other));
        let may_block = sections.filter(|request| ceilings[request.resource as usize] <= task.level);
        may_block.map(|request| request.length()).max().unwrap_or(0)
    };
    sharing.tasks().iter().map(of).collect()
}
