//! A finite set of jobs, explored until none is left.

use super::expand::KnownJobs;
use super::jobs::{JobSpan, JobsError};
use super::level::Merging;
use super::outcome::{Conclusion, Explored};
use super::search::{Search, Step};
use super::witness;

/// Explores a set of jobs on so many processors.
///
/// On several, states stay apart as far as the budget allows: if it is spent so, all is explored again as
/// [`explore_jobs_as_published`] does, with a budget of its own.
pub fn explore_jobs(jobs: &[JobSpan], processors: u32, most_states: u64) -> Result<Explored, JobsError> {
    explore_merging(jobs, processors, Merging::to_try(processors as usize), most_states)
}

/// The same, but states merge whenever the published rule allows it: fewer states, and looser bounds on several
/// processors.
pub fn explore_jobs_as_published(
    jobs: &[JobSpan],
    processors: u32,
    most_states: u64,
) -> Result<Explored, JobsError> {
    explore_merging(jobs, processors, &[Merging::PUBLISHED], most_states)
}

fn explore_merging(
    jobs: &[JobSpan],
    processors: u32,
    ways: &[Merging],
    most_states: u64,
) -> Result<Explored, JobsError> {
    JobsError::check(jobs, processors)?;
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&job| jobs[job].place());
    let known = KnownJobs { jobs: order.iter().map(|&job| jobs[job]).collect(), complete_until: u64::MAX };
    let mut explored =
        Explored { outcome: Conclusion::OutOfBudget, states: 0, dispatches: 0, completions: Vec::new() };
    for merging in ways {
        let mut search = Search::new(known.clone(), processors as usize, *merging, most_states);
        explored.outcome = finish(&mut search, most_states);
        explored.states += search.states;
        explored.dispatches += search.dispatches;
        explored.completions = vec![None; jobs.len()];
        order.iter().zip(&search.completions).for_each(|(&job, found)| explored.completions[job] = *found);
        if explored.outcome != Conclusion::OutOfBudget {
            break;
        }
    }
    Ok(explored)
}

/// Explores until no job is left.
fn finish(search: &mut Search, most_states: u64) -> Conclusion {
    loop {
        match search.step() {
            Step::Further => {}
            Step::Done => return Conclusion::Safe,
            Step::Late(_) => return explain(search, most_states),
            Step::OutOfBudget => return Conclusion::OutOfBudget,
            Step::Need(_) => unreachable!("all jobs are known"),
        }
    }
}

/// Goes again to the late job, then looks for what makes it late.
fn explain(search: &Search, most_states: u64) -> Conclusion {
    let (again, miss) = search.again_until_late(most_states);
    witness::find(&again, miss, false, |job| again.known.jobs[job].due)
}
