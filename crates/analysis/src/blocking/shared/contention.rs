//! The requests of all tasks, longest first, to pick from.

use crate::blocking::{Requests, Sharing};
use crate::steps::{DelayCause, Parts};

/// Kind of requests that a bound counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All requests, as if every resource were a mutex.
    Any,
    /// Requests to write.
    Writes,
    /// Requests to read.
    Reads,
}

impl Kind {
    /// Returns the number of requests of this kind in `request`, and their length in ns.
    pub(crate) fn of(self, request: &Requests) -> (u64, u64) {
        match self {
            Kind::Any => (request.count(), request.length()),
            Kind::Writes => (request.writes.into(), request.write_length),
            Kind::Reads => (request.reads.into(), request.read_length),
        }
    }
}

/// The requests of one task for one resource.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Index of the requesting task.
    pub task: usize,
    /// Cluster of the requesting task.
    pub cluster: u32,
    /// Preemption level of the requesting task.
    pub level: u32,
    /// Requested resource.
    pub resource: u32,
    /// Number of requests by one job.
    pub count: u64,
    /// Length of the longest request.
    pub length: u64,
}

/// Number of some requests and their total length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// Number of requests.
    pub count: u64,
    /// Total length of the requests in ns.
    pub length: u64,
}

impl Delay {
    /// Adds `count` requests of `length` each.
    pub(crate) fn add(&mut self, count: u64, length: u64) {
        self.count = self.count.saturating_add(count);
        self.length = self.length.saturating_add(count.saturating_mul(length));
    }

    /// Adds `other` to this delay.
    pub(crate) fn and(self, other: Delay) -> Delay {
        Delay {
            count: self.count.saturating_add(other.count),
            length: self.length.saturating_add(other.length),
        }
    }
}

/// Most requests that may be picked.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Most requests in all.
    pub total: u64,
    /// Most requests of one task for one resource.
    pub each: u64,
}

/// All requests of one kind, with bounds on the response times of their tasks.
#[derive(Clone, Debug)]
pub struct Contention<'a> {
    sharing: &'a Sharing,
    responses: &'a [u64],
    /// Requests by falling length, then by task.
    entries: Vec<Entry>,
}

impl<'a> Contention<'a> {
    /// The requests of `kind`.
    pub(crate) fn new(sharing: &'a Sharing, responses: &'a [u64], kind: Kind) -> Self {
        let mut entries = Vec::new();
        for (index, task) in sharing.tasks().iter().enumerate() {
            for request in sharing.requests(index) {
                let (count, length) = kind.of(request);
                let (cluster, level, resource) = (task.cluster, task.level, request.resource);
                entries.push(Entry { task: index, cluster, level, resource, count, length });
            }
        }
        entries.retain(|entry| entry.count > 0);
        entries.sort_by(|a, b| b.length.cmp(&a.length).then(a.task.cmp(&b.task)));
        Contention { sharing, responses, entries }
    }

    /// The requests, longest first.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the most requests of `entry` that are issued while one job of `of` is pending.
    pub(crate) fn issued(&self, entry: &Entry, of: usize) -> u64 {
        let jobs = self.sharing.jobs_within(entry.task, self.responses[of], self.responses[entry.task]);
        jobs.saturating_mul(entry.count)
    }

    /// Returns the longest requests of other tasks that may delay one job of `of`, among the entries that `may`;
    /// `parts` takes each with its `cause`.
    pub(crate) fn longest(
        &self,
        of: usize,
        limit: Limit,
        may: impl Fn(&Entry) -> bool,
        cause: DelayCause,
        parts: &mut impl Parts,
    ) -> Delay {
        let (mut delay, mut left) = (Delay::default(), limit.total);
        for entry in self.entries.iter().filter(|entry| entry.task != of && may(entry)) {
            if left == 0 {
                break;
            }
            let count = self.issued(entry, of).min(limit.each).min(left);
            delay.add(count, entry.length);
            parts.part(cause, entry.task, entry.resource, entry.length, count);
            left -= count;
        }
        delay
    }
}
