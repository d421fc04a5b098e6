//! What cross-checks compute by exploration.

use crate::crosscheck::Triple;
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::explore::{
    explore_jobs, explore_jobs_as_published, Conclusion, JobSpan, Span, MOST_STATES,
};
use schedlab_model::{JobId, TaskId};

/// A job that may complete between two instants: task, job number, earliest, latest.
type Completion = (u32, u32, u64, u64);

/// When each job that arrives before `end` may complete without preemption, by absolute deadlines or by periods; `None`
/// if some job might be late. By task: cost and period and relative deadline, least cost, offset, jitter. `published`:
/// states merge whenever the published rule allows it.
#[pyfunction]
pub(crate) fn explored_completions(
    processors: u32,
    tasks: Vec<Triple>,
    others: Vec<Triple>,
    end: u64,
    edf: bool,
    published: bool,
) -> PyResult<Option<Vec<Completion>>> {
    if others.len() != tasks.len() || tasks.iter().any(|task| task[1] == 0) {
        return Err(bad_input(
            "least cost, offset and jitter have one value for each task, and periods are positive",
        ));
    }
    let too_long = |task: &Triple| task.iter().any(|time| *time > 1 << 60);
    if end > 1 << 60 || tasks.iter().chain(&others).any(too_long) {
        return Err(bad_input("a time is beyond 2^60"));
    }
    let mut jobs = Vec::new();
    for (at, (&[cost, period, relative_deadline], &[least, offset, jitter])) in
        tasks.iter().zip(&others).enumerate()
    {
        for (number, arrival) in (offset..end).step_by(period as usize).enumerate() {
            if jobs.len() > 1_000_000 {
                return Err(bad_input("more than 1000000 jobs"));
            }
            jobs.push(JobSpan {
                id: JobId::new(TaskId(at as u32), number as u32),
                release: Span::new(arrival, arrival + jitter),
                cost: Span::new(least, cost),
                due: arrival + relative_deadline,
                point: if edf { arrival + relative_deadline } else { period },
            });
        }
    }
    let explore = if published { explore_jobs_as_published } else { explore_jobs };
    let found = explore(&jobs, processors, 64 * MOST_STATES).map_err(bad_input)?;
    if found.outcome != Conclusion::Safe {
        return Ok(None);
    }
    let row = |(job, span): (&JobSpan, &Option<Span>)| {
        span.map(|span| (job.id.task.0, job.id.number, span.low, span.high))
    };
    Ok(jobs.iter().zip(&found.completions).map(row).collect())
}
