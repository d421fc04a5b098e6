//! A run without a trace takes as much memory for a million jobs as for some thousands, and so for any number.

use schedlab_model::{Duration, Instant, Overrun, Platform, Task, Work};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Policy};
use schedlab_report::metrics::Metrics;
use schedlab_sim::{simulate, simulate_within, Charges, NoLocks, Setup, Workspace};
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

/// What is scheduled where, and by whom.
fn system(name: &str) -> (Vec<Task>, Platform, Vec<Box<dyn Policy>>) {
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
            throttling: None,
        };
        scheduler.policy(&setup).expect("the system suits it")
    });
    let policies = policies.collect();
    (tasks, platform, policies)
}

/// Jobs, allocations and the most bytes at once of a run of so many seconds, metrics included.
fn run(name: &str, seconds: u64, charges: Charges) -> (u64, u64, u64) {
    let (tasks, platform, policies) = system(name);
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

/// Engine and metrics use their memory again: one system after the other allocates nothing in them.
#[test]
fn a_system_after_another_allocates_nothing() {
    let (mut workspace, mut metrics) = (Workspace::default(), Metrics::default());
    let overheads = Charges { scheduling: Duration::from_us(3), ..Charges::default() };
    let mut allocations = |name: &str, charges: &Charges| {
        let (tasks, platform, policies) = system(name);
        let source = PeriodicSource::new(&tasks).expect("plain tasks");
        let (horizon, count, overruns) = (Instant::from_ns(1_000_000_000), tasks.len(), Overrun::Ignore);
        let setup = Setup { tasks, platform, charges: charges.clone(), overruns, horizon };
        let seen = allocation_counter::measure(|| {
            metrics = core::mem::take(&mut metrics).renewed(count, 4).summaries_only();
            let (workspace, sink) = (&mut workspace, &mut metrics);
            simulate_within(workspace, setup, policies, NoLocks, source, sink, &mut |_| true);
        });
        assert!(metrics.all_tasks().completed > 1_000);
        seen.count_total
    };
    let none = Charges::default();
    let kinds = [("G-EDF", &none), ("P-EDF", &none), ("G-EDF", &overheads), ("NG-RM", &none)];
    let first: u64 = kinds.iter().map(|(name, charges)| allocations(name, charges)).sum();
    assert!(first > 20, "{first}: the first of each allocates");
    for (name, charges) in kinds {
        assert_eq!(allocations(name, charges), 0, "{name}");
    }
}
