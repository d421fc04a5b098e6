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
use crate::steps::{DelayCause, Parts, Unwatched};

/// By task: waiting for sections elsewhere, and delay by sections on its own processor; `home` gives the processor
/// of each resource.
pub fn bounds(sharing: &Sharing, responses: &[u64], home: &[u32]) -> Vec<Terms> {
    with_parts::<Unwatched>(sharing, responses, home).into_iter().map(|(terms, _)| terms).collect()
}

/// Returns what [`bounds`] does, with the parts.
pub(crate) fn with_parts<P: Parts>(sharing: &Sharing, responses: &[u64], home: &[u32]) -> Vec<(Terms, P)> {
    let ceilings = ceilings(sharing);
    by_processor(sharing, responses, home, |contention, task, issued, here, parts| {
        elsewhere(contention, &ceilings, sharing, task, issued, here, parts)
    })
}

/// By task: its waiting for requests to other processors, as `elsewhere` bounds it from the number of requests to a
/// processor and the entries for that processor; and its delay by the sections that others execute on its own
/// processor.
pub(super) fn by_processor<P: Parts>(
    sharing: &Sharing,
    responses: &[u64],
    home: &[u32],
    elsewhere: impl Fn(&Contention<'_>, usize, u64, &dyn Fn(&Entry) -> bool, &mut P) -> Delay,
) -> Vec<(Terms, P)> {
    let contention = Contention::new(sharing, responses, Kind::Any);
    let of = |task: usize| {
        let own = sharing.tasks()[task].cluster;
        let (mut remote, mut parts) = (Delay::default(), P::default());
        for processor in (0..sharing.clusters()).filter(|processor| *processor != own) {
            let there = |request: &&Requests| home[request.resource as usize] == processor;
            let issued = sharing.requests(task).iter().filter(there).map(|request| request.count()).sum();
            let here = |entry: &Entry| home[entry.resource as usize] == processor;
            remote = remote.and(elsewhere(&contention, task, issued, &here, &mut parts));
        }
        let mut local = Delay::default();
        for entry in contention.entries() {
            if entry.task != task && home[entry.resource as usize] == own {
                let count = contention.issued(entry, task);
                local.add(count, entry.length);
                parts.part(DelayCause::KeptOff, entry.task, entry.resource, entry.length, count);
            }
        }
        (Terms::new(remote.length, local.length), parts)
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
    parts: &mut impl Parts,
) -> Delay {
    let (mut delay, mut left) = (Delay::default(), issued);
    if issued == 0 {
        return delay;
    }
    let level = sharing.tasks()[task].level;
    for entry in contention.entries().iter().filter(|entry| entry.task != task && here(entry)) {
        let most = contention.issued(entry, task);
        let count = if entry.level < level {
            most
        } else if ceilings[entry.resource as usize] <= level {
            let count = most.min(left);
            left -= count;
            count
        } else {
            continue;
        };
        delay.add(count, entry.length);
        parts.part(DelayCause::Waiting, entry.task, entry.resource, entry.length, count);
    }
    delay
}

/// By resource: its processor, assigned round-robin.
pub fn in_turn(resources: usize, processors: u32) -> Vec<u32> {
    (0..resources as u32).map(|resource| resource % processors.max(1)).collect()
}
