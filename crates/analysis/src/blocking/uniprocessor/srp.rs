//! The stack resource policy on one processor, with resources of several units.
//!
//! T. Baker, *Stack-based scheduling of realtime processes*, Real-Time Systems 3(1), 1991: the ceiling of a resource of
//! which n units are free is the most urgent level of tasks that may need more than n at once; a job starts once its
//! level is above all current ceilings, and is blocked at most once (Theorem 6), for one section of a less urgent job.
//! A section counts if, with all units taken that less urgent tasks can hold at once, the ceiling reaches the job.
//!
//! Assumes one processor in each cluster and resources used in one cluster only. Levels: fixed priorities, or ranks of
//! relative deadlines under EDF. Nested sections count as sections of their own.

use crate::blocking::{Sharing, Terms};

/// The ceiling of `resource` with `free` units free: the most urgent level that may need more; `None` if no task does.
pub fn ceiling(sharing: &Sharing, resource: u32, free: u32) -> Option<u32> {
    let needs_more = |task: &usize| {
        sharing.requests(*task).iter().any(|request| request.resource == resource && request.units > free)
    };
    let tasks = (0..sharing.tasks().len()).filter(needs_more);
    tasks.map(|task| sharing.tasks()[task].level).min()
}

/// By task: the longest section that blocks.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    (0..sharing.tasks().len()).map(|task| Terms::new(0, longest(sharing, task))).collect()
}

fn longest(sharing: &Sharing, index: usize) -> u64 {
    let task = &sharing.tasks()[index];
    let mut longest = 0;
    for resource in 0..sharing.units().len() as u32 {
        let (mut held, mut section) = (0u32, 0u64);
        for (other, lower) in sharing.tasks().iter().enumerate() {
            if lower.level > task.level && lower.cluster == task.cluster {
                for request in sharing.requests(other).iter().filter(|request| request.resource == resource) {
                    held = held.saturating_add(request.units);
                    section = section.max(request.length());
                }
            }
        }
        let free = sharing.units()[resource as usize].saturating_sub(held);
        if ceiling(sharing, resource, free).is_some_and(|ceiling| ceiling <= task.level) {
            longest = longest.max(section);
        }
    }
    longest
}
