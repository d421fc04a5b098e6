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

use crate::blocking::candidates::longest_by_ceiling;
use crate::blocking::fifo::arrival_blocking;
use crate::blocking::{Requests, Sharing, Terms};
use crate::steps::Unwatched;

/// By task: total spinning of one job, and blocking on arrival.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    terms_of(sharing, &sharing.is_local())
}

/// By task: total spinning of one job, and blocking on arrival where no section is preempted. Even sections on local
/// resources may then block any more urgent job on arrival.
pub(crate) fn without_ceilings(sharing: &Sharing) -> Vec<Terms> {
    terms_of(sharing, &vec![false; sharing.units().len()])
}

/// Terms of each task. `local` says by resource whether a ceiling limits which jobs its sections block.
fn terms_of(sharing: &Sharing, local: &[bool]) -> Vec<Terms> {
    let spins = Spins::of(sharing);
    let terms = |(task, arrival): (usize, u64)| Terms::new(spins.of_job(sharing, task), arrival);
    spins.on_arrival(sharing, local).into_iter().enumerate().map(terms).collect()
}

/// Longest time that one request spins.
pub struct Spins {
    /// Longest spinning by resource, then by cluster, in ns.
    longest: Vec<u64>,
    clusters: usize,
}

impl Spins {
    /// Computes the spinning for the requests of `sharing`.
    pub(crate) fn of(sharing: &Sharing) -> Self {
        let clusters = sharing.clusters() as usize;
        let mut longest = vec![0u64; sharing.units().len() * clusters];
        for (index, task) in sharing.tasks().iter().enumerate() {
            for request in sharing.requests(index) {
                let place = &mut longest[request.resource as usize * clusters + task.cluster as usize];
                *place = request.length().max(*place);
            }
        }
        for row in longest.chunks_mut(clusters.max(1)) {
            let sum: u64 = row.iter().sum();
            row.iter_mut().for_each(|own| *own = sum - *own);
        }
        Spins { longest, clusters }
    }

    /// Returns the longest spinning for one request for `resource` from `cluster`.
    pub(crate) fn of_request(&self, resource: u32, cluster: u32) -> u64 {
        self.longest[resource as usize * self.clusters + cluster as usize]
    }

    /// Total spinning for all requests of one job of `task`.
    pub(crate) fn of_job(&self, sharing: &Sharing, task: usize) -> u64 {
        let cluster = sharing.tasks()[task].cluster;
        let spin =
            |request: &Requests| self.of_request(request.resource, cluster).saturating_mul(request.count());
        sharing.requests(task).iter().map(spin).fold(0, u64::saturating_add)
    }

    /// Returns the longest time of one request of `task`: its spinning and its section.
    pub(crate) fn span(&self, sharing: &Sharing, task: usize, request: &Requests) -> u64 {
        self.of_request(request.resource, sharing.tasks()[task].cluster).saturating_add(request.length())
    }

    /// By task: the longest request of a less urgent job, which may block when the task's job arrives. A request for a
    /// `stacked` resource counts only if the resource's ceiling reaches the job.
    pub(crate) fn on_arrival(&self, sharing: &Sharing, stacked: &[bool]) -> Vec<u64> {
        let longest = |task: usize| {
            let open = sharing.requests(task).iter().filter(|request| !stacked[request.resource as usize]);
            open.map(|request| self.span(sharing, task, request)).max().unwrap_or(0)
        };
        let spans: Vec<u64> = (0..sharing.tasks().len()).map(longest).collect();
        let by_ceiling =
            longest_by_ceiling(&sharing.only(|resource| stacked[resource as usize]), &mut Unwatched);
        arrival_blocking(sharing, &spans).into_iter().zip(by_ceiling).map(|(a, b)| a.max(b)).collect()
    }
}
