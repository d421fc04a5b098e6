//! FMLP for long resources under global scheduling, suspension-oblivious.
//!
//! A. Block, H. Leontyev, B. Brandenburg and J. Anderson, *A flexible real-time locking protocol for multiprocessors*,
//! RTCSA 2007, section 4 (long requests under G-EDF), counted as in B. Brandenburg's dissertation, 2011, section 6.5:
//! the queue is first come, first served, so that each other task is before a request at most once; the holder
//! inherits.
//!
//! Suspension-oblivious: waiting counts as execution. Assumes no nesting but by group locks, and valid bounds on
//! response times.

use crate::blocking::contention::{Contention, Delay, Entry, Kind, Limit};
use crate::blocking::{Sharing, Terms};
use crate::steps::{DelayCause, Parts, Unwatched};

/// By task: total waiting of one job.
pub fn bounds(sharing: &Sharing, responses: &[u64]) -> Vec<Terms> {
    let found = delays::<Unwatched>(sharing, responses);
    found.into_iter().map(|(delay, _)| Terms::new(delay.length, 0)).collect()
}

/// By task: the requests of others that its job waits for, and the parts of this delay.
pub(crate) fn delays<P: Parts>(sharing: &Sharing, responses: &[u64]) -> Vec<(Delay, P)> {
    let contention = Contention::new(sharing, responses, Kind::Any);
    let of = |task: usize| {
        let (mut delay, mut parts) = (Delay::default(), P::default());
        for request in sharing.requests(task) {
            let limit = Limit { total: u64::MAX, each: request.count() };
            let may = |entry: &Entry| entry.resource == request.resource;
            delay = delay.and(contention.longest(task, limit, may, DelayCause::Waiting, &mut parts));
        }
        (delay, parts)
    };
    (0..sharing.tasks().len()).map(of).collect()
}
