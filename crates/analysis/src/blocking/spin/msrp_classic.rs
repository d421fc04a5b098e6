//! MSRP: every request spins for the longest section of every other processor.
//!
//! P. Gai, G. Lipari and M. Di Natale, *Minimizing memory utilization of real-time task sets in single and
//! multi-processor systems-on-a-chip*, RTSS 2001, section 4: `spin(R, k)` is the sum over the other processors of their
//! longest section on R; a job spins for it at each of its requests (execution time is inflated by that). It is
//! blocked on arrival at most once: by `spin` and section of a less urgent job of its processor on a global
//! resource, or by a section on a local resource whose ceiling reaches its level.
//!
//! Assumes partitions, no nesting of global resources, non-preemptive FIFO spinning. Needs no response times. Linear in
//! requests times processors.

use crate::blocking::ceilings::longest_by_ceiling;
use crate::blocking::fifo::arrival_blocking;
use crate::blocking::{Sharing, Terms};

/// By task: spinning of one job in all, and blocking on arrival.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    terms_of(sharing, &sharing.is_local())
}

/// The same where no section is preempted, local ones neither: each may block any more urgent job on arrival.
pub fn without_ceilings(sharing: &Sharing) -> Vec<Terms> {
    terms_of(sharing, &vec![false; sharing.units().len()])
}

/// `local` by resource: whether a ceiling says whom its sections block.
fn terms_of(sharing: &Sharing, local: &[bool]) -> Vec<Terms> {
    let spins = spins(sharing);
    let clusters = sharing.clusters() as usize;
    let (mut all, mut spans) = (Vec::new(), Vec::new());
    for (at, task) in sharing.tasks().iter().enumerate() {
        let (mut spun, mut span) = (0u64, 0u64);
        for request in sharing.requests(at).iter().filter(|request| !local[request.resource as usize]) {
            let spin = spins[request.resource as usize * clusters + task.cluster as usize];
            spun = spun.saturating_add(spin.saturating_mul(request.count()));
            span = span.max(spin.saturating_add(request.length()));
        }
        all.push(spun);
        spans.push(span);
    }
    let on_arrival = arrival_blocking(sharing, &spans);
    let by_ceiling = longest_by_ceiling(&sharing.only(|resource| local[resource as usize]));
    let terms = |at: usize| Terms::new(all[at], on_arrival[at].max(by_ceiling[at]));
    (0..all.len()).map(terms).collect()
}

/// By resource, then by cluster: what a request from that cluster spins for at most.
pub fn spins(sharing: &Sharing) -> Vec<u64> {
    let clusters = sharing.clusters() as usize;
    let mut longest = vec![0u64; sharing.units().len() * clusters];
    for (at, task) in sharing.tasks().iter().enumerate() {
        for request in sharing.requests(at) {
            let place = &mut longest[request.resource as usize * clusters + task.cluster as usize];
            *place = request.length().max(*place);
        }
    }
    for row in longest.chunks_mut(clusters.max(1)) {
        let sum: u64 = row.iter().sum();
        row.iter_mut().for_each(|own| *own = sum - *own);
    }
    longest
}
