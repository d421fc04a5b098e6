//! Task-fair reader-writer spin locks, non-preemptive.
//!
//! B. Brandenburg, *Scheduling and locking in multiprocessor real-time operating systems*, dissertation, Chapel Hill
//! 2011, section 5.4.3. Readers that follow each other in the FIFO queue share the resource, as one phase; phases of
//! readers are between writers. So a job's requests wait for writers as in a FIFO queue of writers only, and for one
//! reader phase before each of those and before each of the job's own writes. They never wait longer than in a queue of
//! a mutex, and the smaller of both counts.
//!
//! Assumes no nesting and valid bounds on response times; waiting is execution. One delay on arrival.

use crate::blocking::contention::{Contention, Delay, Entry, Kind};
use crate::blocking::fifo::{once_on_arrival, wait};
use crate::blocking::{Requests, Sharing, Terms};
use crate::steps::{DelayCause, Unwatched};

/// By task: total spinning of one job, and delay on arrival, with `processors` in each cluster.
pub fn bounds(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<Terms> {
    let locks = Locks::new(sharing, responses, processors);
    let found = once_on_arrival(sharing, |task, request, _: &mut Unwatched, _: &mut Unwatched| {
        (locks.wait(task, request), locks.span(task, request))
    });
    found.into_iter().map(|(terms, _)| terms).collect()
}

struct Locks<'a> {
    sharing: &'a Sharing,
    processors: u64,
    any: Contention<'a>,
    writes: Contention<'a>,
    reads: Contention<'a>,
}

impl<'a> Locks<'a> {
    fn new(sharing: &'a Sharing, responses: &'a [u64], processors: u32) -> Self {
        let of = |kind| Contention::new(sharing, responses, kind);
        let processors = u64::from(processors.max(1));
        Locks { sharing, processors, any: of(Kind::Any), writes: of(Kind::Writes), reads: of(Kind::Reads) }
    }

    fn queue(&self, contention: &Contention<'_>, task: usize, request: &Requests, issued: u64) -> Delay {
        let (sharing, cause) = (self.sharing, DelayCause::Waiting);
        wait(contention, sharing, task, request.resource, issued, self.processors, cause, &mut Unwatched)
    }

    /// Total wait for all requests of one job for one resource.
    fn wait(&self, task: usize, request: &Requests) -> u64 {
        let issued = request.count();
        let as_mutex = self.queue(&self.any, task, request, issued);
        let writers = self.queue(&self.writes, task, request, issued);
        let phases = writers.count.saturating_add(request.writes.into());
        let readers = self.readers(task, request.resource, issued, phases);
        writers.and(readers).length.min(as_mutex.length)
    }

    /// Returns the longest time of one request and its section, over both kinds of request.
    fn span(&self, task: usize, request: &Requests) -> u64 {
        let as_mutex = self.queue(&self.any, task, request, 1).length.saturating_add(request.length());
        let writer = self.queue(&self.writes, task, request, 1).length;
        // The reader phases of all requests: more than enough for one.
        let phases = self.queue(&self.writes, task, request, request.count()).count;
        let read = |present: u32, own_write: u64, length: u64| {
            let readers = self.readers(task, request.resource, 1, phases.saturating_add(own_write));
            if present > 0 {
                readers.length.saturating_add(length)
            } else {
                0
            }
        };
        let section =
            read(request.writes, 1, request.write_length).max(read(request.reads, 0, request.read_length));
        writer.saturating_add(section).min(as_mutex)
    }

    /// The longest reads that `issued` requests meet within `phases` reader phases: for each request at most one of
    /// each task, and at most one of each processor.
    fn readers(&self, task: usize, resource: u32, issued: u64, phases: u64) -> Delay {
        let own = self.sharing.tasks()[task].cluster;
        let each_task = phases.min(issued);
        let of_cluster = |cluster: u32| issued * (self.processors - u64::from(cluster == own));
        let mut clusters: Vec<u64> = (0..self.sharing.clusters()).map(of_cluster).collect();
        let (mut delay, mut left) = (Delay::default(), phases);
        let may = |entry: &&Entry| entry.task != task && entry.resource == resource;
        for entry in self.reads.entries().iter().filter(may) {
            let cluster = &mut clusters[entry.cluster as usize];
            let count = self.reads.issued(entry, task).min(each_task).min(*cluster).min(left);
            delay.add(count, entry.length);
            *cluster -= count;
            left -= count;
        }
        delay
    }
}
