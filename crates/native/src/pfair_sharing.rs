//! Costs of strict deadlines and requests under Pfair schedulers, for tasks given as numbers.

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::pfair::Share;
use schedlab_analysis::pfair_sharing::{retry_cost, zone_delay, PfairSlots};
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Arrivals, Quanta, System};
use schedlab_model::{Alignment, Duration, ResourceId, Step, Task, TaskId, Work};

/// The least weight with which no job of a task is late, as quanta and slots; `None` if there is none.
#[pyfunction]
pub(crate) fn guaranteed_weight(
    cost_ns: u64,
    period_ns: u64,
    processors: u16,
    quantum_ns: u64,
    staggered: bool,
) -> PyResult<Option<(u64, u64)>> {
    if processors == 0 || quantum_ns == 0 || period_ns == 0 {
        return Err(bad_input("processors, quanta and periods of 0 are not allowed; allowed: 1 and more"));
    }
    let quanta =
        Quanta { length: Duration::from_ns(quantum_ns), staggered, guaranteed: true, breaks_ties: true };
    let (order, arrivals) = (AnalysedOrder::Pfair(quanta), Arrivals::Periodic);
    let scheduler = AnalysedScheduler { order, arrivals, ..AnalysedScheduler::EDF };
    let task = [Task::implicit(Work::from_ns(cost_ns), Duration::from_ns(period_ns))];
    let system = System::new(&task, [TaskId(0)], processors.into(), &scheduler, Duration::ZERO);
    let system = system.map_err(bad_input)?;
    Ok(Share::guaranteed(&system.tasks[0], &system).map(|share| (share.quanta, share.slots)))
}

/// By task: the most nanoseconds that one request of the object which all share adds to a job; `None` if that has no
/// bound. Tasks are the length of their section and their period, in nanoseconds.
#[pyfunction]
pub(crate) fn pfair_requests(
    tasks: Vec<(u64, u64)>,
    processors: u16,
    quantum_ns: u64,
    staggered: bool,
    lock_free: bool,
) -> PyResult<Vec<Option<u64>>> {
    if processors == 0 || quantum_ns == 0 || tasks.iter().any(|(_, period)| *period == 0) {
        return Err(bad_input("processors, quanta and periods of 0 are not allowed; allowed: 1 and more"));
    }
    let alignment = if staggered { Alignment::Staggered } else { Alignment::Aligned };
    let slots = PfairSlots { processors, quantum: Duration::from_ns(quantum_ns), alignment };
    let shared = ResourceId(0);
    let user = |(section, period): (u64, u64)| Task {
        program: vec![
            Step::Request(shared, 1),
            Step::Execute(Work::from_ns(section)),
            Step::Release(shared, 1),
        ],
        ..Task::implicit(Work::from_ns(section), Duration::from_ns(period))
    };
    let tasks: Vec<Task> = tasks.into_iter().map(user).collect();
    let added = |task| match lock_free {
        // An operation changes the object once.
        true => retry_cost(&slots, &tasks, task, shared, 1),
        false => zone_delay(&slots, &tasks, task, shared),
    };
    Ok((0..tasks.len() as u32).map(|task| added(TaskId(task)).map(Duration::as_ns)).collect())
}
