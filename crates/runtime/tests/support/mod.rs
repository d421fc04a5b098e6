//! Makes systems of tasks in milliseconds and runs them.

#![allow(dead_code, reason = "each test file uses its own part")]

use schedlab_lock::LockProtocol;
use schedlab_model::*;
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Policy, Scope};
use schedlab_runtime::*;
use schedlab_sim::{Charges, NoLocks, Periodic, Setup};
use std::sync::{Arc, Mutex};

/// One run at a time: the tests share the processors.
static ALONE: Mutex<()> = Mutex::new(());

/// A task of cost, period and relative deadline in milliseconds.
pub fn task(cost: u64, period: u64, relative_deadline: u64) -> Task {
    let ms = 1_000_000;
    Task::constrained(
        Work::from_ns(cost * ms),
        Duration::from_ns(period * ms),
        Duration::from_ns(relative_deadline * ms),
    )
}

fn policies(name: &str, platform: &Platform, tasks: &[Task]) -> Vec<Box<dyn Policy>> {
    let scheduler = find(name).unwrap();
    let make = |(index, cluster): (usize, &Cluster)| {
        let cluster_id = ClusterId(index as u16);
        let affinity = Affinity::default();
        let setup = ClusterSetup {
            cluster: cluster_id,
            cpus: &cluster.cpus,
            platform,
            tasks,
            affinity,
            supertasks: &[],
        };
        scheduler.policy(&setup).unwrap()
    };
    platform.clusters.iter().enumerate().map(make).collect()
}

/// Runs `tasks` for `horizon` milliseconds in one domain; `None` where that is refused.
pub fn run(
    tasks: Vec<Task>,
    name: &str,
    processors: u16,
    horizon: u64,
    bodies: Vec<Body>,
) -> Option<Outcome> {
    run_locked(tasks, name, processors, horizon, bodies, |_, _| Box::new(NoLocks))
}

/// As [`run`], with a locking protocol.
pub fn run_locked(
    tasks: Vec<Task>,
    name: &str,
    processors: u16,
    horizon: u64,
    bodies: Vec<Body>,
    locks: fn(&[Task], &Platform) -> Box<dyn LockProtocol>,
) -> Option<Outcome> {
    let platform = match find(name).unwrap().scope {
        Scope::Partitioned => Platform::partitioned(processors),
        Scope::Clustered | Scope::Global => Platform::global(processors),
    };
    let domain = |locks| DomainSetup {
        cpus: (0..processors).map(CpuId).collect(),
        policies: policies(name, &platform, &tasks),
        locks,
        source: Box::new(Periodic::new(&tasks)),
    };
    let domain_of = vec![0; tasks.len()];
    let horizon = Instant::from_ns(horizon * 1_000_000);
    let (first, second) = (domain(locks(&tasks, &platform)), domain(locks(&tasks, &platform)));
    let setup =
        Setup { tasks: tasks.clone(), platform: platform.clone(), charges: Charges::default(), horizon };
    let system = System { setup: setup.clone(), domains: vec![first], domain_of, bodies };
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    match schedlab_runtime::run(system, &Options::default(), &Arc::default()) {
        Ok(outcome) => {
            let setup = Setup { horizon: outcome.end(), ..setup };
            let told = outcome.told[0].as_ref().expect("short runs are remembered");
            let again = replay(second, &setup, told, 1 << 20);
            assert_eq!(again.records, outcome.decisions, "the replay is exact");
            Some(outcome)
        }
        Err(refusal) => {
            println!("not run: {refusal}");
            None
        }
    }
}

/// Minimum, median and maximum time from arrival to first instruction, in microseconds.
pub fn latencies(outcome: &Outcome) -> (u64, u64, u64) {
    let mut all: Vec<u64> =
        outcome.release_latencies().iter().map(|(_, length)| length.as_ns() / 1_000).collect();
    all.sort_unstable();
    (all[0], all[all.len() / 2], all[all.len() - 1])
}
