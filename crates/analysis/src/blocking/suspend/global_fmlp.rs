//! FMLP for long resources under global scheduling, suspension-oblivious.
//!
//! A. Block, H. Leontyev, B. Brandenburg and J. Anderson, *A flexible real-time locking protocol for multiprocessors*,
//! RTCSA 2007, section 4 (long requests under G-EDF), counted as in B. Brandenburg's dissertation, 2011, section 6.5:
//! the queue is first come, first served, so that each other task is before a request at most once; the holder
//! inherits.
//!
//! Suspension-oblivious: waiting counts as execution. Assumes no nesting but by group locks, and valid bounds on
//! response times.

use crate::blocking::contention::{Contention, Delay, Kind, Limit};
use crate::blocking::{Requests, Sharing, Terms};

/// By task: total waiting of one job.
pub fn bounds(sharing: &Sharing, responses: &[u64]) -> Vec<Terms> {
    delays(sharing, responses).into_iter().map(|delay| Terms::new(delay.length, 0)).collect()
}

/// By task: the requests of others that its job waits for.
pub(crate) fn delays(sharing: &Sharing, responses: &[u64]) -> Vec<Delay> {
    let contention = Contention::new(sharing, responses, Kind::Any);
    let of = |task: usize| {
        let wait = |request: &Requests| {
            let limit = Limit { total: u64::MAX, each: request.count() };
            contention.longest(task, limit, |entry| entry.resource == request.resource)
        };
        sharing.requests(task).iter().map(wait).fold(Delay::default(), Delay::and)
    };
    (0..sharing.tasks().len()).map(of).collect()
}
