//! OMLP under global scheduling, suspension-oblivious.
//!
//! B. Brandenburg and J. Anderson, *Optimality results for multiprocessor real-time locking*, RTSS 2010, section 3
//! (Lemma 15 and Theorem 2), refined in Brandenburg's dissertation, 2011, section 6.2.1: behind a FIFO queue of m
//! places stands a priority queue; a request waits for at most 2m - 1 others, of one task for at most two. With at most
//! m + 1 tasks that share the resource, at most one waits in the priority queue, and each other task is before a
//! request once.
//!
//! Suspension-oblivious: waiting counts as execution. Assumes no nesting and valid bounds on response times.

use crate::blocking::contention::{Contention, Entry, Kind, Limit};
use crate::blocking::{Sharing, Terms};
use crate::steps::{DelayCause, Parts, Unwatched};

/// By task: total waiting of one job, on `processors`.
pub fn bounds(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<Terms> {
    let found = with_parts::<Unwatched>(sharing, responses, processors);
    found.into_iter().map(|(terms, _)| terms).collect()
}

/// Returns what [`bounds`] does, with the parts.
pub(crate) fn with_parts<P: Parts>(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<(Terms, P)> {
    let contention = Contention::new(sharing, responses, Kind::Any);
    let processors = u64::from(processors.max(1));
    let of = |task: usize| {
        let (mut wait, mut parts) = (0u64, P::default());
        for request in sharing.requests(task) {
            let of_it = |entry: &Entry| entry.resource == request.resource;
            let users = contention.entries().iter().filter(|entry| of_it(entry)).count() as u64;
            let issued = request.count();
            let (others, each) =
                if users <= processors + 1 { (users - 1, issued) } else { (2 * processors - 1, 2 * issued) };
            let limit = Limit { total: others.saturating_mul(issued), each };
            let delay = contention.longest(task, limit, of_it, DelayCause::Waiting, &mut parts);
            wait = wait.saturating_add(delay.length);
        }
        (Terms::new(wait, 0), parts)
    };
    (0..sharing.tasks().len()).map(of).collect()
}
