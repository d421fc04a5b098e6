//! FMLP+ under partitioned scheduling: FIFO queues, holders boosted by when they issued their requests,
//! suspension-aware.
//!
//! B. Brandenburg, *Scheduling and locking in multiprocessor real-time operating systems*, dissertation, Chapel Hill
//! 2011, section 6.4.2. A job is blocked directly by at most one earlier request of each task at each of its requests;
//! each time that a request of another processor blocks it directly, every task there may delay that request by one
//! earlier request of its own, but no more often than the job requests something that this processor uses. Locally,
//! each less urgent task delays it by one request on arrival and one at each resumption. If holders are not preempted,
//! a later request may in addition delay each direct blocker once.
//!
//! Assumes partitions, no nesting and valid bounds on response times.

use crate::blocking::contention::{Contention, Delay, Entry, Kind, Limit};
use crate::blocking::dflp::once_per_task;
use crate::blocking::{Sharing, Terms};
use crate::steps::{DelayCause, Parts, Unwatched};

/// By task: suspension, and delay by boosted jobs of its own processor.
pub fn bounds(sharing: &Sharing, responses: &[u64], preemptive: bool) -> Vec<Terms> {
    let found = with_parts::<Unwatched>(sharing, responses, preemptive);
    found.into_iter().map(|(terms, _)| terms).collect()
}

/// Returns what [`bounds`] does, with the parts.
pub(crate) fn with_parts<P: Parts>(
    sharing: &Sharing,
    responses: &[u64],
    preemptive: bool,
) -> Vec<(Terms, P)> {
    let contention = Contention::new(sharing, responses, Kind::Any);
    (0..sharing.tasks().len()).map(|task| of_task(&contention, sharing, task, preemptive)).collect()
}

fn of_task<P: Parts>(
    contention: &Contention<'_>,
    sharing: &Sharing,
    task: usize,
    preemptive: bool,
) -> (Terms, P) {
    let own = sharing.tasks()[task];
    let mut parts = P::default();
    let (mut remote, mut blocked) = (Delay::default(), 0u64);
    for cluster in 0..sharing.clusters() {
        let (direct, shared) = conflicts(contention, sharing, task, cluster);
        blocked = blocked.saturating_add(direct);
        if cluster == own.cluster {
            continue;
        }
        let there = |entry: &Entry| entry.cluster == cluster;
        remote = remote.and(once_per_task(
            contention,
            sharing,
            task,
            direct.min(shared),
            there,
            DelayCause::Waiting,
            &mut parts,
        ));
        if !preemptive {
            let limit = Limit { total: direct, each: direct };
            remote = remote.and(contention.longest(task, limit, there, DelayCause::Waiting, &mut parts));
        }
    }
    let issued: u64 = sharing.requests(task).iter().map(|request| request.count()).sum();
    let arrivals = issued.min(blocked).saturating_add(1);
    let may = |entry: &Entry| entry.cluster == own.cluster && entry.level >= own.level;
    let local = once_per_task(contention, sharing, task, arrivals, may, DelayCause::KeptOff, &mut parts);
    (Terms::new(remote.length, local.length), parts)
}

/// Returns how many requests of `cluster` block a job of `task` directly, and how many of the job's requests may meet
/// one.
fn conflicts(contention: &Contention<'_>, sharing: &Sharing, task: usize, cluster: u32) -> (u64, u64) {
    let (mut direct, mut shared) = (0u64, 0u64);
    for request in sharing.requests(task) {
        let here = |entry: &Entry| entry.cluster == cluster && entry.resource == request.resource;
        if contention.entries().iter().any(here) {
            shared += request.count();
        }
        let limit = Limit { total: u64::MAX, each: request.count() };
        let met = contention.longest(task, limit, here, DelayCause::Waiting, &mut Unwatched);
        direct = direct.saturating_add(met.count);
    }
    (direct, shared)
}
