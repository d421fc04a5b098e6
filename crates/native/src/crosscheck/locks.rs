//! What cross-checks compute of locking protocols: schedules of programs with critical sections.

use crate::crosscheck::{enough, on_machine, periodic, Completion, Triple};
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_model::{Instant, JobId, ResourceId, Step, Work};
use schedlab_scenario::{ResourceSpec, Scenario};
use schedlab_trace::{Life, Record, Sink};

/// A step as records write it: `("x", 3)`, `("L", resource)`, `("U", resource)`.
type Written = (String, u64);

/// When each job completes, and the longest spin.
type Locked = (Vec<Completion>, u64);

/// When each job of a strictly periodic task set with critical sections completes, and the longest spin; jobs
/// arrive before `until`. Resources are numbered from 0; `priorities` are fixed ones, the smallest most urgent.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
pub(crate) fn locked_completions(
    scheduler: &str,
    protocol: &str,
    processors: u16,
    tasks: Vec<Triple>,
    offsets: Vec<u64>,
    until: u64,
    partition: Vec<u16>,
    priorities: Vec<u32>,
    programs: Vec<Vec<Written>>,
) -> PyResult<Locked> {
    let count = tasks.len();
    if [partition.len(), priorities.len(), programs.len()] != [count; 3] {
        return Err(bad_input("offsets, processors, priorities and programs have one value for each task"));
    }
    let mut specs = periodic(&tasks, &offsets, until, Some(&partition))?;
    for (spec, (program, priority)) in specs.iter_mut().zip(programs.iter().zip(priorities)) {
        spec.program = program.iter().map(step).collect::<PyResult<_>>()?;
        let executed = program.iter().filter(|(verb, _)| verb == "x").map(|(_, length)| length);
        spec.wcet = Work::from_ns(executed.sum());
        spec.priority = Some(priority);
    }
    let horizon = enough(&tasks, &offsets, until)?;
    let mut scenario = Scenario { horizon, resources: resources(&programs), ..Scenario::new(specs) };
    scenario.platform.processors = processors;
    let scenario = scenario.with_protocol(protocol).map_err(bad_input)?;
    let mut found = Watched::default();
    let prepared = on_machine(scheduler, processors, None, scenario)?;
    prepared.simulate(&mut found, &mut |_| true).map_err(bad_input)?;
    Ok((found.completions, found.longest))
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

/// As many resources as programs name.
fn resources(programs: &[Vec<Written>]) -> Vec<ResourceSpec> {
    let named = programs.iter().flatten().filter(|(verb, _)| verb != "x").map(|(_, resource)| *resource);
    let count = named.max().map_or(0, |last| last.saturating_add(1));
    let resource = |at| ResourceSpec::new(format!("R{at}"));
    (0..count).map(resource).collect()
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
