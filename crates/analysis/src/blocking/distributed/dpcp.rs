//! DPCP: sections execute on their resource's own processor, by priority, suspension-aware.
//!
//! R. Rajkumar, *Synchronization in real-time systems: a priority inheritance approach*, 1991, page 87. A job waits
//! remotely for one section of a less urgent task with a ceiling at least as urgent, at each of its requests to a
//! processor, and for all requests of more urgent tasks to that processor while it is pending; locally for all sections
//! that others execute on its processor.
//!
//! Assumes partitions, no nesting and valid bounds on response times. Of a job's own sections, the bound says nothing:
//! they are part of its cost, wherever they execute.

use crate::blocking::ceilings::ceilings;
use crate::blocking::contention::{Contention, Delay, Entry, Kind};
use crate::blocking::{Requests, Sharing, Terms};

/// By task: waiting for sections elsewhere, and delay by sections on its own processor; `home` gives the processor
/// of each resource.
pub fn bounds(sharing: &Sharing, responses: &[u64], home: &[u32]) -> Vec<Terms> {
    let ceilings = ceilings(sharing);
    by_processor(sharing, responses, home, |contention, task, issued, here| {
        elsewhere(contention, &ceilings, sharing, task, issued, here)
    })
}

/// By task: its waiting for requests to other processors, as `elsewhere` bounds it from the number of requests to a
/// processor and the entries for that processor; and its delay by the sections that others execute on its own
/// processor.
pub(super) fn by_processor(
    sharing: &Sharing,
    responses: &[u64],
    home: &[u32],
    elsewhere: impl Fn(&Contention<'_>, usize, u64, &dyn Fn(&Entry) -> bool) -> Delay,
) -> Vec<Terms> {
    let contention = Contention::new(sharing, responses, Kind::Any);
    let of = |task: usize| {
        let own = sharing.tasks()[task].cluster;
        let mut remote = Delay::default();
        for processor in (0..sharing.clusters()).filter(|processor| *processor != own) {
            let there = |request: &&Requests| home[request.resource as usize] == processor;
            let issued = sharing.requests(task).iter().filter(there).map(|request| request.count()).sum();
            let here = |entry: &Entry| home[entry.resource as usize] == processor;
            remote = remote.and(elsewhere(&contention, task, issued, &here));
        }
        let mut local = Delay::default();
        for entry in contention.entries() {
            if entry.task != task && home[entry.resource as usize] == own {
                local.add(contention.issued(entry, task), entry.length);
            }
        }
        Terms::new(remote.length, local.length)
    };
    (0..sharing.tasks().len()).map(of).collect()
}

/// Returns what delays `issued` requests of `task` to one processor, whose resources are `here`.
fn elsewhere(
    contention: &Contention<'_>,
    ceilings: &[u32],
    sharing: &Sharing,
    task: usize,
    issued: u64,
    here: impl Fn(&Entry) -> bool,
) -> Delay {
    let (mut delay, mut left) = (Delay::default(), issued);
    if issued == 0 {
        return delay;
    }
    let level = sharing.tasks()[task].level;
    for entry in contention.entries().iter().filter(|entry| entry.task != task && here(entry)) {
        let most = contention.issued(entry, task);
        if entry.level < level {
            delay.add(most, entry.length);
        } else if ceilings[entry.resource as usize] <= level {
            let count = most.min(left);
            delay.add(count, entry.length);
            left -= count;
        }
    }
    delay
}

/// By resource: its processor, assigned round-robin.
pub fn in_turn(resources: usize, processors: u32) -> Vec<u32> {
    (0..resources as u32).map(|resource| resource % processors.max(1)).collect()
}
