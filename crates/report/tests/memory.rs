//! A run without a trace takes as much memory for a million jobs as for some thousands, and so for any number.

use schedlab_model::{Duration, Instant, Overrun, Platform, Task, Work};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Policy};
use schedlab_report::metrics::Metrics;
use schedlab_sim::{simulate, Charges, NoLocks, Setup};
use schedlab_workload::arrivals::PeriodicSource;

/// Forty tasks on four processors at nine tenths of what these can do. All periods divide one second.
fn tasks(partitioned: bool) -> Vec<Task> {
    let task = |index: u64| {
        let period = [4, 5, 8, 10, 20][index as usize % 5] * 1_000_000;
        let mut task = Task::implicit(Work::from_ns(period * 9 / 100), Duration::from_ns(period));
        if partitioned {
            task.cluster = schedlab_model::ClusterId(index as u16 / 10);
        }
        task
    };
    (0..40).map(task).collect()
}

/// Jobs, allocations and the most bytes at once of a run of so many seconds, metrics included.
fn run(name: &str, seconds: u64, charges: Charges) -> (u64, u64, u64) {
    let partitioned = name.starts_with('P');
    let platform = if partitioned { Platform::partitioned(4) } else { Platform::global(4) };
    let tasks = tasks(partitioned);
    let scheduler = find(name).expect("it is in the list");
    let policies = platform.clusters.iter().zip(0..).map(|(cluster, index)| {
        let setup = ClusterSetup {
            cluster: schedlab_model::ClusterId(index),
            cpus: &cluster.cpus,
            platform: &platform,
            tasks: &tasks,
            affinity: Affinity::default(),
            supertasks: &[],
        };
        scheduler.policy(&setup).expect("the system suits it")
    });
    let policies: Vec<Box<dyn Policy>> = policies.collect();
    let source = PeriodicSource::new(&tasks).expect("plain tasks");
    let horizon = Instant::from_ns(seconds * 1_000_000_000);
    let mut completed = 0;
    let seen = allocation_counter::measure(|| {
        let mut metrics = Metrics::new(tasks.len(), 4);
        let overruns = Overrun::Ignore;
        let setup = Setup { tasks: tasks.clone(), platform: platform.clone(), charges, overruns, horizon };
        completed = simulate(setup, policies, NoLocks, source, &mut metrics).jobs_completed;
        assert_eq!(metrics.all_tasks().completed, completed);
    });
    (completed, seen.count_total, seen.bytes_max)
}

#[test]
fn a_million_jobs_take_no_more_memory_than_some_thousands() {
    let us = Duration::from_us;
    let overheads =
        Charges { release: us(2), scheduling: us(3), context_switch: us(2), ..Charges::default() };
    for (name, charges, seconds) in
        [("G-EDF", Charges::default(), 200), ("P-EDF", Charges::default(), 20), ("G-EDF", overheads, 20)]
    {
        let (few, allocations, bytes) = run(name, 2, charges.clone());
        let (many, allocations_of_many, bytes_of_many) = run(name, seconds, charges);
        assert!(few > 10_000 && many > few / 2 * seconds - 100, "{name}: {few} and {many} jobs");
        assert_eq!((allocations_of_many, bytes_of_many), (allocations, bytes), "{name}");
        assert!(bytes < 10_000_000, "{name} takes {bytes} bytes");
    }
}
