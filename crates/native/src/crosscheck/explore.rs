//! Computations for cross-checks by exploration.

use crate::crosscheck::Triple;
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::explore::{
    explore_jobs, explore_jobs_as_published, Conclusion, JobSpan, Span, MOST_STATES,
};
use schedlab_model::{JobId, TaskId};

/// A job that may complete between two instants: task, job number, earliest, latest.
type Completion = (u32, u32, u64, u64);

/// A record of tasks with varying costs that arrive late.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Jittered {
    m: u32,
    tasks: Vec<Triple>,
    bcet: Vec<u64>,
    offsets: Vec<u64>,
    jitter: Vec<u64>,
    hyperperiod: u64,
}

/// Returns when each job that arrives in the hyperperiod after the last offset, or before, may complete without
/// preemption, by absolute deadlines or by periods; `None` if some job might be late. `published`: states merge
/// whenever the published rule allows it.
#[pyfunction]
pub(crate) fn explored_completions(
    record: Jittered,
    edf: bool,
    published: bool,
) -> PyResult<Option<Vec<Completion>>> {
    let Jittered { m, tasks, bcet, offsets, jitter, hyperperiod } = record;
    if [bcet.len(), offsets.len(), jitter.len()] != [tasks.len(); 3] || tasks.iter().any(|task| task[1] == 0)
    {
        return Err(bad_input(
            "least cost, offset and jitter have one value for each task, and periods are positive",
        ));
    }
    let times = tasks.iter().flatten().chain(&bcet).chain(&offsets).chain(&jitter);
    if times.chain([&hyperperiod]).any(|time| *time > 1 << 59) {
        return Err(bad_input("a time is beyond 2^59"));
    }
    let end = hyperperiod + offsets.iter().max().unwrap_or(&0);
    let mut jobs = Vec::new();
    for (index, &[cost, period, relative_deadline]) in tasks.iter().enumerate() {
        for (number, arrival) in (offsets[index]..end).step_by(period as usize).enumerate() {
            if jobs.len() > 1_000_000 {
                return Err(bad_input("more than 1000000 jobs"));
            }
            jobs.push(JobSpan {
                id: JobId::new(TaskId(index as u32), number as u32),
                release: Span::new(arrival, arrival + jitter[index]),
                cost: Span::new(bcet[index], cost),
                due: arrival + relative_deadline,
                point: if edf { arrival + relative_deadline } else { period },
            });
        }
    }
    let explore = if published { explore_jobs_as_published } else { explore_jobs };
    let found = explore(&jobs, m, 64 * MOST_STATES).map_err(bad_input)?;
    let row = |(job, span): (&JobSpan, &Span)| (job.id.task.0, job.id.number, span.low, span.high);
    let rows = |completions: Vec<Span>| jobs.iter().zip(&completions).map(row).collect();
    Ok(found.completions.filter(|_| found.outcome == Conclusion::Safe).map(rows))
}
