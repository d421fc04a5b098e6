//! MrsP: FIFO spinning at the local ceiling, with waiting jobs that help.
//!
//! A. Burns and A. Wellings, *A schedulability compatible multiprocessor resource sharing protocol: MrsP*, ECRTS 2013,
//! section IV: a request takes as long as one section on each processor that uses the resource,
//! `e = |map(G(r))| c`, since a job that waits on a processor that is free to run executes the section of a preempted
//! holder. A job is blocked once, by the longest `e` of a resource whose local ceiling reaches its priority and that a
//! less urgent task of its processor uses.
//!
//! Assumes fixed priorities, partitions, no nesting, and that helping costs nothing. `remote` is `e - c` at each
//! request, where c is the longest section of any task on the resource: a job's cost contains its own sections.

use crate::blocking::{Sharing, Terms};

/// By task: total spinning of one job, and blocking on arrival.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    let clusters = sharing.clusters() as usize;
    let mut ceilings = vec![u32::MAX; sharing.units().len() * clusters];
    let mut longest = vec![0u64; sharing.units().len()];
    for (index, task) in sharing.tasks().iter().enumerate() {
        for request in sharing.requests(index) {
            let ceiling = &mut ceilings[request.resource as usize * clusters + task.cluster as usize];
            *ceiling = task.level.min(*ceiling);
            let longest = &mut longest[request.resource as usize];
            *longest = request.length().max(*longest);
        }
    }
    let takes = |resource: usize| {
        let row = &ceilings[resource * clusters..(resource + 1) * clusters];
        let processors = row.iter().filter(|ceiling| **ceiling != u32::MAX).count() as u64;
        longest[resource].saturating_mul(processors)
    };
    let of = |index: usize| {
        let task = &sharing.tasks()[index];
        let mut spin = 0u64;
        for request in sharing.requests(index) {
            let more = takes(request.resource as usize) - request.length();
            spin = spin.saturating_add(more.saturating_mul(request.count()));
        }
        let mut arrival = 0;
        for (other, lower) in sharing.tasks().iter().enumerate() {
            if lower.cluster == task.cluster && lower.level > task.level {
                for request in sharing.requests(other) {
                    let resource = request.resource as usize;
                    if ceilings[resource * clusters + task.cluster as usize] <= task.level {
                        arrival = takes(resource).max(arrival);
                    }
                }
            }
            assert!(other == index || lower.level != task.level || lower.cluster != task.cluster);
        }
        Terms::new(spin, arrival)
    };
    (0..sharing.tasks().len()).map(of).collect()
}
