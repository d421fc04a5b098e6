//! Phase-fair reader-writer spin locks, non-preemptive.
//!
//! B. Brandenburg and J. Anderson, *Spin-based reader-writer synchronization for multiprocessor real-time systems*,
//! Real-Time Systems 46(1), 2010; holistic analysis of Brandenburg's dissertation, 2011, section 5.4.4. Reader and
//! writer phases alternate, and writers are served first come, first served. So a read waits for at most one writer
//! (and the phase of readers before it), a write for at most one writer of each other processor, and for one reader
//! phase before each writer and before itself.
//!
//! Assumes no nesting and valid bounds on response times; waiting is execution. One delay on arrival.

use crate::blocking::contention::{Contention, Delay, Entry, Kind, Limit};
use crate::blocking::fifo::once_on_arrival;
use crate::blocking::{Requests, Sharing, Terms};
use crate::steps::{DelayCause, Unwatched};

/// By task: total spinning of one job, and delay on arrival, with `processors` in each cluster.
pub fn bounds(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<Terms> {
    let locks = Locks {
        sharing,
        processors: u64::from(processors.max(1)),
        populated: populated(sharing),
        writes: Contention::new(sharing, responses, Kind::Writes),
        reads: Contention::new(sharing, responses, Kind::Reads),
    };
    let found = once_on_arrival(sharing, |task, request, _: &mut Unwatched, _: &mut Unwatched| {
        let (writes, reads) = (request.writes.into(), request.reads.into());
        (locks.wait(task, request.resource, writes, reads), locks.span(task, request))
    });
    found.into_iter().map(|(terms, _)| terms).collect()
}

fn populated(sharing: &Sharing) -> u64 {
    let mut clusters: Vec<u32> = sharing.tasks().iter().map(|task| task.cluster).collect();
    clusters.sort_unstable();
    clusters.dedup();
    clusters.len() as u64
}

struct Locks<'a> {
    sharing: &'a Sharing,
    processors: u64,
    /// Number of clusters that have tasks.
    populated: u64,
    writes: Contention<'a>,
    reads: Contention<'a>,
}

impl Locks<'_> {
    /// Returns the longest time of one request and its section, over both kinds of request.
    fn span(&self, task: usize, request: &Requests) -> u64 {
        let of = |present: u32, length: u64, writes: u64, reads: u64| match present {
            0 => 0,
            _ => self.wait(task, request.resource, writes, reads).saturating_add(length),
        };
        let write = of(request.writes, request.write_length, 1, 0);
        write.max(of(request.reads, request.read_length, 0, 1))
    }

    /// Returns the longest wait of `writes` and `reads` requests of one job of `task`.
    fn wait(&self, task: usize, resource: u32, writes: u64, reads: u64) -> u64 {
        let own = self.sharing.tasks()[task].cluster;
        let mut by_writers = Delay::default();
        for cluster in 0..self.sharing.clusters() {
            let others = self.processors - u64::from(cluster == own);
            let total = if others > 0 { reads.saturating_add(writes.saturating_mul(others)) } else { 0 };
            let limit = Limit { total, each: reads.saturating_add(writes) };
            let there = |entry: &Entry| entry.resource == resource && entry.cluster == cluster;
            by_writers =
                by_writers.and(self.writes.longest(task, limit, there, DelayCause::Waiting, &mut Unwatched));
        }
        let all_processors = self.processors * self.populated;
        let phases = by_writers.count.saturating_add(writes);
        let phases = phases.min(reads.saturating_add(writes.saturating_mul(all_processors - 1)));
        // One processor alone cannot read while its only job waits.
        let may = |entry: &Entry| entry.resource == resource && (self.processors > 1 || entry.cluster != own);
        let limit = Limit { total: phases, each: phases };
        let by_readers = self.reads.longest(task, limit, may, DelayCause::Waiting, &mut Unwatched);
        by_writers.and(by_readers).length
    }
}
