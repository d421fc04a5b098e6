//! Computations for cross-checks of bounds on response times, on plain whole numbers of any unit.

use crate::crosscheck::{model, system_of, utilizations, Triple};
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::tardiness::gel;
use schedlab_analysis::uniprocessor::edf_response_time::{exact, peer_approximation, JobStream};
use schedlab_analysis::uniprocessor::{c_equals_d, suspension_aware};
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Budget, System};
use schedlab_model::{Duration, OrderClass, Suspension, Task, Work};
use schedlab_policy::FL;

/// Response times under EDF on one processor, exact, or approximated as SchedCAT does (see docs/peers.md); `None` if
/// there is no bound or the work is too much.
#[pyfunction]
pub(crate) fn edf_response_times(tasks: Vec<Triple>, approximately: bool) -> PyResult<Option<Vec<u64>>> {
    let system = System::global(&model(&tasks), 1, &AnalysedScheduler::EDF).map_err(bad_input)?;
    let streams = JobStream::all(&system);
    let found = match approximately {
        true => peer_approximation(&streams, &mut Budget::default()),
        false => exact(&streams, &mut Budget::default()),
    };
    Ok(found.ok().and_then(|found| found.into_iter().map(|bound| u64::try_from(bound).ok()).collect()))
}

/// Bounds on the response times of tasks that suspend themselves, under fixed priorities that fall with the index;
/// `None` from the first task on whose bound is beyond its relative deadline.
#[pyfunction]
pub(crate) fn suspension_bounds(
    tasks: Vec<Triple>,
    suspension: Vec<u64>,
    blocking: Vec<u64>,
) -> PyResult<Vec<Option<u64>>> {
    if suspension.len() != tasks.len() || blocking.len() != tasks.len() {
        return Err(bad_input("suspension and blocking have one value for each task"));
    }
    let mut model = model(&tasks);
    for (task, longest) in model.iter_mut().zip(suspension) {
        task.suspension = Suspension::Dynamic(Duration::from_ns(longest));
    }
    let system = system_of(&model, 1, AnalysedOrder::FixedPriority)?;
    let choice = suspension_aware::Choice::Jitter;
    let mut bounds = suspension_aware::bounds(&system, &blocking, choice, &mut Budget::default());
    let late = |(bound, task): (&Option<u64>, &Triple)| bound.is_none_or(|bound| bound > task[2]);
    if let Some(first) = bounds.iter().zip(&tasks).position(late) {
        bounds[first..].fill(None);
    }
    Ok(bounds)
}

/// Returns the largest cost up to `cost` of a piece of this period whose relative deadline is its cost, on a processor
/// with `tasks`.
#[pyfunction]
pub(crate) fn largest_piece(tasks: Vec<Triple>, cost: u64, period: u64) -> PyResult<Option<u64>> {
    utilizations(&tasks)?;
    if period == 0 {
        return Err(bad_input("a period is 0; allowed: from 1"));
    }
    let streams: Vec<_> = tasks.iter().map(|&[cost, period, deadline]| (cost, period, deadline)).collect();
    Ok(c_equals_d::largest_piece(&streams, cost, period, &mut Budget::default()))
}

/// Bounds on response times where the job of the earliest priority point goes first, which is a constant after its
/// arrival. Relative deadlines are ignored. `None` if there are none.
#[pyfunction]
pub(crate) fn generalized_responses(
    tasks: Vec<Triple>,
    processors: u32,
    points: Vec<u64>,
) -> PyResult<Option<Vec<Option<u64>>>> {
    if points.len() != tasks.len() {
        return Err(bad_input("there is one priority point for each task"));
    }
    let found = gel::responses(&utilizations(&tasks)?, &points, processors);
    Ok(found.map(|bounds| bounds.into_iter().map(|bound| bound.map(Duration::as_ns)).collect()))
}

/// The priority points of fair lateness, rounded up, as SchedCAT has them.
#[pyfunction]
pub(crate) fn fair_lateness_points(tasks: Vec<Triple>, processors: u32) -> Vec<u64> {
    let OrderClass::AfterArrival(after) = FL.rule.class() else {
        unreachable!("its points are a constant after the arrival")
    };
    let point = |&[cost, period, deadline]: &Triple| {
        let [period, deadline] = [period, deadline].map(Duration::from_ns);
        let point = after(&Task::constrained(Work::from_ns(cost), period, deadline), processors);
        point.after.div_ceil(point.parts.into())
    };
    tasks.iter().map(point).collect()
}
