//! Priority inheritance on one processor: a job may be blocked several times.
//!
//! L. Sha, R. Rajkumar and J. Lehoczky, *Priority inheritance protocols*, IEEE Transactions on Computers 39(9), 1990,
//! Theorems 3 and 6: at most one section of each less urgent task and at most one section on each resource
//! block a job, and only sections on resources that a task of its level or above uses. [`bounds`] gives the smaller of
//! both sums.
//!
//! "At most one section on each resource" assumes that a lock which is released goes to the job that executes next and
//! asks for it. Where it is handed to a waiting job at once, as in most implementations, it does not hold: C holds R, B
//! waits for R, A arrives, waits for C, and releases R to B; if A (or A's next job, while another job is pending)
//! requests R again, B blocks it on the same resource. [`once_per_task`] then remains.
//!
//! Assumes one processor in each cluster, resources used in one cluster only, no nesting, and jobs that suspend
//! themselves for nothing else.

use crate::blocking::candidates::{longest_of_each, of_less_urgent};
use crate::blocking::ceilings::ceilings;
use crate::blocking::{Requests, Sharing, Terms};
use crate::steps::{Unwatched, Watch};

/// By task: the longest section of each less urgent task, whichever way locks are handed over.
pub fn once_per_task(sharing: &Sharing) -> Vec<Terms> {
    watched(sharing, &mut Unwatched)
}

/// Returns what [`once_per_task`] does, while `watch` watches.
pub(crate) fn watched(sharing: &Sharing, watch: &mut impl Watch) -> Vec<Terms> {
    let ceilings = ceilings(sharing);
    let of = |task: usize| {
        let level = sharing.tasks()[task].level;
        let reaches = |request: &Requests| ceilings[request.resource as usize] <= level;
        Terms::new(0, longest_of_each(task, of_less_urgent(sharing, task, &reaches), watch))
    };
    (0..sharing.tasks().len()).map(of).collect()
}

/// By task: the smaller of the sums over less urgent tasks and over resources.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    let by_task = blockers(sharing).map(|blockers| {
        let sum = |lengths: &mut dyn Iterator<Item = u64>| lengths.fold(0, u64::saturating_add);
        let tasks = sum(&mut blockers.iter().map(|row| row.iter().copied().max().unwrap_or(0)));
        let columns = blockers.first().map_or(0, Vec::len);
        let resources =
            sum(&mut (0..columns).map(|column| blockers.iter().map(|row| row[column]).max().unwrap_or(0)));
        Terms::new(0, tasks.min(resources))
    });
    by_task.collect()
}

/// By task: by less urgent task and resource, the longest section that may block.
fn blockers(sharing: &Sharing) -> impl Iterator<Item = Vec<Vec<u64>>> + '_ {
    let ceilings = ceilings(sharing);
    let all = || sharing.tasks().iter().enumerate();
    sharing.tasks().iter().map(move |task| {
        let row = |other: usize| {
            let mut row = vec![0; ceilings.len()];
            for request in sharing.requests(other) {
                let resource = request.resource as usize;
                row[resource] = if ceilings[resource] <= task.level { request.length() } else { 0 };
            }
            row
        };
        let lower = all().filter(|(_, other)| other.cluster == task.cluster && other.level > task.level);
        lower.map(|(other, _)| row(other)).collect()
    })
}
