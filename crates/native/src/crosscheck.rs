//! What cross-checks compute: single tests on plain whole numbers of any unit.

pub(crate) mod accounting;
pub(crate) mod bounds;
pub(crate) mod explore;
pub(crate) mod locking;
pub(crate) mod locks;
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
use schedlab_analysis::uniprocessor::{demand_criterion, hyperbolic, liu_layland, qpa, response_time};
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Answer, Arrivals, Budget, System, Test};
use schedlab_lab::Prepared;
use schedlab_model::{Duration, Instant, Task, Work};
use schedlab_policy::{find, Scope};
use schedlab_report::schedule::{ScheduleRecorder, Window};
use schedlab_report::Context;
use schedlab_scenario::{Scenario, TaskSpec};
use schedlab_trace::{Record, Sink};
use schedlab_workload::placement::Packing;

/// Cost, period, relative deadline.
pub(crate) type Triple = [u64; 3];

/// A completed job: task, job number, when.
pub(crate) type Completion = (u32, u32, u64);

/// More jobs than this are taken for a mistake.
const MOST_JOBS: u128 = 20_000_000;

pub(crate) fn model(tasks: &[Triple]) -> Vec<Task> {
    let task = |&[cost, period, deadline]: &Triple| {
        Task::constrained(Work::from_ns(cost), Duration::from_ns(period), Duration::from_ns(deadline))
    };
    tasks.iter().map(task).collect()
}

/// The tasks on one cluster; fixed priorities fall with the index.
fn system(tasks: &[Triple], processors: u32, order: AnalysedOrder) -> PyResult<System> {
    system_of(&model(tasks), processors, order)
}

pub(crate) fn system_of(tasks: &[Task], processors: u32, order: AnalysedOrder) -> PyResult<System> {
    let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
    let arrivals = Arrivals::Sporadic;
    let scheduler = AnalysedScheduler { order, ranks: &ranks, arrivals, ..AnalysedScheduler::EDF };
    System::global(tasks, processors, &scheduler).map_err(bad_input)
}

/// What a job requests of a resource: its number, writes, their length, reads, their length.
pub(crate) type ResourceRow = (u32, u32, u64, u32, u64);

pub(crate) fn request(&(resource, writes, write_length, reads, read_length): &ResourceRow) -> Requests {
    Requests { reads, read_length, ..Requests::mutex(resource, writes, write_length) }
}

fn proves(test: &Test, system: &System) -> bool {
    (test.run)(system).answer == Answer::Schedulable
}

pub(crate) fn utilizations(tasks: &[Triple]) -> PyResult<Vec<Pair>> {
    match tasks.iter().all(|task| task[1] > 0) {
        true => Ok(tasks.iter().map(|task| (task[0], task[1])).collect()),
        false => Err(bad_input("a period is 0; allowed: from 1")),
    }
}

/// Whether the test called `name` proves `tasks` schedulable on one processor; fixed priorities fall with the index.
#[pyfunction]
pub(crate) fn uniprocessor_test(name: &str, tasks: Vec<Triple>) -> PyResult<bool> {
    match name {
        "qpa" => Ok(proves(&qpa::TEST, &system(&tasks, 1, AnalysedOrder::Edf)?)),
        "demand_criterion" => Ok(proves(&demand_criterion::TEST, &system(&tasks, 1, AnalysedOrder::Edf)?)),
        "response_time" => {
            Ok(proves(&response_time::TEST, &system(&tasks, 1, AnalysedOrder::FixedPriority)?))
        }
        "liu_layland" => Ok(liu_layland::holds(&utilizations(&tasks)?)),
        "hyperbolic" => Ok(hyperbolic::holds(&utilizations(&tasks)?)),
        other => Err(bad_input(format!("unknown test \"{other}\""))),
    }
}

/// The busy window of each task's first job under fixed priorities that fall with the index, with blocking terms;
/// `None` from the first on that is longer than the relative deadline.
#[pyfunction]
#[pyo3(signature = (tasks, jitter, blocking))]
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

/// Whether the test called `name` proves `tasks` schedulable under global EDF. More names decide as peers do (see
/// docs/peers.md): `ff_dbf_grid`, forced-forward demand for speeds on a grid; `load_approximation`; and
/// `baruah_published` and `baruah_schedcat`, Baruah's condition with either cap where demand changes.
#[pyfunction]
pub(crate) fn global_edf_test(name: &str, tasks: Vec<Triple>, processors: u32) -> PyResult<bool> {
    let system = system(&tasks, processors, AnalysedOrder::Edf)?;
    match name {
        "ff_dbf_grid" => Ok(ff_dbf::holds_on_grid(&system, 50, 10) == Some(true)),
        "load_approximation" => Ok(load_approximation::holds(&system, 10) == Some(true)),
        "baruah_published" => Ok(baruah::holds_as(baruah::Reading::PUBLISHED, &system) == Some(true)),
        "baruah_schedcat" => Ok(baruah::holds_as(baruah::Reading::OF_SCHEDCAT, &system) == Some(true)),
        name => match registry::find(name).filter(|test| (test.applies)(&system)) {
            Some(test) => Ok(proves(test, &system)),
            None => Err(bad_input(format!(
                "no test of global EDF on {processors} processors is called \"{name}\""
            ))),
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

/// When each job of a strictly periodic task set completes; jobs arrive before `until`. Quantum-driven schedulers
/// have quanta of length `quantum`.
#[pyfunction]
#[pyo3(signature = (scheduler, processors, tasks, offsets, until, partition, quantum=None))]
pub(crate) fn completions(
    scheduler: &str,
    processors: u16,
    tasks: Vec<Triple>,
    offsets: Vec<u64>,
    until: u64,
    partition: Option<Vec<u16>>,
    quantum: Option<u64>,
) -> PyResult<Vec<Completion>> {
    let horizon = enough(&tasks, &offsets, until)?;
    let specs = periodic(&tasks, &offsets, until, partition.as_deref())?;
    let machine = on_machine(scheduler, processors, quantum, Scenario { horizon, ..Scenario::new(specs) })?;
    let mut found = Completions::default();
    machine.simulate(&mut found, &mut |_| true).map_err(bad_input)?;
    Ok(found.0)
}

/// Which tasks run in each quantum before `until`, in rising order; jobs of a strictly periodic task set arrive before.
#[pyfunction]
#[pyo3(signature = (scheduler, processors, tasks, offsets, until, quantum))]
pub(crate) fn quanta(
    scheduler: &str,
    processors: u16,
    tasks: Vec<Triple>,
    offsets: Vec<u64>,
    until: u64,
    quantum: u64,
) -> PyResult<Vec<Vec<u32>>> {
    enough(&tasks, &offsets, until)?;
    let horizon = Instant::from_ns(until);
    let specs = periodic(&tasks, &offsets, until, None)?;
    let scenario = Scenario { horizon, ..Scenario::new(specs) };
    let machine = on_machine(scheduler, processors, Some(quantum), scenario)?;
    let context = Context::of_platform(&machine.platform);
    let mut recorder = ScheduleRecorder::new(&context, Window::ALL);
    machine.simulate(&mut recorder, &mut |_| true).map_err(bad_input)?;
    let mut slots = vec![Vec::new(); until.div_ceil(quantum) as usize];
    for segment in recorder.finish().segments {
        let (from, to) = (segment.from.as_ns() / quantum, segment.to.as_ns().div_ceil(quantum));
        (from..to).for_each(|slot| slots[slot as usize].push(segment.job.task.0));
    }
    slots.iter_mut().for_each(|tasks| tasks.sort_unstable());
    Ok(slots)
}

/// Strictly periodic tasks, whose jobs arrive before `until`.
pub(crate) fn periodic(
    tasks: &[Triple],
    offsets: &[u64],
    until: u64,
    partition: Option<&[u16]>,
) -> PyResult<Vec<TaskSpec>> {
    if offsets.len() != tasks.len() || partition.is_some_and(|cpus| cpus.len() != tasks.len()) {
        return Err(bad_input("offsets, and the map to processors, have one value for each task"));
    }
    let spec = |(at, &[cost, period, deadline]): (usize, &Triple)| TaskSpec {
        relative_deadline: Duration::from_ns(deadline),
        offset: Instant::from_ns(offsets[at]),
        leave: Instant::from_ns(until),
        processor: partition.map(|cpus| cpus[at]),
        wcet_may_exceed_deadline: true,
        ..TaskSpec::new(format!("T{at}"), Work::from_ns(cost), Duration::from_ns(period))
    };
    Ok(tasks.iter().enumerate().map(spec).collect())
}

/// `scenario` under this scheduler, on processors without overheads.
pub(crate) fn on_machine(
    scheduler: &str,
    processors: u16,
    quantum: Option<u64>,
    mut scenario: Scenario,
) -> PyResult<Prepared> {
    scenario.platform.processors = processors;
    let known = find(scheduler).map_err(bad_input)?;
    if known.scope == Scope::Clustered {
        return Err(bad_input("records name no clusters"));
    }
    let is_placed = scenario.tasks.iter().all(|task| task.processor.is_some());
    if known.scope == Scope::Partitioned && processors > 1 && !is_placed {
        return Err(bad_input("a partitioned scheduler needs a processor for each task"));
    }
    match quantum {
        Some(quantum) => scenario.platform.quantum = Duration::from_ns(quantum),
        None if known.quanta.is_some() => return Err(bad_input("the scheduler needs a quantum")),
        None => {}
    }
    Prepared::new(&scenario.with_scheduler(scheduler).map_err(bad_input)?).map_err(bad_input)
}

/// A time by which everything that arrives is complete, however long one processor takes.
pub(crate) fn enough(tasks: &[Triple], offsets: &[u64], until: u64) -> PyResult<Instant> {
    let (mut jobs, mut work) = (0u128, 0u128);
    for (&[cost, period, _], &offset) in tasks.iter().zip(offsets) {
        if period == 0 || cost == 0 {
            return Err(bad_input("a cost or period is 0; allowed: from 1"));
        }
        let count = u128::from(until.saturating_sub(offset)).div_ceil(u128::from(period));
        jobs += count;
        work += count * u128::from(cost);
    }
    let latest = u128::from(until) + u128::from(offsets.iter().copied().max().unwrap_or(0)) + work + 1;
    if jobs > MOST_JOBS || latest > u128::from(u64::MAX >> 3) {
        return Err(bad_input(format!("{jobs} jobs are too many to simulate; allowed: up to {MOST_JOBS}")));
    }
    Ok(Instant::from_ns(latest as u64))
}

#[derive(Default)]
struct Completions(Vec<Completion>);

impl Sink for Completions {
    fn record(&mut self, at: Instant, record: Record) {
        if let Record::Complete { job } = record {
            self.0.push((job.task.0, job.number, at.as_ns()));
        }
    }
}
