//! Waiting first come, first served, where each processor has at most one request in the queue.
//!
//! The common part of task-fair spin locks and of the OMLP for partitions and clusters. Each request waits for at most
//! one request of each other processor, and each other task has at most one request before it; a job that arrives may
//! find one less urgent job of its cluster waiting or in its section, once.

use super::contention::{Contention, Delay, Entry, Kind, Limit};
use super::members::Members;
use crate::blocking::{Requests, Sharing, Terms};
use crate::steps::{DelayCause, Parts, Unwatched};

/// Bounds the wait of `issued` requests of the task at `of` for `resource`, with `processors` in each cluster; `parts`
/// takes the requests that are waited for with their `cause`.
#[expect(clippy::too_many_arguments, reason = "a bound of one request, and where its parts go")]
pub(crate) fn wait(
    contention: &Contention<'_>,
    sharing: &Sharing,
    of: usize,
    resource: u32,
    issued: u64,
    processors: u64,
    cause: DelayCause,
    parts: &mut impl Parts,
) -> Delay {
    let own = sharing.tasks()[of].cluster;
    let mut delay = Delay::default();
    for cluster in 0..sharing.clusters() {
        let others = processors - u64::from(cluster == own);
        let limit = Limit { total: issued.saturating_mul(others), each: issued };
        let may = |entry: &Entry| entry.resource == resource && entry.cluster == cluster;
        delay = delay.and(contention.longest(of, limit, may, cause, parts));
    }
    delay
}

/// By task: the largest of `spans` among the less urgent (or equally urgent) other tasks of the same cluster, and whose
/// it is; the task itself if it is zero.
pub(crate) fn arrival_blocking(sharing: &Sharing, spans: impl Fn(usize) -> u64) -> Vec<(u64, usize)> {
    let mut members = Members::default();
    members.fill(sharing);
    let mut longest: Vec<(u64, usize)> = (0..sharing.tasks().len()).map(|task| (0, task)).collect();
    members.each_delayed(sharing, |task, other| {
        if spans(other) > longest[task].0 {
            longest[task] = (spans(other), other);
        }
    });
    longest
}

/// By task: the total waiting of one job, and the wait for one request when the job arrives; with `processors` in each
/// cluster.
pub fn bounds(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<Terms> {
    let found = with_parts::<Unwatched>(sharing, responses, processors);
    found.into_iter().map(|(terms, _)| terms).collect()
}

/// Returns what [`bounds`] does, with the parts.
pub(crate) fn with_parts<P: Parts>(sharing: &Sharing, responses: &[u64], processors: u32) -> Vec<(Terms, P)> {
    let processors = u64::from(processors.max(1));
    let contention = Contention::new(sharing, responses, Kind::Any);
    once_on_arrival(sharing, |task, request, waits: &mut P, span: &mut P| {
        let resource = request.resource;
        let wait = |issued, cause, parts| {
            wait(&contention, sharing, task, resource, issued, processors, cause, parts).length
        };
        let all = wait(request.count(), DelayCause::Waiting, waits);
        let one = wait(1, DelayCause::ArrivalSpinning, span);
        span.part(DelayCause::Arrival, task, resource, request.length(), 1);
        (all, one.saturating_add(request.length()))
    })
}

/// Waiting of a job of one task, and the longest time of one of its requests.
struct Waits<P> {
    all: u64,
    parts: P,
    longest: u64,
    longest_parts: P,
}

/// The terms of each task, with their parts, whose job waits at each of its requests, and on arrival for one request of
/// a less urgent job. `wait_and_span` gives, by task and resource, the total wait of a job, and the time of one request
/// and its section, and notes the parts of both.
pub(crate) fn once_on_arrival<P: Parts>(
    sharing: &Sharing,
    wait_and_span: impl Fn(usize, &Requests, &mut P, &mut P) -> (u64, u64),
) -> Vec<(Terms, P)> {
    let of = |task: usize| {
        let (parts, longest_parts) = (P::default(), P::default());
        let mut waits = Waits { all: 0, parts, longest: 0, longest_parts };
        for request in sharing.requests(task) {
            let mut span_parts = P::default();
            let (wait, span) = wait_and_span(task, request, &mut waits.parts, &mut span_parts);
            waits.all = waits.all.saturating_add(wait);
            if span > waits.longest {
                (waits.longest, waits.longest_parts) = (span, span_parts);
            }
        }
        waits
    };
    let waits: Vec<Waits<P>> = (0..sharing.tasks().len()).map(of).collect();
    let arrivals = arrival_blocking(sharing, |task| waits[task].longest);
    let terms = |(task, (arrival, by)): (usize, (u64, usize))| {
        let mut parts = waits[task].parts.clone();
        parts.take(&waits[by].longest_parts, u64::from(by != task));
        (Terms::new(waits[task].all, arrival), parts)
    };
    arrivals.into_iter().enumerate().map(terms).collect()
}
