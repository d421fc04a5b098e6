//! Priority ceilings: how urgent the users of each resource are.

use super::sharing::Sharing;

/// By resource: the most urgent level among its users; `u32::MAX` if there are none.
pub fn ceilings(sharing: &Sharing) -> Vec<u32> {
    let mut ceilings = vec![u32::MAX; sharing.units().len()];
    for (at, task) in sharing.tasks().iter().enumerate() {
        for request in sharing.requests(at) {
            let ceiling = &mut ceilings[request.resource as usize];
            *ceiling = task.level.min(*ceiling);
        }
    }
    ceilings
}

/// The longest section of less urgent tasks of the same cluster that has a ceiling at least as urgent as each task: by task.
///
/// That is what one job waits for at most where ceilings let at most one section of less urgent jobs be open. Tasks
/// of equal level count if `equals_block`.
pub fn longest_by_ceiling(sharing: &Sharing, equals_block: bool) -> Vec<u64> {
    let ceilings = ceilings(sharing);
    let of = |(at, task): (usize, &super::sharing::Sharer)| {
        let mut longest = 0;
        for (other_at, other) in sharing.tasks().iter().enumerate() {
            let below = other.level > task.level || (equals_block && other.level == task.level);
            if other_at == at || other.cluster != task.cluster || !below {
                continue;
            }
            for request in sharing.requests(other_at) {
                if ceilings[request.resource as usize] <= task.level {
                    longest = longest.max(request.length());
                }
            }
        }
        longest
    };
    sharing.tasks().iter().enumerate().map(of).collect()
}
