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

use crate::blocking::candidates::longest_sections_by_ceiling;
use crate::blocking::fifo::arrival_blocking;
use crate::blocking::{DelayingSection, Requests, Sharing, Terms};
use crate::steps::{DelayCause, Parts, Unwatched};

/// By task: total spinning of one job, and blocking on arrival.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    with_parts::<Unwatched>(sharing).into_iter().map(|(terms, _)| terms).collect()
}

/// Returns what [`bounds`] does, with the parts.
pub(crate) fn with_parts<P: Parts>(sharing: &Sharing) -> Vec<(Terms, P)> {
    terms_of(sharing, &sharing.is_local())
}

/// By task, with the parts: total spinning of one job, and blocking on arrival where no section is preempted. Even
/// sections on local resources may then block any more urgent job on arrival.
pub(crate) fn without_ceilings<P: Parts>(sharing: &Sharing) -> Vec<(Terms, P)> {
    terms_of(sharing, &vec![false; sharing.units().len()])
}

/// Terms of each task. `local` says by resource whether a ceiling limits which jobs its sections block.
fn terms_of<P: Parts>(sharing: &Sharing, local: &[bool]) -> Vec<(Terms, P)> {
    let spins = Spins::of(sharing);
    let terms = |(task, (arrival, at_arrival)): (usize, (u64, P))| {
        let mut parts = P::default();
        let spin = spins.of_job(sharing, task, &mut parts);
        parts.take(&at_arrival, 1);
        (Terms::new(spin, arrival), parts)
    };
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

    /// Notes the sections for which `count` requests for `resource` from `cluster` spin: of each other cluster, the
    /// first of the longest.
    fn note(
        &self,
        sharing: &Sharing,
        (resource, cluster): (u32, u32),
        count: u64,
        cause: DelayCause,
        parts: &mut impl Parts,
    ) {
        // Spins of short resources alone know no others.
        if self.of_request(resource, cluster) == 0 {
            return;
        }
        for other in (0..self.clusters as u32).filter(|other| *other != cluster) {
            let here = (0..sharing.tasks().len()).filter(|task| sharing.tasks()[*task].cluster == other);
            let length = |task: usize| {
                let of_it = |request: &&Requests| request.resource == resource;
                Some((sharing.requests(task).iter().find(of_it)?.length(), std::cmp::Reverse(task)))
            };
            if let Some((length, std::cmp::Reverse(task))) = here.filter_map(length).max() {
                parts.part(cause, task, resource, length, count);
            }
        }
    }

    /// Total spinning for all requests of one job of `task`, with its parts.
    pub(crate) fn of_job<P: Parts>(&self, sharing: &Sharing, task: usize, parts: &mut P) -> u64 {
        let cluster = sharing.tasks()[task].cluster;
        let mut sum = 0u64;
        for request in sharing.requests(task) {
            let spin = self.of_request(request.resource, cluster).saturating_mul(request.count());
            sum = sum.saturating_add(spin);
            if P::ARE_NOTED {
                let waited = (request.resource, cluster);
                self.note(sharing, waited, request.count(), DelayCause::Waiting, parts);
            }
        }
        sum
    }

    /// Returns the longest time of one request of `task`: its spinning and its section.
    pub(crate) fn span(&self, sharing: &Sharing, task: usize, request: &Requests) -> u64 {
        self.of_request(request.resource, sharing.tasks()[task].cluster).saturating_add(request.length())
    }

    /// Notes the parts of the longest time of one request of `task`, with causes for the section and the spinning.
    pub(crate) fn note_span(
        &self,
        sharing: &Sharing,
        task: usize,
        request: &Requests,
        (section, spinning): (DelayCause, DelayCause),
        parts: &mut impl Parts,
    ) {
        parts.part(section, task, request.resource, request.length(), 1);
        self.note(sharing, (request.resource, sharing.tasks()[task].cluster), 1, spinning, parts);
    }

    /// By task: the longest request of a less urgent job, which may block when the task's job arrives, with its parts.
    /// A request for a `stacked` resource counts only if the resource's ceiling reaches the job.
    pub(crate) fn on_arrival<P: Parts>(&self, sharing: &Sharing, stacked: &[bool]) -> Vec<(u64, P)> {
        let is_open = |request: &&Requests| !stacked[request.resource as usize];
        let longest = |task: usize| {
            let open = sharing.requests(task).iter().filter(is_open);
            open.map(|request| self.span(sharing, task, request)).max().unwrap_or(0)
        };
        let spans: Vec<u64> = (0..sharing.tasks().len()).map(longest).collect();
        let by_ceiling = longest_sections_by_ceiling(&sharing.only(|resource| stacked[resource as usize]));
        let together = |((span, by), section): ((u64, usize), Option<DelayingSection>)| {
            let length = section.map_or(0, |section| section.length);
            let mut parts = P::default();
            if P::ARE_NOTED && span >= length && span > 0 {
                let mut open = sharing.requests(by).iter().filter(is_open);
                let request = open.find(|request| self.span(sharing, by, request) == span);
                let causes = (DelayCause::Arrival, DelayCause::ArrivalSpinning);
                self.note_span(sharing, by, request.expect("one is the longest"), causes, &mut parts);
            } else if let Some(section) = section {
                parts.part(DelayCause::Arrival, section.task.index(), section.resource.0, length, 1);
            }
            (span.max(length), parts)
        };
        arrival_blocking(sharing, |task| spans[task]).into_iter().zip(by_ceiling).map(together).collect()
    }
}
