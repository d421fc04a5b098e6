//! Simulated traces of small systems.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod lines;

use schedlab_model::*;
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Policy, Scope};
use schedlab_report::schedule::{Schedule, ScheduleRecorder, Window};
use schedlab_report::Context;
use schedlab_sim::{simulate, Charges, NoLocks, Setup, Summary};
use schedlab_trace::{Record, Sink, Timeline};
use schedlab_workload::arrivals::PeriodicSource;

/// A small generator of whole numbers, the same everywhere.
pub struct Dice(pub u64);

impl Dice {
    /// A number from `low` to `high`, both included.
    pub fn roll(&mut self, low: u64, high: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + self.0 % (high - low + 1)
    }
}

/// What a simulation gives.
pub struct Simulated {
    pub context: Context,
    pub timeline: Timeline,
    pub summary: Summary,
}

pub fn task(cost: u64, period: u64, relative_deadline: u64) -> Task {
    Task::constrained(Work::from_ns(cost), Duration::from_ns(period), Duration::from_ns(relative_deadline))
}

/// Runs `tasks` with periodic arrivals under the scheduler called `name`.
pub fn simulated(
    mut tasks: Vec<Task>,
    name: &str,
    processors: u16,
    charges: Charges,
    horizon: u64,
) -> Simulated {
    let scheduler = find(name).unwrap();
    let mut platform = match scheduler.scope {
        Scope::Partitioned => Platform::partitioned(processors),
        Scope::Clustered => Platform::clustered(processors, 2),
        Scope::Global => Platform::global(processors),
    };
    platform.quantum = Duration::from_ns(50);
    for (index, task) in tasks.iter_mut().enumerate() {
        task.cluster = ClusterId((index % platform.clusters.len()) as u16);
    }
    let policies: Vec<Box<dyn Policy>> = (platform.clusters.iter().enumerate())
        .map(|(index, cluster)| {
            let setup = ClusterSetup {
                cluster: ClusterId(index as u16),
                cpus: &cluster.cpus,
                platform: &platform,
                tasks: &tasks,
                affinity: Affinity::default(),
                supertasks: &[],
                throttling: None,
            };
            scheduler.policy(&setup).unwrap()
        })
        .collect();
    let promises = policies[0].promises().to_vec();
    let context = Context { promises, ..Context::of_platform(&platform) };
    let source = PeriodicSource::new(&tasks).expect("plain tasks");
    let mut timeline = Timeline::default();
    let (overruns, horizon) = (Overrun::Ignore, Instant::from_ns(horizon));
    let setup = Setup { tasks, platform, charges, overruns, horizon };
    let summary = simulate(setup, policies, NoLocks, source, &mut timeline);
    Simulated { context, timeline, summary }
}

/// What `records` show in `window`.
pub fn schedule_of(
    context: &Context,
    records: impl IntoIterator<Item = (Instant, Record)>,
    window: Window,
) -> Schedule {
    let mut recorder = ScheduleRecorder::new(context, window);
    records.into_iter().for_each(|(at, record)| recorder.record(at, record));
    recorder.finish()
}
