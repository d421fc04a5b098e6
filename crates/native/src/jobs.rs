//! Job sets of other tools, explored.

use crate::errors::bad_input;
use pyo3::prelude::*;
use pythonize::pythonize;
use schedlab_analysis::explore::{explore_jobs, JobSpan, Outcome, Span};
use schedlab_model::{JobId, TaskId};
use schedlab_scenario::interchange::sag::{Form, SagJob};
use serde_json::{json, Value};

/// What a non-preemptive scheduler may do with the job set in `content`: a verdict, and when each job may complete.
#[pyfunction]
pub(crate) fn explore_job_set<'py>(
    py: Python<'py>,
    content: Vec<u8>,
    file: &str,
    processors: u32,
    most_states: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let jobs = form(file)?.read(file, content).map_err(bad_input)?;
    let spans: Vec<JobSpan> = jobs.iter().map(span).collect();
    let explored = py.detach(|| explore_jobs(&spans, processors, most_states)).map_err(bad_input)?;
    let (answer, reason) = match &explored.outcome {
        Outcome::Safe => ("schedulable", "no job is ever late".to_owned()),
        Outcome::Late(example) => {
            let late = &example.late;
            (
                "unschedulable",
                format!("job {} of task {} may be late, due at {}", late.number, late.task.0, example.due),
            )
        }
        Outcome::Doubtful => {
            ("unknown", "some job might be late; no releases and costs that make it late were found".into())
        }
        Outcome::OutOfBudget => ("unknown", format!("the budget of {most_states} states is spent")),
    };
    let row = |(job, found): (&SagJob, &Option<Span>)| -> Value {
        let response = |at: u64| at.saturating_sub(job.release[0]);
        json!({
            "task": job.task,
            "job": job.job,
            "best_completion": found.map(|span| span.low),
            "worst_completion": found.map(|span| span.high),
            "best_response": found.map(|span| response(span.low)),
            "worst_response": found.map(|span| response(span.high)),
        })
    };
    let found = json!({
        "answer": answer,
        "reason": reason,
        "states": explored.states,
        "dispatches": explored.dispatches,
        "jobs": jobs.iter().zip(&explored.completions).map(row).collect::<Vec<_>>(),
    });
    Ok(pythonize(py, &found)?)
}

/// The job set in `content`, written as the file name `to` asks for.
#[pyfunction]
pub(crate) fn rewrite_job_set(content: Vec<u8>, file: &str, to: &str) -> PyResult<String> {
    let jobs = form(file)?.read(file, content).map_err(bad_input)?;
    Ok(form(to)?.write(&jobs))
}

fn form(file: &str) -> PyResult<Form> {
    Form::of_file(file)
        .ok_or_else(|| bad_input(format!("{file}: unknown ending of a job set; allowed: .csv, .yaml, .yml")))
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
