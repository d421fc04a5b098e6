//! Computations for cross-checks: single tests on plain whole numbers of any unit.

pub(crate) mod accounting;
pub(crate) mod bounds;
pub(crate) mod locking;
pub(crate) mod overheads;
pub(crate) mod programs;
pub(crate) mod utility;

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_analysis::blocking::Requests;
use schedlab_analysis::exact::Pair;
use schedlab_analysis::multiprocessor::bertogna_cirinei_edf::{self, Rounds};
use schedlab_analysis::multiprocessor::bertogna_cirinei_fp::{self, Carry};
use schedlab_analysis::multiprocessor::{baruah, ff_dbf, guan, load_approximation};
use schedlab_analysis::registry;
use schedlab_analysis::tardiness::{devi_anderson, nonpreemptive};
use schedlab_analysis::uniprocessor::response_time;
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Answer, Arrivals, Budget, System};
use schedlab_model::{Duration, Task, Work};
use schedlab_workload::placement::Packing;

/// Cost, period, relative deadline.
pub(crate) type Triple = [u64; 3];

pub(crate) fn model(tasks: &[Triple]) -> Vec<Task> {
    let task = |&[cost, period, deadline]: &Triple| {
        Task::constrained(Work::from_ns(cost), Duration::from_ns(period), Duration::from_ns(deadline))
    };
    tasks.iter().map(task).collect()
}

/// Makes a system of the tasks on one cluster; fixed priorities fall with the index.
fn system(tasks: &[Triple], processors: u32, order: AnalysedOrder) -> PyResult<System> {
    system_of(&model(tasks), processors, order)
}

pub(crate) fn system_of(tasks: &[Task], processors: u32, order: AnalysedOrder) -> PyResult<System> {
    let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
    let arrivals = Arrivals::Sporadic;
    let scheduler = AnalysedScheduler { order, ranks: &ranks, arrivals, ..AnalysedScheduler::EDF };
    System::global(tasks, processors, &scheduler).map_err(bad_input)
}

/// Requests of a job for one resource: its number, writes, their length, reads, their length.
pub(crate) type ResourceRow = (u32, u32, u64, u32, u64);

pub(crate) fn request(&(resource, writes, write_length, reads, read_length): &ResourceRow) -> Requests {
    Requests { reads, read_length, ..Requests::mutex(resource, writes, write_length) }
}

pub(crate) fn utilizations(tasks: &[Triple]) -> PyResult<Vec<Pair>> {
    match tasks.iter().all(|task| task[1] > 0) {
        true => Ok(tasks.iter().map(|task| (task[0], task[1])).collect()),
        false => Err(bad_input("a period is 0; allowed: from 1")),
    }
}

/// The busy window of each task's first job under fixed priorities that fall with the index, with blocking terms;
/// `None` from the first task on whose window is longer than the relative deadline.
#[pyfunction]
pub(crate) fn busy_windows(
    tasks: Vec<Triple>,
    jitter: Option<Vec<u64>>,
    blocking: Option<Vec<u64>>,
) -> PyResult<Vec<Option<u64>>> {
    let jitter = jitter.unwrap_or_else(|| vec![0; tasks.len()]);
    let blocking = blocking.unwrap_or_else(|| vec![0; tasks.len()]);
    if jitter.len() != tasks.len() || blocking.len() != tasks.len() {
        return Err(bad_input("jitter and blocking have one value for each task"));
    }
    let mut model = model(&tasks);
    for (task, late) in model.iter_mut().zip(&jitter) {
        task.jitter = Duration::from_ns(*late);
    }
    let system = system_of(&model, 1, AnalysedOrder::FixedPriority)?;
    Ok(response_time::first_windows(&system, &blocking, &mut Budget::default()))
}

/// Returns whether the test called `name` proves `tasks` schedulable under EDF, or under fixed priorities that fall
/// with the index. Further names decide as other tools do (see docs/peers.md): `ff_dbf_grid`, forced-forward demand for
/// speeds on a grid; `load_approximation`; and `baruah_published` and `baruah_schedcat`, Baruah's condition with either
/// cap where demand changes.
#[pyfunction]
pub(crate) fn is_proved(name: &str, tasks: Vec<Triple>, processors: u32, edf: bool) -> PyResult<bool> {
    let order = if edf { AnalysedOrder::Edf } else { AnalysedOrder::FixedPriority };
    let system = system(&tasks, processors, order)?;
    match name {
        "ff_dbf_grid" => Ok(ff_dbf::holds_on_grid(&system, 50, 10) == Some(true)),
        "load_approximation" => Ok(load_approximation::holds(&system, 10) == Some(true)),
        "baruah_published" => Ok(baruah::holds_as(baruah::Reading::PUBLISHED, &system) == Some(true)),
        "baruah_schedcat" => Ok(baruah::holds_as(baruah::Reading::OF_SCHEDCAT, &system) == Some(true)),
        name => match registry::find(name).filter(|test| (test.applies)(&system)) {
            Some(test) => Ok((test.run)(&system).answer == Answer::Schedulable),
            None => Err(bad_input(format!("no test for {processors} processors is called \"{name}\""))),
        },
    }
}

/// Response-time bounds under global EDF by Bertogna and Cirinei, those of the first round that proves every task;
/// `None` if none does.
#[pyfunction]
pub(crate) fn global_edf_responses(tasks: Vec<Triple>, processors: u32) -> PyResult<Option<Vec<u64>>> {
    Ok(bertogna_cirinei_edf::bounds(&system(&tasks, processors, AnalysedOrder::Edf)?, Rounds::UntilProved))
}

/// Response-time bounds under global fixed priorities that fall with the index, `None` from the first task on that has
/// none. Bertogna and Cirinei's as they circulate, without the cap (see docs/peers.md).
#[pyfunction]
pub(crate) fn global_fp_responses(
    name: &str,
    tasks: Vec<Triple>,
    processors: u32,
) -> PyResult<Vec<Option<u64>>> {
    let system = system(&tasks, processors, AnalysedOrder::FixedPriority)?;
    match name {
        "guan" => Ok(guan::bounds(&system)),
        "bertogna_slack" => Ok(bertogna_cirinei_fp::bounds(&system, Carry::Response, false)),
        "bertogna_noslack" => Ok(bertogna_cirinei_fp::bounds(&system, Carry::Deadline, false)),
        other => Err(bad_input(format!("unknown test \"{other}\""))),
    }
}

/// Devi and Anderson's x of global EDF, rounded up; `None` if it is not defined. Without preemption: x as it
/// circulates, which is not a bound (see docs/peers.md).
#[pyfunction]
pub(crate) fn devi_anderson_x(
    tasks: Vec<Triple>,
    processors: u32,
    preemptive: bool,
) -> PyResult<Option<u64>> {
    let pairs = utilizations(&tasks)?;
    let x = match preemptive {
        true => devi_anderson::tardiness_x(&pairs, processors),
        false => nonpreemptive::peer_x(&pairs, processors),
    };
    Ok(x.and_then(|x| u64::try_from(x.ceiling()).ok()))
}

/// The tasks of each processor, in the order in which `rule` (such as `utilization:first_fit_decreasing`) placed
/// them, and those that fit nowhere.
#[pyfunction]
pub(crate) fn pack(tasks: Vec<Triple>, processors: u16, rule: &str) -> PyResult<(Vec<Vec<u32>>, Vec<u32>)> {
    let packing: Packing = rule.parse().map_err(bad_input)?;
    let placed = packing.place(&model(&tasks), processors).map_err(bad_input)?;
    let ids = |tasks: &[schedlab_model::TaskId]| tasks.iter().map(|task| task.0).collect::<Vec<_>>();
    Ok((placed.bins.iter().map(|bin| ids(bin)).collect(), ids(&placed.misfits)))
}
