//! Waiting first come, first served, where each processor has at most one request in the queue.
//!
//! The common part of task-fair spin locks and of the OMLP for partitions and clusters. Each request waits for at most
//! one request of each other processor, and each other task has at most one request before it; a job that arrives may
//! find one less urgent job of its cluster waiting or in its section, once.

use super::contention::{Contention, Delay, Entry, Kind, Limit};
use super::members::Members;
use crate::blocking::{Requests, Sharing, Terms};

/// Bounds the wait of `issued` requests of the task at `of` for `resource`, with `processors` in each cluster.
pub(crate) fn wait(
    contention: &Contention<'_>,
    sharing: &Sharing,
    of: usize,
    resource: u32,
    issued: u64,
    processors: u64,
) -> Delay {
    let own = sharing.tasks()[of].cluster;
    let mut delay = Delay::default();
    for cluster in 0..sharing.clusters() {
        let others = processors - u64::from(cluster == own);
        let limit = Limit { total: issued.saturating_mul(others), each: issued };
        let may = |entry: &Entry| entry.resource == resource && entry.cluster == cluster;
        delay = delay.and(contention.longest(of, limit, may));
    }
    delay
}

/// The largest of `spans` among the less urgent (or equally urgent) other tasks of the same cluster: by task.
pub(crate) fn arrival_blocking(sharing: &Sharing, spans: &[u64]) -> Vec<u64> {
    let mut members = Members::default();
    members.fill(sharing);
    let mut longest = vec![0u64; sharing.tasks().len()];
    members.each_delayed(sharing, |task, other| longest[task] = longest[task].max(spans[other]));
    longest
}

/// By task: the total waiting of one job, and the wait for one request when the job arrives; with `processors` in each
/// cluster.
pub fn bounds(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<Terms> {
    let processors = u64::from(processors.max(1));
    let contention = Contention::new(sharing, responses, Kind::Any);
    once_on_arrival(sharing, |task, request| {
        let wait = |issued| wait(&contention, sharing, task, request.resource, issued, processors).length;
        (wait(request.count()), wait(1).saturating_add(request.length()))
    })
}

/// The terms of each task whose job waits at each of its requests, and on arrival for one request of a less urgent job.
/// `wait_and_span` gives, by task and resource, the total wait of a job, and the time of one request and its section.
pub(crate) fn once_on_arrival(
    sharing: &Sharing,
    wait_and_span: impl Fn(usize, &Requests) -> (u64, u64),
) -> Vec<Terms> {
    let of = |task: usize| {
        let found = sharing.requests(task).iter().map(|request| wait_and_span(task, request));
        found.fold((0u64, 0u64), |(all, longest), (wait, span)| (all.saturating_add(wait), longest.max(span)))
    };
    let (waits, spans): (Vec<u64>, Vec<u64>) = (0..sharing.tasks().len()).map(of).unzip();
    let arrival = arrival_blocking(sharing, &spans);
    waits.into_iter().zip(arrival).map(|(wait, arrival)| Terms::new(wait, arrival)).collect()
}
