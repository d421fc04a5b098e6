//! The stack resource policy on one processor, with resources of several units.
//!
//! T. Baker, *Stack-based scheduling of realtime processes*, Real-Time Systems 3(1), 1991: the ceiling of a resource of
//! which n units are free is the most urgent level of tasks that may need more than n at once; a job starts once its
//! level is above all current ceilings, and is blocked at most once (Theorem 6), for one section of a less urgent job.
//! A section counts if, with all units taken that less urgent tasks can hold at once, the ceiling reaches the job.
//!
//! Assumes one processor in each cluster and resources used in one cluster only. Levels: fixed priorities, or ranks of
//! relative deadlines under EDF. Nested sections count as sections of their own.

use crate::blocking::candidates::{longest, of_less_urgent};
use crate::blocking::{Requests, Sharing, Terms};
use crate::steps::{Unwatched, Watch};

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
    watched(sharing, &mut Unwatched)
}

/// Returns what [`bounds`] does, while `watch` watches.
pub(crate) fn watched(sharing: &Sharing, watch: &mut impl Watch) -> Vec<Terms> {
    let of = |task: usize| {
        let reaches = reaching(sharing, task);
        let may_block = |request: &Requests| reaches[request.resource as usize];
        Terms::new(0, longest(task, of_less_urgent(sharing, task, &may_block), watch))
    };
    (0..sharing.tasks().len()).map(of).collect()
}

/// By resource: whether its ceiling reaches the task at `index` with all units taken that less urgent tasks can hold.
fn reaching(sharing: &Sharing, index: usize) -> Vec<bool> {
    let task = &sharing.tasks()[index];
    let mut free = sharing.units().to_vec();
    for (other, lower) in sharing.tasks().iter().enumerate() {
        if lower.level > task.level && lower.cluster == task.cluster {
            for request in sharing.requests(other) {
                let units = &mut free[request.resource as usize];
                *units = units.saturating_sub(request.units);
            }
        }
    }
    let reaches =
        |(resource, free)| ceiling(sharing, resource, free).is_some_and(|level| level <= task.level);
    (0..).zip(free).map(reaches).collect()
}
