//! Runs task sets under schedulers by name, and draws what happened as text.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod giving_up;
pub mod golden;

use schedlab_model::*;
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Policy, Scope, Throttling};
use schedlab_sim::{simulate, Charges, NoLocks, Setup};
use schedlab_trace::{Record, Timeline};
use schedlab_workload::arrivals::{job_source, Arrivals, Costs, PeriodicSource, SourceSpec};

/// A task of cost, period and relative deadline, in units of one nanosecond.
pub fn task(cost: u64, period: u64, relative_deadline: u64) -> Task {
    Task::constrained(Work::from_ns(cost), Duration::from_ns(period), Duration::from_ns(relative_deadline))
}

/// The platform that a scheduler of this scope needs.
pub fn platform(scope: Scope, processors: u16, cluster_size: u16) -> Platform {
    match scope {
        Scope::Partitioned => Platform::partitioned(processors),
        Scope::Clustered => Platform::clustered(processors, cluster_size),
        Scope::Global => Platform::global(processors),
    }
}

/// A setup without overheads.
pub fn ideal(tasks: Vec<Task>, platform: Platform, horizon: u64) -> Setup {
    let (charges, horizon) = (Charges::default(), Instant::from_ns(horizon));
    Setup { tasks, platform, charges, overruns: Overrun::Ignore, horizon }
}

/// The policies of the scheduler called `name`.
pub fn policies(name: &str, platform: &Platform, tasks: &[Task]) -> Vec<Box<dyn Policy>> {
    policies_made(Affinity::default(), None, name, platform, tasks)
}

/// The same with an affinity.
pub fn policies_under(
    affinity: Affinity,
    name: &str,
    platform: &Platform,
    tasks: &[Task],
) -> Vec<Box<dyn Policy>> {
    policies_made(affinity, None, name, platform, tasks)
}

/// The policies of the scheduler called `name`, with an affinity and throttling.
pub fn policies_made(
    affinity: Affinity,
    throttling: Option<Throttling>,
    name: &str,
    platform: &Platform,
    tasks: &[Task],
) -> Vec<Box<dyn Policy>> {
    let scheduler = find(name).unwrap();
    let make = |(index, cluster): (usize, &Cluster)| {
        let setup = ClusterSetup {
            cluster: ClusterId(index as u16),
            cpus: &cluster.cpus,
            platform,
            tasks,
            affinity,
            supertasks: &[],
            throttling,
        };
        scheduler.policy(&setup).unwrap_or_else(|error| panic!("{error}"))
    };
    platform.clusters.iter().enumerate().map(make).collect()
}

/// The strictly periodic jobs of `tasks`. A test's task need not repeat what its program says: how long it executes,
/// that it suspends.
pub fn periodic(tasks: &[Task]) -> PeriodicSource {
    let announced = |task: &Task| {
        let executed = |step: &Step| if let Step::Execute(work) = step { work.as_ns() } else { 0 };
        let mut task = task.clone();
        if !task.program.is_empty() {
            task.wcet = Work::from_ns(task.program.iter().map(executed).sum());
        }
        if task.program.iter().any(|step| matches!(step, Step::Suspend(_))) {
            task.suspension = Suspension::Segmented;
        }
        task
    };
    let tasks: Vec<Task> = tasks.iter().map(announced).collect();
    PeriodicSource::new(&tasks).expect("tasks with costs and periods")
}

/// Runs periodic tasks under the scheduler called `name`.
pub fn run(tasks: Vec<Task>, name: &str, processors: u16, horizon: u64) -> Timeline {
    let platform = platform(find(name).unwrap().scope, processors, 2);
    run_setup(ideal(tasks, platform, horizon), name)
}

/// Runs a setup with periodic arrivals under the scheduler called `name`.
pub fn run_setup(setup: Setup, name: &str) -> Timeline {
    let policies = policies(name, &setup.platform, &setup.tasks);
    let source = periodic(&setup.tasks);
    let mut timeline = Timeline::default();
    simulate(setup, policies, NoLocks, source, &mut timeline);
    timeline
}

/// Runs a setup with periodic arrivals under the scheduler called `name`. Each job needs from a nanosecond to its
/// WCET, drawn by `seed`.
pub fn run_with_drawn_costs(setup: Setup, name: &str, seed: u64) -> Timeline {
    let spec = |task: &Task| SourceSpec {
        arrivals: Arrivals::Periodic,
        costs: Costs::Between(Work::from_ns(1), task.wcet),
    };
    let specs: Vec<SourceSpec> = setup.tasks.iter().map(spec).collect();
    let source = job_source(&setup.tasks, &specs, seed).unwrap();
    let policies = policies(name, &setup.platform, &setup.tasks);
    let mut timeline = Timeline::default();
    simulate(setup, policies, NoLocks, source, &mut timeline);
    timeline
}

/// The completions as `(task, job, time)`, by task and job.
pub fn completions(timeline: &Timeline) -> Vec<(u32, u32, u64)> {
    let mut all: Vec<_> = timeline.records.iter().filter_map(completion).collect();
    all.sort_unstable();
    all
}

fn completion((at, record): &(Instant, Record)) -> Option<(u32, u32, u64)> {
    match record {
        Record::Complete { job } => Some((job.task.0, job.number, at.as_ns())),
        _ => None,
    }
}

/// The jobs that missed their deadlines.
pub fn misses(timeline: &Timeline) -> Vec<JobId> {
    let missed = |(_, record): &(Instant, Record)| match record {
        Record::Miss { job } => Some(*job),
        _ => None,
    };
    timeline.records.iter().filter_map(missed).collect()
}

/// One row per processor, one letter per nanosecond: who occupies it; `.` is idle, lower case an overhead.
pub fn draw(timeline: &Timeline, processors: u16, until: u64) -> String {
    let mut rows = vec![vec!['.'; until as usize]; processors.into()];
    let mut on: Vec<Option<JobId>> = vec![None; processors.into()];
    let mut overhead: Vec<Option<char>> = vec![None; processors.into()];
    for (at, record) in &timeline.records {
        change(&mut on, &mut overhead, record);
        for (row, (job, system)) in rows.iter_mut().zip(on.iter().zip(&overhead)) {
            let letter = system.or_else(|| job.map(|job| (b'A' + job.task.0 as u8) as char)).unwrap_or('.');
            row[(at.as_ns() as usize).min(until as usize)..].fill(letter);
        }
    }
    let rows: Vec<String> = rows.into_iter().map(String::from_iter).collect();
    rows.join(" / ")
}

fn change(on: &mut [Option<JobId>], overhead: &mut [Option<char>], record: &Record) {
    match record {
        Record::Dispatch { cpu, job } => on[cpu.index()] = Some(*job),
        Record::Preempt { cpu, .. } => on[cpu.index()] = None,
        Record::Complete { job } | Record::Suspend { job, .. } | Record::Abort { job } => {
            on.iter_mut().filter(|occupant| **occupant == Some(*job)).for_each(|occupant| *occupant = None);
        }
        Record::OverheadBegin { cpu, kind, .. } => overhead[cpu.index()] = kind.name().chars().next(),
        Record::OverheadEnd { cpu, .. } => overhead[cpu.index()] = None,
        _ => {}
    }
}

/// Runs `(cost, period, relative deadline)` tasks and compares the drawn schedule, as long as `expected` is.
#[track_caller]
pub fn check(tasks: &[(u64, u64, u64)], name: &str, processors: u16, expected: &str) {
    let until = expected.split(" / ").next().expect("a row").len() as u64;
    let tasks = tasks.iter().map(|&(c, t, d)| task(c, t, d)).collect();
    assert_eq!(draw(&run(tasks, name, processors, until), processors, until), expected, "{name}");
}
