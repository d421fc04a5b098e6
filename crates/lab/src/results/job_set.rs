//! The exploration of job sets that other tools wrote.

use super::conclusion::AnswerName;
use schedlab_analysis::explore::{
    explore_jobs, explore_jobs_as_published, Conclusion, Explored, JobSpan, JobsError, Span,
};
use schedlab_model::{JobId, TaskId};
use schedlab_scenario::interchange::sag::SagJob;
use schemars::JsonSchema;
use serde::Serialize;

/// Bounds on the completion of a job of a job set, over all schedules; None where the budget ended before all were
/// explored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct ExploredJob {
    task: u32,
    job: u32,
    best_completion: Option<u64>,
    worst_completion: Option<u64>,
    best_response: Option<u64>,
    worst_response: Option<u64>,
}

/// The schedules that a non-preemptive scheduler may produce from a job set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExploredJobs {
    answer: AnswerName,
    reason: String,
    /// False where the budget ended before all schedules were explored: completions are then not known.
    complete: bool,
    states: u64,
    dispatches: u64,
    jobs: Vec<ExploredJob>,
}

/// Explores all schedules of `jobs`: returns a verdict, and when each job may complete.
pub fn explored_jobs(jobs: &[SagJob], processors: u32, most_states: u64) -> Result<ExploredJobs, JobsError> {
    Ok(results_of(jobs, explore_jobs(&spans(jobs), processors, most_states)?, most_states))
}

/// Explores as [`explored_jobs`] does, but merges states whenever the published rule allows it.
pub fn explored_jobs_as_published(
    jobs: &[SagJob],
    processors: u32,
    most_states: u64,
) -> Result<ExploredJobs, JobsError> {
    Ok(results_of(jobs, explore_jobs_as_published(&spans(jobs), processors, most_states)?, most_states))
}

fn spans(jobs: &[SagJob]) -> Vec<JobSpan> {
    jobs.iter().map(span).collect()
}

fn results_of(jobs: &[SagJob], explored: Explored, most_states: u64) -> ExploredJobs {
    let (answer, reason) = match &explored.outcome {
        Conclusion::Safe => (AnswerName::Schedulable, "no job is ever late".to_owned()),
        Conclusion::Late(example) => {
            let (late, due) = (&example.late, example.due);
            let reason = format!("job {} of task {} may be late, due at {due}", late.number, late.task.0);
            (AnswerName::Unschedulable, reason)
        }
        Conclusion::Doubtful => {
            let reason = "some job might be late; no releases and costs that make it late were found";
            (AnswerName::Unknown, reason.to_owned())
        }
        Conclusion::OutOfBudget => {
            (AnswerName::Unknown, format!("the budget of {most_states} states is spent"))
        }
    };
    let row = |(index, job): (usize, &SagJob)| {
        let found = explored.completions.as_ref().map(|completions| completions[index]);
        let response = |at: u64| at.saturating_sub(job.release[0]);
        ExploredJob {
            task: job.task,
            job: job.job,
            best_completion: found.map(|span| span.low),
            worst_completion: found.map(|span| span.high),
            best_response: found.map(|span| response(span.low)),
            worst_response: found.map(|span| response(span.high)),
        }
    };
    ExploredJobs {
        answer,
        reason,
        complete: explored.completions.is_some(),
        states: explored.states,
        dispatches: explored.dispatches,
        jobs: jobs.iter().enumerate().map(row).collect(),
    }
}

fn span(job: &SagJob) -> JobSpan {
    JobSpan {
        id: JobId::new(TaskId(job.task), job.job),
        release: Span::new(job.release[0], job.release[1]),
        cost: Span::new(job.cost[0], job.cost[1]),
        due: job.deadline,
        point: job.priority,
    }
}
