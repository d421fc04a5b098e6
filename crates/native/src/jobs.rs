//! Job sets of other tools, explored.

use crate::batch::left_alone;
use crate::errors::bad_input;
use crate::plain::{plain, Plain};
use pyo3::prelude::*;
use schedlab_lab::results::{explored_jobs, explored_jobs_as_published};
use schedlab_scenario::foreign::{self, Wanted};
use schedlab_scenario::interchange::sag::Form;

/// Explores the schedules of a non-preemptive scheduler for the job set in `content`: a verdict, and when each job may
/// complete. If `published`, states merge whenever the published rule allows it.
#[pyfunction]
#[pyo3(signature = (content, file, processors, most_states, published=false))]
pub(crate) fn explore_job_set(
    py: Python<'_>,
    content: Vec<u8>,
    file: &str,
    processors: u32,
    most_states: u64,
    published: bool,
) -> PyResult<Plain> {
    foreign::refuse(file, &content, Wanted::JobSet).map_err(bad_input)?;
    let jobs = form(file)?.read(file, content).map_err(bad_input)?;
    let explore = if published { explored_jobs_as_published } else { explored_jobs };
    let explored = left_alone(py, move || explore(&jobs, processors, most_states))?;
    Ok(plain(&explored.map_err(bad_input)?))
}

/// Returns the job set in `content` in the format that the file name `to` stands for.
#[pyfunction]
pub(crate) fn rewrite_job_set(content: Vec<u8>, file: &str, to: &str) -> PyResult<String> {
    foreign::refuse(file, &content, Wanted::JobSet).map_err(bad_input)?;
    let jobs = form(file)?.read(file, content).map_err(bad_input)?;
    Ok(form(to)?.write(&jobs))
}

fn form(file: &str) -> PyResult<Form> {
    Form::of_file(file)
        .ok_or_else(|| bad_input(format!("{file}: unknown ending of a job set; allowed: .csv, .yaml, .yml")))
}
