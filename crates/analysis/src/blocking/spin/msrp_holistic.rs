//! MSRP with requests counted over the whole job.
//!
//! B. Brandenburg, *Scheduling and locking in multiprocessor real-time operating systems*, dissertation, Chapel Hill
//! 2011, section 5.4.5, for the protocol of P. Gai, G. Lipari and M. Di Natale, RTSS 2001: all requests of one job for
//! a resource together wait for at most as many requests of each other processor, the longest that can be issued while
//! the job is pending. On arrival a job is blocked once: by one spin and section of a less urgent job of its processor,
//! or by a section on a local resource whose ceiling reaches its level.
//!
//! Assumes partitions, no nesting of global resources, and valid bounds on response times. [`Prepared`] can be used
//! again without allocating anew: response times change only the spinning of tasks whose requests outnumber those of
//! one job elsewhere.

use crate::blocking::members::Members;
use crate::blocking::{Sharer, Sharing, Terms};
use crate::steps::{DelayCause, Parts, Unwatched};

/// By task: total spinning of one job, and blocking on arrival.
pub fn bounds(sharing: &Sharing, responses: &[u64]) -> Vec<Terms> {
    let mut prepared = Prepared::default();
    prepared.prepare(sharing);
    let terms = |task: usize| Terms::new(prepared.spin(sharing, task, responses), prepared.arrival(task));
    (0..sharing.tasks().len()).map(terms).collect()
}

/// Working memory of the bounds.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// All requests with their resources, cluster by cluster.
    requests: Vec<(u32, TaskRequests)>,
    /// The requests for resources of several processors, by resource, then processor, then falling length.
    rows: Vec<TaskRequests>,
    /// By resource: index of its first row.
    first: Vec<u32>,
    members: Members,
    is_local: Vec<bool>,
    home: Vec<u32>,
    arrival: Vec<u64>,
    spans: Vec<u64>,
    ceilings: Vec<u32>,
    /// By task: its spinning, if that depends on no response time.
    fixed: Vec<Option<u64>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct TaskRequests {
    task: u32,
    cluster: u32,
    count: u64,
    length: u64,
    period: u64,
}

impl Prepared {
    /// Reads `sharing`, in place of what was read before.
    pub fn prepare(&mut self, sharing: &Sharing) {
        self.members.fill(sharing);
        self.list_requests(sharing);
        self.list_rows(sharing);
        self.bound_arrivals(sharing);
    }

    /// Reads the requests once, cluster by cluster, and notes which resources they use.
    fn list_requests(&mut self, sharing: &Sharing) {
        let resources = sharing.units().len();
        let Prepared { members, requests, home, is_local, ceilings, .. } = self;
        home.clear();
        home.resize(resources, u32::MAX);
        is_local.clear();
        is_local.resize(resources, true);
        ceilings.clear();
        ceilings.resize(resources, u32::MAX);
        requests.clear();
        for task in members.all() {
            let Sharer { cluster, period, level, .. } = sharing.tasks()[*task as usize];
            for request in sharing.requests(*task as usize) {
                let resource = request.resource as usize;
                if home[resource] == u32::MAX {
                    home[resource] = cluster;
                }
                is_local[resource] &= home[resource] == cluster;
                ceilings[resource] = ceilings[resource].min(level);
                let (count, length) = (request.count(), request.length());
                requests
                    .push((request.resource, TaskRequests { task: *task, cluster, count, length, period }));
            }
        }
    }

    /// Lists the requests for resources of several processors: it counts them, then places those of one resource
    /// together.
    fn list_rows(&mut self, sharing: &Sharing) {
        let resources = sharing.units().len();
        let Prepared { requests, is_local, first, rows, .. } = self;
        first.clear();
        first.resize(resources + 2, 0);
        for (resource, _) in &*requests {
            first[*resource as usize + 2] += u32::from(!is_local[*resource as usize]);
        }
        for index in 2..resources + 2 {
            first[index] += first[index - 1];
        }
        rows.clear();
        rows.resize(first[resources + 1] as usize, TaskRequests::default());
        for (resource, row) in requests.iter().filter(|(resource, _)| !is_local[*resource as usize]) {
            let place = &mut first[*resource as usize + 1];
            rows[*place as usize] = *row;
            *place += 1;
        }
        for ends in first[..=resources].windows(2) {
            // Requests of one cluster stand together already.
            let users = &mut rows[ends[0] as usize..ends[1] as usize];
            for cluster in users.chunk_by_mut(|a, b| a.cluster == b.cluster) {
                cluster.sort_unstable_by(|a, b| b.length.cmp(&a.length).then(a.task.cmp(&b.task)));
            }
        }
    }

    fn rows(&self, resource: u32) -> &[TaskRequests] {
        &self.rows[self.first[resource as usize] as usize..self.first[resource as usize + 1] as usize]
    }

    fn bound_arrivals(&mut self, sharing: &Sharing) {
        self.bound_spans(sharing);
        self.arrival.clear();
        self.arrival.resize(sharing.tasks().len(), 0);
        let Prepared { members, spans, arrival, ceilings, is_local, home, .. } = self;
        members.each_delayed(sharing, |task, other| arrival[task] = arrival[task].max(spans[other]));
        let is_used = |resource: &usize| home[*resource] != u32::MAX;
        if !(0..is_local.len()).filter(is_used).any(|resource| is_local[resource]) {
            return;
        }
        members.each_delayed(sharing, |task, other| {
            for request in sharing.requests(other) {
                let resource = request.resource as usize;
                if is_local[resource] && ceilings[resource] <= sharing.tasks()[task].level {
                    arrival[task] = arrival[task].max(request.length());
                }
            }
        });
    }

    /// Bounds the span of one request and, where possible, the spinning of whole jobs.
    ///
    /// One request meets the longest section of each other processor, whatever the response times are. Several requests
    /// do so too if the same job elsewhere issues at least as many.
    fn bound_spans(&mut self, sharing: &Sharing) {
        self.spans.clear();
        self.spans.resize(sharing.tasks().len(), 0);
        self.fixed.clear();
        self.fixed.resize(sharing.tasks().len(), Some(0));
        for ends in self.first[..=sharing.units().len()].windows(2) {
            let users = &self.rows[ends[0] as usize..ends[1] as usize];
            let clusters = || users.chunk_by(|a, b| a.cluster == b.cluster);
            let (mut all, mut least) = (0u64, u64::MAX);
            for cluster in clusters() {
                all = all.saturating_add(cluster[0].length);
                least = least.min(cluster[0].count);
            }
            for cluster in clusters() {
                let elsewhere = all - cluster[0].length;
                for row in cluster {
                    let (span, fixed) =
                        (&mut self.spans[row.task as usize], &mut self.fixed[row.task as usize]);
                    *span = (*span).max(elsewhere + row.length);
                    let added = |sum: u64| sum.saturating_add(row.count.saturating_mul(elsewhere));
                    *fixed = fixed.filter(|_| row.count <= least).map(added);
                }
            }
        }
    }

    /// Blocking of `task` on arrival.
    pub fn arrival(&self, task: usize) -> u64 {
        self.arrival[task]
    }

    /// Spinning of one job of the task at `index`, with these bounds on response times.
    pub fn spin(&self, sharing: &Sharing, index: usize, responses: &[u64]) -> u64 {
        self.spin_with_parts(sharing, index, responses, &mut Unwatched)
    }

    /// Returns what [`Prepared::spin`] does, with its parts. Where these are noted, the sum is always evaluated.
    pub(crate) fn spin_with_parts<P: Parts>(
        &self,
        sharing: &Sharing,
        index: usize,
        responses: &[u64],
        parts: &mut P,
    ) -> u64 {
        if let Some(spin) = self.fixed[index].filter(|_| !P::ARE_NOTED) {
            return spin;
        }
        let task = &sharing.tasks()[index];
        let mut spin = 0u64;
        let is_global = |resource: u32| !self.is_local[resource as usize];
        for request in sharing.requests(index).iter().filter(|request| is_global(request.resource)) {
            let issued = request.count();
            let (mut left, mut seen) = (0, u32::MAX);
            for row in self.rows(request.resource) {
                let fresh = if row.cluster == task.cluster { 0 } else { issued };
                left = if row.cluster == seen { left } else { fresh };
                seen = row.cluster;
                let mut count = row.count;
                // A job is always there; count others only if one is not enough.
                let interval = responses[index].saturating_add(responses[row.task as usize]);
                if (count < left) & (interval > row.period) {
                    count = count.saturating_mul(interval.div_ceil(row.period));
                }
                let count = count.min(left);
                spin = spin.saturating_add(count.saturating_mul(row.length));
                parts.part(DelayCause::Waiting, row.task as usize, request.resource, row.length, count);
                left -= count;
            }
        }
        spin
    }

    /// Notes the request, or the section on a local resource, that blocks `task` on arrival: the first that takes as
    /// long as the bound.
    pub(crate) fn note_arrival<P: Parts>(&self, sharing: &Sharing, task: usize, parts: &mut P) {
        let arrival = self.arrival[task];
        if !P::ARE_NOTED || arrival == 0 {
            return;
        }
        let own = sharing.tasks()[task];
        let is_below = |other: &usize| {
            let Sharer { cluster, level, .. } = sharing.tasks()[*other];
            *other != task && cluster == own.cluster && level >= own.level
        };
        for other in (0..sharing.tasks().len()).filter(is_below) {
            for request in sharing.requests(other) {
                let (resource, length) = (request.resource, request.length());
                if self.is_local[resource as usize] {
                    if length == arrival && self.ceilings[resource as usize] <= own.level {
                        return parts.part(DelayCause::Arrival, other, resource, length, 1);
                    }
                    continue;
                }
                let users = self.rows(resource).chunk_by(|a, b| a.cluster == b.cluster);
                let elsewhere: Vec<_> =
                    users.map(|rows| rows[0]).filter(|row| row.cluster != own.cluster).collect();
                if elsewhere.iter().map(|row| row.length).sum::<u64>() + length == arrival {
                    parts.part(DelayCause::Arrival, other, resource, length, 1);
                    for row in elsewhere {
                        parts.part(DelayCause::ArrivalSpinning, row.task as usize, resource, row.length, 1);
                    }
                    return;
                }
            }
        }
    }
}
