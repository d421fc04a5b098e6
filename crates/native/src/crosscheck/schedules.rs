//! Computations for cross-checks of schedules: of strictly periodic tasks, perhaps with critical sections.

use crate::crosscheck::Triple;
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_lab::Prepared;
use schedlab_model::{Duration, Instant, JobId, ResourceId, Step, Work};
use schedlab_policy::{find, Scope};
use schedlab_report::schedule::{ScheduleRecorder, Window};
use schedlab_report::Context;
use schedlab_scenario::{ResourceSpec, Scenario, TaskSpec};
use schedlab_trace::{Life, Record, Sink};

/// A completed job: task, job number, time of the completion.
type Completion = (u32, u32, u64);

/// A step as records write it: `("x", 3)`, `("L", resource)`, `("U", resource)`. Resources are numbered from 0.
type Written = (String, u64);

/// A locking protocol; by task a fixed priority, the smallest most urgent, and a program.
type Locking = (String, Vec<u32>, Vec<Vec<Written>>);

/// Most jobs; larger numbers count as a mistake.
const MOST_JOBS: u128 = 20_000_000;

/// Returns when each job of a strictly periodic task set completes, and the longest spin; jobs arrive before `until`.
/// Quantum-driven schedulers have quanta of length `quantum`.
#[pyfunction]
#[pyo3(signature = (scheduler, processors, tasks, offsets, until, partition, quantum=None, locking=None))]
#[expect(clippy::too_many_arguments, reason = "a record has that many fields")]
pub(crate) fn completions(
    scheduler: &str,
    processors: u16,
    tasks: Vec<Triple>,
    offsets: Vec<u64>,
    until: u64,
    partition: Option<Vec<u16>>,
    quantum: Option<u64>,
    locking: Option<Locking>,
) -> PyResult<(Vec<Completion>, u64)> {
    let horizon = enough(&tasks, &offsets, until)?;
    let specs = periodic(&tasks, &offsets, until, partition.as_deref())?;
    let mut scenario = Scenario { horizon, ..Scenario::new(specs) };
    scenario.platform.processors = processors;
    if let Some(locking) = locking {
        scenario = with_sections(scenario, locking)?;
    }
    let mut found = Watched::default();
    let machine = on_machine(scheduler, processors, quantum, scenario)?;
    machine.simulate(&mut found, &mut |_| true).map_err(bad_input)?;
    Ok((found.completions, found.longest))
}

/// Returns the tasks that run in each quantum before `until`, in rising order; jobs of a strictly periodic task set
/// arrive before.
#[pyfunction]
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

/// Adds fixed priorities and programs to the tasks, under a locking protocol.
fn with_sections(mut scenario: Scenario, (protocol, priorities, programs): Locking) -> PyResult<Scenario> {
    if [priorities.len(), programs.len()] != [scenario.tasks.len(); 2] {
        return Err(bad_input("priorities and programs have one value for each task"));
    }
    for (spec, (program, priority)) in scenario.tasks.iter_mut().zip(programs.iter().zip(priorities)) {
        spec.program = program.iter().map(step).collect::<PyResult<_>>()?;
        let executed = program.iter().filter(|(verb, _)| verb == "x").map(|(_, length)| length);
        spec.wcet = Work::from_ns(executed.sum());
        spec.priority = Some(priority);
    }
    scenario.resources = resources(&programs);
    scenario.with_protocol(&protocol).map_err(bad_input)
}

fn step((verb, value): &Written) -> PyResult<Step> {
    let resource = || u32::try_from(*value).map(ResourceId).map_err(|_| bad_input("too many resources"));
    match verb.as_str() {
        "x" => Ok(Step::Execute(Work::from_ns(*value))),
        "L" => Ok(Step::Request(resource()?, 1)),
        "U" => Ok(Step::Release(resource()?, 1)),
        other => Err(bad_input(format!("unknown step \"{other}\"; allowed: x, L, U"))),
    }
}

/// Returns as many resources as programs name.
fn resources(programs: &[Vec<Written>]) -> Vec<ResourceSpec> {
    let named = programs.iter().flatten().filter(|(verb, _)| verb != "x").map(|(_, resource)| *resource);
    let count = named.max().map_or(0, |last| last.saturating_add(1));
    let resource = |at| ResourceSpec::new(format!("R{at}"));
    (0..count).map(resource).collect()
}

/// Strictly periodic tasks, whose jobs arrive before `until`.
fn periodic(
    tasks: &[Triple],
    offsets: &[u64],
    until: u64,
    partition: Option<&[u16]>,
) -> PyResult<Vec<TaskSpec>> {
    if offsets.len() != tasks.len() || partition.is_some_and(|cpus| cpus.len() != tasks.len()) {
        return Err(bad_input("offsets, and the map to processors, have one value for each task"));
    }
    let spec = |(index, &[cost, period, deadline]): (usize, &Triple)| TaskSpec {
        relative_deadline: Duration::from_ns(deadline),
        offset: Instant::from_ns(offsets[index]),
        leave: Instant::from_ns(until),
        processor: partition.map(|cpus| cpus[index]),
        wcet_may_exceed_deadline: true,
        ..TaskSpec::new(format!("T{index}"), Work::from_ns(cost), Duration::from_ns(period))
    };
    Ok(tasks.iter().enumerate().map(spec).collect())
}

/// Sets the scheduler and the processors of `scenario`, without overheads.
fn on_machine(
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

/// Returns a time by which everything that arrives is complete, however long one processor takes.
fn enough(tasks: &[Triple], offsets: &[u64], until: u64) -> PyResult<Instant> {
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
struct Watched {
    completions: Vec<Completion>,
    spins: Vec<(JobId, Instant)>,
    longest: u64,
}

impl Sink for Watched {
    fn record(&mut self, at: Instant, record: Record) {
        if let Some(Life::Completion(job)) = record.life() {
            self.completions.push((job.task.0, job.number, at.as_ns()));
        } else if let Record::Spin { job, .. } = record {
            self.spins.push((job, at));
        } else if let Record::Acquire { job, .. } = record {
            if let Some(place) = self.spins.iter().position(|(spinner, _)| *spinner == job) {
                let (_, since) = self.spins.swap_remove(place);
                self.longest = self.longest.max((at - since).as_ns());
            }
        }
    }
}
