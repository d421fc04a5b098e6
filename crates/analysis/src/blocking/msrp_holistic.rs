//! MSRP with requests counted over the whole job.
//!
//! B. Brandenburg, *Scheduling and locking in multiprocessor real-time operating systems*, dissertation, Chapel Hill
//! 2011, section 5.4.5, for the protocol of P. Gai, G. Lipari and M. Di Natale, RTSS 2001: all requests of one job for a
//! resource together wait for at most as many requests of each other processor, the longest that can be issued while the job is
//! pending. On arrival a job is blocked once: by one spin and section of a less urgent job of its processor, or by a
//! section on a local resource whose ceiling reaches its level.
//!
//! Assumes partitions, no nesting of global resources, and valid bounds on response times. [`Prepared`] can be used
//! again without allocating anew: response times change only the spinning of tasks whose requests outnumber those of
//! one job elsewhere.

use super::sharing::Sharing;
use super::terms::Terms;

/// By task: spinning of one job in all, and blocking on arrival.
pub fn bounds(sharing: &Sharing, responses: &[u64]) -> Vec<Terms> {
    let mut prepared = Prepared::default();
    prepared.prepare(sharing);
    let terms = |at: usize| Terms::new(prepared.spin(sharing, at, responses), prepared.arrival(at));
    (0..sharing.tasks().len()).map(terms).collect()
}

/// What the bounds need besides the tasks.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The requests for resources of several processors, by resource, then processor, then falling length.
    rows: Vec<Row>,
    /// By resource: its first row.
    first: Vec<u32>,
    is_local: Vec<bool>,
    home: Vec<u32>,
    arrival: Vec<u64>,
    spans: Vec<u64>,
    ceilings: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    task: u32,
    cluster: u32,
    count: u64,
    length: u64,
    period: u64,
}

impl Prepared {
    /// Reads `sharing`; what was read before is forgotten.
    pub fn prepare(&mut self, sharing: &Sharing) {
        self.find_locals(sharing);
        self.list_rows(sharing);
        self.bound_arrivals(sharing);
    }

    fn find_locals(&mut self, sharing: &Sharing) {
        let resources = sharing.units().len();
        self.home.clear();
        self.home.resize(resources, u32::MAX);
        self.is_local.clear();
        self.is_local.resize(resources, true);
        self.ceilings.clear();
        self.ceilings.resize(resources, u32::MAX);
        for (at, task) in sharing.tasks().iter().enumerate() {
            for request in sharing.requests(at) {
                let resource = request.resource as usize;
                if self.home[resource] == u32::MAX {
                    self.home[resource] = task.cluster;
                }
                self.is_local[resource] &= self.home[resource] == task.cluster;
                self.ceilings[resource] = self.ceilings[resource].min(task.level);
            }
        }
    }

    fn list_rows(&mut self, sharing: &Sharing) {
        let resources = sharing.units().len();
        self.first.clear();
        self.first.resize(resources + 2, 0);
        for at in 0..sharing.tasks().len() {
            for request in
                sharing.requests(at).iter().filter(|request| !self.is_local[request.resource as usize])
            {
                self.first[request.resource as usize + 2] += 1;
            }
        }
        for at in 2..resources + 2 {
            self.first[at] += self.first[at - 1];
        }
        self.rows.clear();
        self.rows.resize(self.first[resources + 1] as usize, Row::default());
        for (at, task) in sharing.tasks().iter().enumerate() {
            for request in
                sharing.requests(at).iter().filter(|request| !self.is_local[request.resource as usize])
            {
                let place = &mut self.first[request.resource as usize + 1];
                let (count, length) = (request.count(), request.length());
                self.rows[*place as usize] =
                    Row { task: at as u32, cluster: task.cluster, count, length, period: task.period };
                *place += 1;
            }
        }
        for resource in 0..resources {
            let range = self.first[resource] as usize..self.first[resource + 1] as usize;
            self.rows[range].sort_unstable_by(|a, b| {
                a.cluster.cmp(&b.cluster).then(b.length.cmp(&a.length)).then(a.task.cmp(&b.task))
            });
        }
    }

    fn rows(&self, resource: u32) -> &[Row] {
        &self.rows[self.first[resource as usize] as usize..self.first[resource as usize + 1] as usize]
    }

    /// One request meets the longest section of each other processor, whatever the response times.
    fn bound_arrivals(&mut self, sharing: &Sharing) {
        self.spans.clear();
        self.arrival.clear();
        for (at, task) in sharing.tasks().iter().enumerate() {
            let mut span = 0u64;
            for request in
                sharing.requests(at).iter().filter(|request| !self.is_local[request.resource as usize])
            {
                let (mut sum, mut seen) = (request.length(), task.cluster);
                for row in self.rows(request.resource) {
                    if row.cluster != seen && row.cluster != task.cluster {
                        sum = sum.saturating_add(row.length);
                    }
                    seen = row.cluster;
                }
                span = span.max(sum);
            }
            self.spans.push(span);
        }
        let tasks = sharing.tasks();
        for (at, task) in tasks.iter().enumerate() {
            let mut longest = 0u64;
            for (other, lower) in tasks.iter().enumerate() {
                if lower.cluster != task.cluster || lower.level < task.level || other == at {
                    continue;
                }
                longest = longest.max(self.spans[other]);
                for request in sharing.requests(other) {
                    let resource = request.resource as usize;
                    if self.is_local[resource] && self.ceilings[resource] <= task.level {
                        longest = longest.max(request.length());
                    }
                }
            }
            self.arrival.push(longest);
        }
    }

    /// Blocking of the task at `at` on arrival.
    pub fn arrival(&self, at: usize) -> u64 {
        self.arrival[at]
    }

    /// Spinning of one job of the task at `at`, with these bounds on response times.
    pub fn spin(&self, sharing: &Sharing, at: usize, responses: &[u64]) -> u64 {
        let task = &sharing.tasks()[at];
        let mut spin = 0u64;
        for request in sharing.requests(at).iter().filter(|request| !self.is_local[request.resource as usize])
        {
            let issued = request.count();
            let (mut left, mut seen) = (0, u32::MAX);
            for row in self.rows(request.resource) {
                if row.cluster == task.cluster {
                    continue;
                }
                if row.cluster != seen {
                    (left, seen) = (issued, row.cluster);
                }
                if left > 0 {
                    // A job is always there; count others only if one is not enough.
                    let mut count = row.count;
                    if count < left {
                        let interval = responses[at].saturating_add(responses[row.task as usize]);
                        count = count.saturating_mul(interval.div_ceil(row.period).max(1)).min(left);
                    }
                    let count = count.min(left);
                    spin = spin.saturating_add(count.saturating_mul(row.length));
                    left -= count;
                }
            }
        }
        spin
    }
}
