//! Runs a system in the simulator.

use crate::source::Jobs;
use crate::system::System;
use schedlab_model::{Cluster, ClusterId, Overrun, Statistic};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Clustered, Make, Policy};
use schedlab_report::Context;
use schedlab_sim::{simulate, Charges, NoLocks, Setup, Summary};
use schedlab_trace::{Sink, Timeline};

/// What the simulator needs besides policies.
pub fn setup(system: &System) -> Setup {
    Setup {
        tasks: system.tasks.clone(),
        platform: system.platform.clone(),
        charges: Charges::evaluate(&system.overheads, Statistic::Max, &system.tasks, &system.platform),
        overruns: Overrun::Ignore,
        horizon: system.horizon,
    }
}

/// One policy for each cluster.
pub fn policies(system: &System) -> Vec<Clustered> {
    let name = system.scheduler();
    let Make::Clustered { order, preemptive } = find(&name).expect("a known name").make else {
        unreachable!("{name} is made of an order")
    };
    each_cluster(system, |setup| Clustered::new(order, preemptive, setup))
}

/// What `make` makes for each cluster.
pub fn each_cluster<P>(system: &System, make: impl Fn(&ClusterSetup<'_>) -> P) -> Vec<P> {
    let platform = &system.platform;
    let of_cluster = |(index, cluster): (usize, &Cluster)| {
        make(&ClusterSetup {
            cluster: ClusterId(index as u16),
            cpus: &cluster.cpus,
            platform,
            tasks: &system.tasks,
            affinity: Affinity::default(),
            supertasks: &[],
            throttling: None,
        })
    };
    platform.clusters.iter().enumerate().map(of_cluster).collect()
}

/// Simulates `system` into `sink`.
pub fn run_into(system: &System, sink: impl Sink) -> Summary {
    simulate(setup(system), policies(system), NoLocks, Jobs::new(system), sink)
}

/// The whole trace of `system`.
pub fn run(system: &System) -> Timeline {
    run_with(system, policies(system))
}

/// The whole trace of `system` under given policies.
pub fn run_with<P: Policy>(system: &System, policies: Vec<P>) -> Timeline {
    let mut timeline = Timeline::default();
    simulate(setup(system), policies, NoLocks, Jobs::new(system), &mut timeline);
    timeline
}

/// What a checker of the system's traces knows.
pub fn context(system: &System) -> Context {
    let promises = policies(system)[0].promises().to_vec();
    Context { promises, ..Context::of_platform(&system.platform) }
}
