//! Priority ceilings: the urgency of the users of each resource.

use crate::blocking::Sharing;

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
