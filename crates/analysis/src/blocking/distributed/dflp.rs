//! DFLP: sections execute on their resource's own processor, first come, first served, suspension-aware.
//!
//! B. Brandenburg, *Improved analysis and evaluation of real-time semaphore protocols for P-FP scheduling*, RTAS 2013,
//! sections II.C and V: agents on a processor are ordered by when their requests were issued. That paper bounds delays
//! by linear programs; this is the closed form of its two constraints for the DFLP. A request of a job to a processor
//! waits for at most one earlier request of each other task there, since a task has one request at a time: in all for
//! no more than the job issues to that processor, and no more than the other task issues meanwhile. Locally, everything
//! that others execute on the processor of the job may delay it, as under the DPCP.
//!
//! Assumes partitions, no nesting and valid bounds on response times.

use super::dpcp::by_processor;
use crate::blocking::contention::{Contention, Delay, Entry, Limit};
use crate::blocking::{Sharing, Terms};
use crate::steps::{DelayCause, Parts, Unwatched};

/// By task: waiting for sections elsewhere, and delay by sections on its own processor; `home` gives the processor
/// of each resource.
pub fn bounds(sharing: &Sharing, responses: &[u64], home: &[u32]) -> Vec<Terms> {
    with_parts::<Unwatched>(sharing, responses, home).into_iter().map(|(terms, _)| terms).collect()
}

/// Returns what [`bounds`] does, with the parts.
pub(crate) fn with_parts<P: Parts>(sharing: &Sharing, responses: &[u64], home: &[u32]) -> Vec<(Terms, P)> {
    by_processor(sharing, responses, home, |contention, task, issued, here, parts| {
        once_per_task(contention, sharing, task, issued, here, DelayCause::Waiting, parts)
    })
}

/// Returns the longest `issued` requests of each other task, among its entries that are `here`; `parts` takes each with
/// its `cause`.
pub(crate) fn once_per_task(
    contention: &Contention<'_>,
    sharing: &Sharing,
    task: usize,
    issued: u64,
    here: impl Fn(&Entry) -> bool,
    cause: DelayCause,
    parts: &mut impl Parts,
) -> Delay {
    let limit = Limit { total: issued, each: u64::MAX };
    let of = |other: usize| {
        contention.longest(task, limit, |entry| entry.task == other && here(entry), cause, parts)
    };
    (0..sharing.tasks().len()).map(of).fold(Delay::default(), Delay::and)
}
