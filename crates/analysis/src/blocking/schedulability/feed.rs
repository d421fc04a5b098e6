//! Feeds blocking bounds into tests of schedulability.

use super::edf::{first_failure, Blockers, Demanded};
use super::response::{Failure, Iteration, Waiting};
use crate::blocking::candidates::longest_sections_by_ceiling;
use crate::blocking::global_pip;
use crate::blocking::msrp_holistic;
use crate::blocking::{Case, DelayingSection, Judged, Sharing, Terms};
use crate::budget::Budget;
use crate::decide::{self, Scratch};
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::steps::{DelayCause, Parts, Unwatched, Watch};
use crate::system::System;
use crate::verdict::Answer;
use schedlab_model::{Duration, Task, TaskId};

/// Response times with terms that do not depend on them.
pub fn response_times(sharing: &Sharing, waiting: Waiting, terms: &[Terms]) -> Judged {
    response_times_watched(sharing, waiting, terms, &mut Unwatched)
}

/// Returns what [`response_times`] does, while `watch` watches.
pub(crate) fn response_times_watched(
    sharing: &Sharing,
    waiting: Waiting,
    terms: &[Terms],
    watch: &mut impl Watch,
) -> Judged {
    let mut iteration = Iteration::default();
    let result = iteration.settle_watched(sharing, waiting, |task| terms[task], watch).map(durations);
    Judged { terms: terms.to_vec(), met: result.map_err(|failure| why(failure, sharing, terms)) }
}

/// Response times under the MSRP, while `watch` watches.
pub(crate) fn msrp_response_times<W: Watch>(sharing: &Sharing, watch: &mut W) -> Judged {
    let mut prepared = msrp_holistic::Prepared::default();
    prepared.prepare(sharing);
    let mut iteration = Iteration::default();
    let bound = |task: usize, responses: &[u64], watch: &mut W| {
        let mut parts = W::Parts::default();
        let spin = prepared.spin_with_parts(sharing, task, responses, &mut parts);
        prepared.note_arrival(sharing, task, &mut parts);
        let terms = Terms::new(spin, prepared.arrival(task));
        watch.delays(TaskId(task as u32), parts, terms.total());
        terms
    };
    let met = iteration.run_watched(sharing, Waiting::Spins, bound, watch).map(durations);
    judged(met, sharing, &iteration)
}

/// Shows the parts of each task's terms, and returns the terms.
pub(crate) fn show_parts<W: Watch>(found: Vec<(Terms, W::Parts)>, watch: &mut W) -> Vec<Terms> {
    let show = |(task, (terms, parts)): (usize, (Terms, W::Parts))| {
        watch.delays(TaskId(task as u32), parts, terms.total());
        terms
    };
    found.into_iter().enumerate().map(show).collect()
}

/// Turns the end of an iteration into a result.
fn judged(met: Result<Vec<Duration>, Failure>, sharing: &Sharing, iteration: &Iteration) -> Judged {
    let terms = iteration.terms();
    Judged { terms: terms.to_vec(), met: met.map_err(|failure| why(failure, sharing, terms)) }
}

/// Response times where `bound` gives the whole blocking of a task's job, with the spinning of more urgent jobs, so
/// that spinning is no part of their costs.
pub fn without_inflation(sharing: &Sharing, mut bound: impl FnMut(usize, &[u64]) -> u64) -> Judged {
    let mut iteration = Iteration::default();
    let met = iteration
        .run(sharing, Waiting::Spins, |task, responses| Terms::new(0, bound(task, responses)))
        .map(durations);
    let whole = |terms: &Terms| Terms { remote: terms.total(), local: 0 };
    let judged = judged(met, sharing, &iteration);
    Judged { terms: judged.terms.iter().map(whole).collect(), ..judged }
}

/// Response times with terms that depend on them: each round bounds all tasks anew, until nothing changes.
pub(crate) fn iterate(sharing: &Sharing, waiting: Waiting, bounds: impl Fn(&[u64]) -> Vec<Terms>) -> Judged {
    iterate_watched(sharing, waiting, |responses, _| bounds(responses), &mut Unwatched)
}

/// Iterates as [`iterate`] does, while `watch` watches; `bounds` show the parts of their terms. The steps of the last
/// round stay.
pub(crate) fn iterate_watched<W: Watch>(
    sharing: &Sharing,
    waiting: Waiting,
    bounds: impl Fn(&[u64], &mut W) -> Vec<Terms>,
    watch: &mut W,
) -> Judged {
    let mut responses: Vec<u64> = sharing.tasks().iter().map(|task| task.cost).collect();
    let mut iteration = Iteration::default();
    let mut terms = bounds(&responses, watch);
    for _ in 0..MOST_ROUNDS {
        match iteration.settle_watched(sharing, waiting, |task| terms[task], watch) {
            Err(failure) => {
                let why = why(failure, sharing, &terms);
                return Judged { terms, met: Err(why) };
            }
            Ok(found) if found == responses => return Judged { terms, met: Ok(durations(found)) },
            Ok(found) => responses.copy_from_slice(found),
        }
        terms = bounds(&responses, watch);
    }
    let why = why(Failure::Rounds, sharing, &terms);
    Judged { terms, met: Err(why) }
}

const MOST_ROUNDS: usize = 10_000;

/// Iterates as [`iterate`] does, for bounds that are slow to compute: see [`Iteration::run_above_none`].
pub fn iterate_above_none(
    sharing: &Sharing,
    waiting: Waiting,
    bound: impl FnMut(usize, &[u64]) -> Terms,
) -> Judged {
    let mut iteration = Iteration::default();
    let met = iteration.run_above_none(sharing, waiting, bound).map(durations);
    judged(met, sharing, &iteration)
}

/// Returns the global resources and, by task, its local blocking by ceilings, which counts at each arrival and
/// resumption.
pub fn local_by_ceilings(sharing: &Sharing) -> (Sharing, Vec<u64>) {
    let (global, sections) = local_sections(sharing);
    (global, sections.iter().map(length_of).collect())
}

/// Returns the global resources and, by task, the section on a local resource that blocks it, as often as it may.
fn local_sections(sharing: &Sharing) -> (Sharing, Vec<Option<DelayingSection>>) {
    let local = sharing.is_local();
    let global = sharing.only(|resource| !local[resource as usize]);
    let mut sections = longest_sections_by_ceiling(&sharing.only(|resource| local[resource as usize]));
    for (task, section) in sections.iter_mut().enumerate() {
        let issued: u64 = global.requests(task).iter().map(|request| request.count()).sum();
        section.iter_mut().for_each(|section| section.count = issued.saturating_add(1));
    }
    (global, sections)
}

fn length_of(section: &Option<DelayingSection>) -> u64 {
    section.map_or(0, |section| section.total())
}

/// Suspension-aware response times, while `watch` watches: global resources by `bounds`, local ones by their ceilings.
pub(crate) fn suspension_aware<W: Watch>(
    sharing: &Sharing,
    bounds: impl Fn(&Sharing, &[u64]) -> Vec<(Terms, W::Parts)>,
    watch: &mut W,
) -> Judged {
    let (global, local) = local_sections(sharing);
    let with_local = |responses: &[u64], watch: &mut W| {
        let mut found = bounds(&global, responses);
        for ((terms, parts), section) in found.iter_mut().zip(&local) {
            terms.local = terms.local.saturating_add(length_of(section));
            if let Some(DelayingSection { task, resource, length, count }) = *section {
                parts.part(DelayCause::KeptOff, task.index(), resource.0, length, count);
            }
        }
        show_parts(found, watch)
    };
    iterate_watched(sharing, Waiting::Suspends, with_local, watch)
}

/// Suspension-aware response times under a protocol that treats all resources alike, while `watch` watches.
pub(crate) fn all_global<W: Watch>(
    sharing: &Sharing,
    bounds: impl Fn(&Sharing, &[u64]) -> Vec<(Terms, W::Parts)>,
    watch: &mut W,
) -> Judged {
    let shown = |responses: &[u64], watch: &mut W| show_parts(bounds(sharing, responses), watch);
    iterate_watched(sharing, Waiting::Suspends, shown, watch)
}

/// Processor demand under partitioned EDF, while `watch` watches.
pub(crate) fn demand_watched(
    sharing: &Sharing,
    terms: Vec<Terms>,
    blockers: Blockers,
    watch: &mut impl Watch,
) -> Judged {
    let met = match first_failure(sharing, &terms, blockers, &mut Budget::default(), watch) {
        Some((cluster, demanded)) => Err(why_demanded(demanded, cluster, sharing)),
        None => Ok(relative_deadlines(sharing)),
    };
    Judged { terms, met }
}

/// Returns the result of examining the demand as a reason.
pub(crate) fn why_demanded(demanded: Demanded, cluster: u32, sharing: &Sharing) -> Reason {
    match demanded {
        Demanded::Fits => Reason::ClusterMeetsDeadlines { cluster },
        Demanded::Spent => Reason::BudgetOfDemandSpent,
        Demanded::Alone { task, needs } => Reason::WaitingTooLong {
            task: TaskId(task as u32),
            needs: Ns(needs),
            relative_deadline: Ns(sharing.tasks()[task].relative_deadline),
        },
        Demanded::Overload => Reason::WaitingAboveOne { cluster },
        Demanded::Exceeds { within, demand, blocking: None } => {
            Reason::WaitingExceeds { cluster, within: Ns(within), demand: Ns(demand) }
        }
        Demanded::Exceeds { within, demand, blocking: Some((blocking, by)) } => Reason::BlockingExceeds {
            cluster,
            within: Ns(within),
            demand: Ns(demand),
            blocking: Ns(blocking),
            by,
        },
    }
}

/// All waiting counted as execution; then any test for the scheduler may prove that deadlines are met. Requests are
/// counted as if response times were the relative deadlines: no first miss can then occur.
///
/// Fixed priorities will do as well as EDF, on clusters too (Brandenburg 2011, sections 3.3.3 and 5.4, for all
/// job-level fixed priorities). Take it that a job executes whenever it is among the most urgent of its cluster, and so
/// linked to a processor there: it is linked for no longer than its cost and its terms. Whether a less urgent section
/// without preemption keeps it off that processor when it arrives or resumes, and no more often: that section begins
/// while its job is linked, so not where the waiting job is ready and unlinked, and until it ends the processor is
/// linked to a job that waits for it, so that only one that arrives or resumes can come upon it.
pub(crate) fn oblivious(
    case: &Case<'_>,
    sharing: &Sharing,
    bounds: impl FnOnce(&[u64]) -> Vec<Terms>,
) -> Judged {
    let terms = bounds(&sharing.longest_responses());
    let inflated: Option<Vec<Task>> =
        case.tasks.iter().zip(&terms).map(|(task, terms)| terms.as_execution(task)).collect();
    let Some(tasks) = inflated else {
        return Judged { terms, met: Err(Reason::BlockingNotBounded) };
    };
    let mut scratch = Scratch::default();
    let delay = case.platform.release_delay();
    for (index, cluster) in case.platform.clusters.iter().enumerate() {
        let ids = (0..tasks.len() as u32).map(TaskId).filter(|id| tasks[id.index()].cluster.index() == index);
        let system = System::new(&tasks, ids, cluster.cpus.len() as u32, case.scheduler, delay);
        let proved = system.is_ok_and(|system| {
            system.tasks.is_empty() || decide::meets_deadlines(&system, &mut scratch) == Answer::Schedulable
        });
        if !proved {
            let task = tasks.iter().enumerate().filter(|(_, task)| task.cluster.index() == index);
            let longest = task.max_by_key(|(task, _)| (terms[*task].total(), std::cmp::Reverse(*task)));
            let task = longest.map_or(0, |(task, _)| task);
            let waits = Ns(terms[task].total().unwrap_or(u64::MAX));
            let why = Reason::WaitingNotProved { cluster: index, task: TaskId(task as u32), waits };
            return Judged { terms, met: Err(why) };
        }
    }
    Judged { terms, met: Ok(relative_deadlines(sharing)) }
}

/// Response times under global fixed priorities: equation 11 of Easwaran and Andersson, RTSS 2009, with all execution
/// of more urgent tasks as interference (their sections on shared resources count twice, which is safe).
pub(crate) fn global_fixed_priority(
    sharing: &Sharing,
    processors: u32,
    bounds: impl Fn(&Sharing, &[u64], u32) -> Vec<Terms>,
) -> Judged {
    let tasks = sharing.tasks();
    let mut responses: Vec<u64> = tasks.iter().map(|task| task.cost).collect();
    let mut terms = bounds(sharing, &responses, processors);
    for _ in 0..MOST_ROUNDS {
        let mut stable = true;
        for (index, task) in tasks.iter().enumerate() {
            let higher = tasks.iter().filter(|other| other.level < task.level);
            let work = higher.map(|other| global_pip::workload(other, responses[index], other.cost));
            let interference = work.map(u128::from).sum::<u128>() / u128::from(processors.max(1));
            let own = u128::from(task.cost) + u128::from(terms[index].total().unwrap_or(u64::MAX));
            let next = own + interference;
            if next > u128::from(task.relative_deadline) {
                let why = why(Failure::Beyond(index), sharing, &terms);
                return Judged { terms, met: Err(why) };
            }
            stable &= next as u64 == responses[index];
            responses[index] = next as u64;
        }
        if stable {
            return Judged { terms, met: Ok(durations(&responses)) };
        }
        terms = bounds(sharing, &responses, processors);
    }
    let why = why(Failure::Rounds, sharing, &terms);
    Judged { terms, met: Err(why) }
}

fn durations(responses: &[u64]) -> Vec<Duration> {
    responses.iter().copied().map(Duration::from_ns).collect()
}

pub(crate) fn relative_deadlines(sharing: &Sharing) -> Vec<Duration> {
    sharing.tasks().iter().map(|task| Duration::from_ns(task.relative_deadline)).collect()
}

fn why(failure: Failure, sharing: &Sharing, terms: &[Terms]) -> Reason {
    match failure {
        Failure::Beyond(index) => {
            let (task, relative_deadline) = (TaskId(index as u32), sharing.tasks()[index].relative_deadline);
            match terms[index].total() {
                None => Reason::BlockedForever { task },
                Some(blocked) => {
                    let relative_deadline = Ns(relative_deadline);
                    Reason::BlockedTooLong { task, blocked: Ns(blocked), relative_deadline }
                }
            }
        }
        Failure::Rounds => Reason::TooManyRounds,
    }
}
