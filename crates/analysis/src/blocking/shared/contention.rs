//! The requests of all tasks, longest first, to pick from.

use crate::blocking::{Requests, Sharing};

/// Which requests are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All, as if every resource were a mutex.
    Any,
    /// Those to write.
    Writes,
    /// Those to read.
    Reads,
}

impl Kind {
    /// How many of `request` there are, and how long they are.
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
    /// Whose.
    pub task: usize,
    /// Where it runs.
    pub cluster: u32,
    /// Its preemption level.
    pub level: u32,
    /// For which resource.
    pub resource: u32,
    /// How many by one job.
    pub count: u64,
    /// The longest.
    pub length: u64,
}

/// Some requests and how long they take together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// How many.
    pub count: u64,
    /// In all.
    pub length: u64,
}

impl Delay {
    /// Adds `count` requests of `length` each.
    pub(crate) fn add(&mut self, count: u64, length: u64) {
        self.count = self.count.saturating_add(count);
        self.length = self.length.saturating_add(count.saturating_mul(length));
    }

    /// Both together.
    pub(crate) fn and(self, other: Delay) -> Delay {
        Delay {
            count: self.count.saturating_add(other.count),
            length: self.length.saturating_add(other.length),
        }
    }
}

/// How many requests may be picked.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// In all.
    pub total: u64,
    /// Of one task for one resource.
    pub each: u64,
}

/// All requests of one kind, with bounds on the response times of their tasks.
#[derive(Clone, Debug)]
pub struct Contention<'a> {
    sharing: &'a Sharing,
    responses: &'a [u64],
    /// By falling length, then by task.
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

    /// At most so many requests of `entry` are issued while one job of `of` is pending.
    pub(crate) fn issued(&self, entry: &Entry, of: usize) -> u64 {
        let jobs = self.sharing.jobs_within(entry.task, self.responses[of], self.responses[entry.task]);
        jobs.saturating_mul(entry.count)
    }

    /// The longest requests that may get in the way of one job of `of`, of those of others that `may`.
    pub(crate) fn longest(&self, of: usize, limit: Limit, may: impl Fn(&Entry) -> bool) -> Delay {
        let (mut delay, mut left) = (Delay::default(), limit.total);
        for entry in self.entries.iter().filter(|entry| entry.task != of && may(entry)) {
            if left == 0 {
                break;
            }
            let count = self.issued(entry, of).min(limit.each).min(left);
            delay.add(count, entry.length);
            left -= count;
        }
        delay
    }
}
