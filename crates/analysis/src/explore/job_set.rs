//! A finite set of jobs, explored until none is left.

use super::expand::KnownJobs;
use super::jobs::{JobSpan, JobsError, Span};
use super::level::Merging;
use super::outcome::{Conclusion, Explored};
use super::search::{Search, Step};
use super::witness;

/// Explores a set of jobs on `processors` processors. A job that is late completes all the same: the exploration goes
/// on, so that completions are those of all schedules.
///
/// On several, states stay apart as far as the budget allows: if it is spent so, all is explored again as
/// [`explore_jobs_as_published`] does, with a budget of its own.
pub fn explore_jobs(jobs: &[JobSpan], processors: u32, most_states: u64) -> Result<Explored, JobsError> {
    explore_merging(jobs, processors, Merging::to_try(processors as usize), most_states)
}

/// Explores as [`explore_jobs`] does, but merges states whenever the published rule allows it: fewer states, and looser
/// bounds on several processors.
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
        Explored { outcome: Conclusion::OutOfBudget, states: 0, dispatches: 0, completions: None };
    for merging in ways {
        let mut search = Search::new(known.clone(), processors as usize, *merging, most_states);
        search.goes_on = true;
        let is_whole = finish(&mut search);
        explored.states += search.states;
        explored.dispatches += search.dispatches;
        if explored.outcome == Conclusion::OutOfBudget {
            explored.outcome = match (search.is_late, is_whole) {
                (true, _) => explain(&search, most_states),
                (false, true) => Conclusion::Safe,
                (false, false) => Conclusion::OutOfBudget,
            };
        }
        if is_whole {
            let mut completions = vec![Span::new(0, 0); jobs.len()];
            for (&job, found) in order.iter().zip(&search.completions) {
                completions[job] = found.expect("every job is dispatched in every schedule");
            }
            explored.completions = Some(completions);
            break;
        }
    }
    Ok(explored)
}

/// Explores until no job is left; false if the budget ends before.
fn finish(search: &mut Search) -> bool {
    loop {
        match search.step() {
            Step::Further => {}
            Step::Done => return true,
            Step::OutOfBudget => return false,
            Step::Late(_) => unreachable!("the search goes on where a job is late"),
            Step::Need(_) => unreachable!("all jobs are known"),
        }
    }
}

/// Repeats the exploration up to the late job, then finds releases and costs that make it late.
fn explain(search: &Search, most_states: u64) -> Conclusion {
    let (again, miss) = search.again_until_late(most_states);
    witness::find(&again, miss, false, |job| again.known.jobs[job].due)
}
