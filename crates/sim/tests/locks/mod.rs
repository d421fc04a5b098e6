//! What the tests of locking protocols share.

#![allow(dead_code, unused_macros, unused_imports, reason = "each test program uses its own part")]

pub mod blocked;
pub mod draw;
pub mod filtered;
mod groups;
pub mod harness;
pub mod observed;
pub mod promises;
pub mod random;

use crate::support::giving_up::{GivingUp, When};
use crate::support::golden::numbers;
use crate::support::*;
use schedlab_lock::{find_protocol, LockError, LockProtocol, LockSetup, PriorityOrder};
use schedlab_model::*;
use schedlab_policy::Policy;
use schedlab_sim::{simulate, Setup};
use schedlab_trace::Timeline;
use serde_json::Value;
use std::sync::Arc;

/// Makes a protocol.
pub type Make = fn(&LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError>;

/// The protocol of this name for `setup`.
pub fn named(name: &str, setup: &LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError> {
    (find_protocol(name).expect("it exists").make)(setup)
}

/// The same as a value of [`Make`].
macro_rules! make {
    ($name:literal) => {
        |setup| crate::locks::named($name, setup)
    };
}
pub(crate) use make;

/// The protocol that `make` makes for `setup` under a scheduler.
pub fn locks(setup: &Setup, resources: &[Resource], scheduler: &str, make: Make) -> Box<dyn LockProtocol> {
    try_locks(setup, resources, scheduler, make).unwrap_or_else(|error| panic!("{error}"))
}

/// The same, or why it does not take such a system.
pub fn try_locks(
    setup: &Setup,
    resources: &[Resource],
    scheduler: &str,
    make: Make,
) -> Result<Box<dyn LockProtocol>, LockError> {
    let order = scheduler.rsplit('-').next().expect("a name is not empty");
    let points: Vec<u64> = setup.tasks.iter().map(|task| point(order, task)).collect();
    let order = match order {
        "EDF" => PriorityOrder::EarliestDeadline,
        "PD2" => PriorityOrder::Pfair,
        _ => PriorityOrder::Fixed(&points),
    };
    let lock_setup =
        LockSetup { tasks: &setup.tasks, resources, platform: &setup.platform, order, lengths: &[] };
    make(&lock_setup)
}

fn run_with(setup: Setup, policies: Vec<impl Policy>, locks: Box<dyn LockProtocol>) -> Timeline {
    let source = periodic(&setup.tasks);
    let mut timeline = Timeline::default();
    simulate(setup, policies, locks, source, &mut timeline);
    timeline
}

/// Runs `setup` under a scheduler and the protocol that `make` makes.
pub fn run_locked(setup: Setup, resources: &[Resource], scheduler: &str, make: Make) -> Timeline {
    let locks = locks(&setup, resources, scheduler, make);
    let policies = policies(scheduler, &setup.platform, &setup.tasks);
    run_with(setup, policies, locks)
}

/// The same, and late jobs are given up.
pub fn run_giving_up(setup: Setup, resources: &[Resource], scheduler: &str, make: Make) -> Timeline {
    run_giving_up_at(setup, resources, scheduler, make, Arc::new(|job| job.absolute_deadline))
}

/// The same, and jobs are given up at some time.
pub fn run_giving_up_at(
    setup: Setup,
    resources: &[Resource],
    scheduler: &str,
    make: Make,
    when: When,
) -> Timeline {
    let locks = locks(&setup, resources, scheduler, make);
    let policies = GivingUp::at(policies(scheduler, &setup.platform, &setup.tasks), when);
    run_with(setup, policies, locks)
}

fn point(order: &str, task: &Task) -> u64 {
    match order {
        "RM" => task.period.as_ns(),
        "DM" => task.relative_deadline.as_ns(),
        _ => task.fixed_priority.into(),
    }
}

/// An array of arrays of numbers.
pub fn rows(value: &Value) -> Vec<Vec<u64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

/// A program as the golden data write it; `resource` gives a resource its number.
pub fn program(steps: &Value, resource: &mut dyn FnMut(&str) -> ResourceId) -> Vec<Step> {
    let mut step = |step: &Value| match (step[0].as_str().unwrap(), &step[1]) {
        ("x", length) => Step::Execute(Work::from_ns(length.as_u64().unwrap())),
        ("L", name) => Step::Request(resource(name.as_str().unwrap()), 1),
        ("U", name) => Step::Release(resource(name.as_str().unwrap()), 1),
        (other, _) => panic!("an unknown step {other}"),
    };
    steps.as_array().unwrap().iter().map(&mut step).collect()
}

/// The tasks of a golden record, and the resources that they share.
pub fn tasks(record: &Value) -> (Vec<Task>, Vec<Resource>) {
    let (tasks, names) = named_tasks(record);
    (tasks, vec![Resource { units: 1 }; names.len()])
}

/// The number of the resource called `name`: a new one if it is not known.
pub fn number_of(names: &mut Vec<String>, name: &str) -> ResourceId {
    let known = names.iter().position(|known| known == name);
    ResourceId(known.unwrap_or_else(|| {
        names.push(name.to_string());
        names.len() - 1
    }) as u32)
}

/// The tasks of a golden record, and the names of its resources.
pub fn named_tasks(record: &Value) -> (Vec<Task>, Vec<String>) {
    let offsets = numbers(&record["offsets"]);
    let last = record["hyperperiod"].as_u64().unwrap() + offsets.iter().max().unwrap();
    let mut names: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for (index, row) in rows(&record["tasks"]).iter().enumerate() {
        all.push(Task {
            offset: Instant::from_ns(offsets[index]),
            leave: Instant::from_ns(last),
            fixed_priority: index as u32,
            program: program(&record["programs"][index], &mut |name| number_of(&mut names, name)),
            ..task(row[0], row[1], row[2])
        });
    }
    (all, names)
}

/// The completions, as the golden data write them.
pub fn finish(timeline: &Timeline) -> Vec<Vec<u64>> {
    completions(timeline).into_iter().map(|(task, job, at)| vec![task.into(), job.into(), at]).collect()
}

/// The worked example called `id`.
pub fn worked_example(id: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/worked_examples.json");
    let text = std::fs::read_to_string(path).expect("the worked examples are part of the project");
    let all: Value = serde_json::from_str(&text).unwrap();
    let mut examples = all["examples"].as_array().unwrap().iter();
    examples.find(|example| example["id"] == id).unwrap().clone()
}
