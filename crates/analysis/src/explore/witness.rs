//! From a state in which a job may be late, back to releases and costs that make it late.
//!
//! On one processor every time of an interval can occur. Going backwards, the late job starts as late as it may and
//! costs as much as it may; the processor became free when it started (or as late as it could, if it was idle before);
//! some dispatch that led to the state completes just then, and so on to the start. A job is released when it starts,
//! or at its latest: then nothing more urgent is ready when another one is dispatched, or the state would not have
//! allowed it.
//!
//! On several processors a state may stand for schedules that cannot occur. The same way back is tried, and some plain
//! choices; each is only believed if the schedule that it leads to has a late job.

use super::concrete::{run, Completed};
use super::expand::KnownJobs;
use super::jobs::{JobSpan, Span};
use super::outcome::Conclusion;
use super::search::{Edge, Miss, Search};
use crate::counter_example::{Choice, CounterExample};
use schedlab_model::JobId;

/// Finds choices that make a job late by its deadline `due`, and keeps them only if their schedule shows a late job.
/// Jobs of a task wait for each other if `in_order`.
pub(super) fn find(search: &Search, miss: Miss, in_order: bool, due: impl Fn(usize) -> u64) -> Conclusion {
    let jobs = &search.known.jobs;
    let extreme = |(latest, most): (bool, bool)| -> Vec<Choice> {
        let choose = |job: &JobSpan| Choice {
            release: if latest { job.release.high } else { job.release.low },
            cost: if most { job.cost.high } else { job.cost.low },
        };
        jobs.iter().map(choose).collect()
    };
    let plain = [(false, true), (true, true), (false, false), (true, false)];
    for choices in std::iter::once(trace_back(search, miss)).chain(plain.into_iter().map(extreme)) {
        let done = run(jobs, &choices, search.processors, in_order);
        let Some((late, due)) = first_late(&search.known, &done, &due) else { continue };
        let released = jobs.iter().zip(choices).filter(|(job, _)| job.release.low <= due);
        let mut chosen: Vec<(JobId, Choice)> = released.map(|(job, choice)| (job.id, choice)).collect();
        chosen.sort_unstable_by_key(|(id, _)| *id);
        return Conclusion::Late(CounterExample { jobs: chosen, late: jobs[late].id, due });
    }
    Conclusion::Doubtful
}

/// The first job that is late, by deadline. Jobs that are not known yet can only affect deadlines after those of all
/// known jobs.
fn first_late(known: &KnownJobs, done: &[Completed], due: impl Fn(usize) -> u64) -> Option<(usize, u64)> {
    let late = done.iter().filter(|completed| completed.completion > due(completed.job));
    let late = late.map(|completed| (completed.job, due(completed.job)));
    late.filter(|(_, due)| *due < known.complete_until).min_by_key(|(job, due)| (*due, known.jobs[*job].id))
}

/// Returns the release and cost of each job on one way to the miss.
fn trace_back(search: &Search, miss: Miss) -> Vec<Choice> {
    let jobs = &search.known.jobs;
    let passed = search.passed.as_ref().expect("the search writes down how it goes");
    let mut choices: Vec<Choice> =
        jobs.iter().map(|job| Choice { release: job.release.high, cost: job.cost.high }).collect();
    let mut dispatch = |job: usize, start: u64, cost: u64| {
        choices[job] = Choice { release: start.min(jobs[job].release.high), cost };
    };
    dispatch(miss.next.job, miss.next.start.high, jobs[miss.next.job].cost.high);
    let (mut state, mut start) = (miss.state as u32, miss.next.start.high);
    let mut free = search.level.free(miss.state)[0];
    for level in passed.iter().rev() {
        // The processor became free at this instant.
        let freed = start.min(free.high);
        let Some(edge) = leading_to(&level.edges, state, freed) else { break };
        let cost = jobs[edge.next.job].cost;
        start = edge.next.start.low.max(freed.saturating_sub(cost.high)).min(edge.next.start.high);
        dispatch(edge.next.job, start, freed.saturating_sub(start).clamp(cost.low, cost.high));
        state = edge.parent;
        free = level.free[state as usize];
    }
    choices
}

/// A dispatch that led to `state` and may complete at `completion`, or any that led there.
fn leading_to(edges: &[Edge], state: u32, completion: u64) -> Option<&Edge> {
    let mut leading = edges.iter().filter(|edge| edge.child == state);
    let any = leading.clone().next();
    leading.find(|edge| edge.next.finish.contains(Span::new(completion, completion))).or(any)
}
