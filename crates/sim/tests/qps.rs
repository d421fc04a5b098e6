//! QPS: drawn schedules, full systems and sporadic tasks that are never late, and partitions that are those of P-EDF.

use crate::support::{check, completions, ideal, misses, policies, run_with_drawn_costs, task};
use schedlab_model::*;
use schedlab_policy::qps::hierarchy::{ExecutionSet, SetClient};
use schedlab_policy::qps::plan::{plan, Holds, QpsPlan, Row};
use schedlab_sim::{simulate, NoLocks};
use schedlab_trace::{Record, Timeline};
use schedlab_workload::arrivals::{job_source, Arrivals, Costs, SourceSpec};
use schedlab_workload::Random;
use std::collections::BTreeMap;

/// The scheduler's file draws the first one.
#[test]
fn drawn_schedules() {
    check(&[(2, 3, 3); 3], "QPS", 2, "ACC / BBA");
    // The sets of P0 and P1 have masters of 1/5 each, which are clients on P2.
    check(&[(3, 5, 5); 5], "QPS", 3, "AADDD / BBEEE / CCCAB");
    // A partition: two tasks fill P0.
    check(&[(2, 4, 4), (3, 6, 6), (2, 4, 4)], "QPS", 2, "AABBBAAB / CC..CC..");
}

/// Tasks with periods of whole units and utilizations in parts of a unit, of so many parts in all.
fn gridded(random: &mut Random, unit: u64, mut left: u64) -> Vec<(u64, u64)> {
    let mut tasks = Vec::new();
    while left > 0 {
        let period = random.between(1, 60);
        let rate = random.between(1, left.min(unit));
        let rate = if random.between(0, 2) == 0 { random.between(1, rate) } else { rate };
        tasks.push((rate * period, unit * period));
        left -= rate;
    }
    tasks
}

/// Sporadic or periodic tasks of random utilizations that fill what a plan for sporadic ones takes.
fn that_just_fit(random: &mut Random, processors: usize) -> Vec<(u64, u64)> {
    let (mut rows, mut refusals) = (Vec::new(), 0);
    while refusals < 8 {
        let period = random.between(2_000, 90_000);
        let cost = random.between(1, (period >> refusals.min(6)).max(1));
        rows.push((cost, period));
        if planned(&rows, processors, 0).is_none_or(|plan| plan.holds == Holds::Periodic) {
            rows.pop();
            refusals += 1;
        }
    }
    rows
}

fn planned(rows: &[(u64, u64)], processors: usize, phase: u64) -> Option<QpsPlan> {
    let rows: Vec<Row> = rows.iter().map(|&(cost, period)| Row { cost, period, phase }).collect();
    plan(&rows, processors, true).ok()
}

fn run(rows: &[(u64, u64, u64)], specs: &[SourceSpec], processors: u16, horizon: u64) -> Timeline {
    let offset = |&(cost, period, offset): &(u64, u64, u64)| Task {
        offset: Instant::from_ns(offset),
        ..task(cost, period, period)
    };
    let setup = ideal(rows.iter().map(offset).collect(), Platform::global(processors), horizon);
    let source = job_source(&setup.tasks, specs, 7).unwrap();
    let made = policies("QPS", &setup.platform, &setup.tasks);
    let mut timeline = Timeline::default();
    simulate(setup, made, NoLocks, source, &mut timeline);
    timeline
}

fn spec(random: &mut Random, arrivals: Arrivals, wcet: u64) -> SourceSpec {
    let less = Costs::Between(Work::from_ns(1), Work::from_ns(wcet));
    SourceSpec { arrivals, costs: if random.between(0, 3) == 0 { less } else { Costs::Wcet } }
}

/// A job is on one processor at a time.
fn never_parallel(timeline: &Timeline) {
    let mut on: BTreeMap<CpuId, JobId> = BTreeMap::new();
    for (at, record) in &timeline.records {
        match record {
            Record::Dispatch { cpu, job } => {
                assert!(on.values().all(|other| other != job), "{job} is on two processors at {at}");
                on.insert(*cpu, *job);
            }
            Record::Preempt { cpu, .. } => drop(on.remove(cpu)),
            Record::Complete { job } => on.retain(|_, other| other != job),
            _ => {}
        }
    }
}

/// Sets are quasi-partitions, of no more processors than the rates need.
fn is_quasi_partition(plan: &QpsPlan, tasks: usize, processors: usize) {
    let excess = |set: &ExecutionSet| set.excess(plan.one);
    let (mut of_tasks, mut of_masters, mut rate) = (vec![0; tasks], vec![0; plan.sets.len()], 0);
    for (place, set) in plan.sets.iter().enumerate() {
        assert_eq!(set.rate, set.clients.iter().map(|client| client.1).sum::<u128>());
        for &(client, of_client) in &set.clients {
            assert!(of_client > excess(set) && of_client <= plan.one, "{set:?}");
            match client {
                SetClient::Task(task) => {
                    of_tasks[task] += 1;
                    rate += of_client;
                }
                SetClient::Master(below) => {
                    assert!(below < place);
                    assert_eq!(of_client, excess(&plan.sets[below]));
                    of_masters[below] += 1;
                }
            }
        }
    }
    assert_eq!(of_tasks, vec![1; tasks]);
    let expected: Vec<u32> = plan.sets.iter().map(|set| u32::from(excess(set) > 0)).collect();
    assert_eq!(of_masters, expected);
    assert!(plan.sets.len() <= processors && rate <= plan.one * processors as u128);
}

#[test]
fn no_job_is_late_at_full_utilization() {
    examine_full_systems(2_000);
}

#[test]
#[ignore = "minutes, 20,000 systems: each change runs 2,000, `make soak` these"]
fn no_job_of_twenty_thousand_systems_is_late_at_full_utilization() {
    examine_full_systems(20_000);
}

/// Periodic tasks at U = m exactly, together or with offsets.
fn examine_full_systems(count: u64) {
    let mut with_masters = 0;
    for seed in 0..count {
        let random = &mut Random::new(seed, *b"QPS.FULL", 0);
        let processors = 2 + (seed % 4) as u16;
        let unit = [10, 100, 1_000][random.between(0, 2) as usize];
        let rows = gridded(random, unit, unit * u64::from(processors));
        let phase = |&(cost, period): &(u64, u64)| match seed % 3 {
            0 => (cost, period, unit * random.between(0, 60)),
            _ => (cost, period, 0),
        };
        let rows: Vec<(u64, u64, u64)> = rows.iter().map(phase).collect();
        let of_plan: Vec<Row> =
            rows.iter().map(|&(cost, period, phase)| Row { cost, period, phase }).collect();
        let found = plan(&of_plan, processors.into(), true).unwrap();
        is_quasi_partition(&found, rows.len(), processors.into());
        with_masters += u32::from(found.holds == Holds::Periodic);
        let specs: Vec<SourceSpec> = rows.iter().map(|row| spec(random, Arrivals::Periodic, row.0)).collect();
        let timeline = run(&rows, &specs, processors, 400 * unit);
        assert_eq!(misses(&timeline), [], "{seed}, {processors} processors: {rows:?}");
        never_parallel(&timeline);
    }
    assert!(with_masters > count as u32 / 2, "{with_masters} of {count} have masters");
}

#[test]
fn no_sporadic_job_is_late() {
    examine_sporadic_systems(2_000);
}

#[test]
#[ignore = "minutes, 20,000 systems: each change runs 2,000, `make soak` these"]
fn no_sporadic_job_of_twenty_thousand_systems_is_late() {
    examine_sporadic_systems(20_000);
}

/// Tasks that arrive at any nanosecond, as often as they may, or later by a little or by much.
fn examine_sporadic_systems(count: u64) {
    let (mut with_masters, mut utilization) = (0, 0);
    for seed in 0..count {
        let random = &mut Random::new(seed, *b"QPS.SPOR", 0);
        let processors = 2 + (seed % 4) as u16;
        let rows = that_just_fit(random, processors.into());
        let found = planned(&rows, processors.into(), 0).unwrap();
        is_quasi_partition(&found, rows.len(), processors.into());
        with_masters += u32::from(found.holds == Holds::Sporadic);
        let thousandths: u64 = rows.iter().map(|&(cost, period)| 1_000_000 * cost / period).sum();
        utilization += thousandths / u64::from(processors);
        let latest = [1, 300, 50_000][random.between(0, 2) as usize];
        let late = Arrivals::SporadicUniform { max: Duration::from_ns(latest), like: None };
        let specs: Vec<SourceSpec> = rows
            .iter()
            .map(|row| {
                let arrivals = if random.between(0, 2) == 0 { Arrivals::Periodic } else { late.clone() };
                spec(random, arrivals, row.0)
            })
            .collect();
        let phase = |&(cost, period): &(u64, u64)| (cost, period, random.between(0, 3_000));
        let rows: Vec<(u64, u64, u64)> = rows.iter().map(phase).collect();
        let timeline = run(&rows, &specs, processors, 500_000);
        assert_eq!(misses(&timeline), [], "{seed}, {processors} processors: {rows:?}");
        never_parallel(&timeline);
    }
    assert!(with_masters > count as u32 / 2, "{with_masters} of {count} have masters");
    assert!(utilization / count > 930_000, "{utilization} millionths in {count} systems");
}

/// A set that partitions is scheduled as P-EDF does it, job by job: no job migrates.
#[test]
fn a_partition_is_scheduled_by_partitioned_edf() {
    let mut compared = 0;
    for seed in 0..400 {
        let random = &mut Random::new(seed, *b"QPS.PART", 0);
        let processors = 2 + (seed % 4) as u16;
        let rows = gridded(random, 1_000, 850 * u64::from(processors));
        let found = planned(&rows, processors.into(), 0).unwrap();
        if found.holds != Holds::Partitioned {
            continue;
        }
        compared += 1;
        let late = Arrivals::SporadicUniform { max: Duration::from_ns(9_000), like: None };
        let specs: Vec<SourceSpec> = rows.iter().map(|row| spec(random, late.clone(), row.0)).collect();
        let mut tasks: Vec<Task> = rows.iter().map(|&(cost, period)| task(cost, period, period)).collect();
        let source = |tasks: &[Task]| job_source(tasks, &specs, seed).unwrap();
        let execute = |name: &str, tasks: &[Task], platform: Platform| {
            let setup = ideal(tasks.to_vec(), platform, 400_000);
            let (made, source) = (policies(name, &setup.platform, &setup.tasks), source(tasks));
            let mut timeline = Timeline::default();
            simulate(setup, made, NoLocks, source, &mut timeline);
            timeline
        };
        let ours = execute("QPS", &tasks, Platform::global(processors));
        for (place, set) in found.sets.iter().enumerate() {
            for &(client, _) in &set.clients {
                let SetClient::Task(task) = client else { panic!("a partition has no master") };
                tasks[task].cluster = ClusterId(place as u16);
            }
        }
        let theirs = execute("P-EDF", &tasks, Platform::partitioned(processors));
        assert_eq!(completions(&ours), completions(&theirs), "{rows:?}");
        let dispatches = |timeline: &Timeline| {
            let dispatch = |(at, record): &(Instant, Record)| match record {
                Record::Dispatch { cpu, job } => Some((*at, *cpu, *job)),
                _ => None,
            };
            let mut all: Vec<(Instant, CpuId, JobId)> =
                timeline.records.iter().filter_map(dispatch).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(dispatches(&ours), dispatches(&theirs), "{rows:?}");
    }
    assert!(compared > 150, "{compared} partitions");
}

/// A task that is late leaves its processor to the others, which need no master then: P1 has its tasks alone.
#[test]
fn a_late_task_ends_the_mode_until_it_comes() {
    let rows = [(2_000, 3_000), (2_000, 3_000), (2_000, 3_000)];
    let mut tasks: Vec<Task> = rows.iter().map(|&(cost, period)| task(cost, period, period)).collect();
    tasks[2].offset = Instant::from_ns(9_000);
    let setup = ideal(tasks, Platform::global(2), 18_000);
    let timeline = crate::support::run_setup(setup, "QPS");
    assert_eq!(misses(&timeline), []);
    let first_on_other = timeline.records.iter().find_map(|(at, record)| match record {
        Record::Dispatch { cpu, job } if job.task != TaskId(1) && *cpu == CpuId(1) => Some(at.as_ns()),
        _ => None,
    });
    assert_eq!(first_on_other, Some(11_000));
}

/// A job may need less than its WCET, and tasks may be fewer than a mode needs.
#[test]
fn jobs_that_complete_early_make_no_other_late() {
    for seed in 0..200 {
        let random = &mut Random::new(seed, *b"QPS.LESS", 0);
        let rows = gridded(random, 1_000, 3_000);
        let tasks = rows.iter().map(|&(cost, period)| task(cost, period, period)).collect();
        let timeline = run_with_drawn_costs(ideal(tasks, Platform::global(3), 400_000), "QPS", seed);
        assert_eq!(misses(&timeline), [], "{rows:?}");
        never_parallel(&timeline);
    }
}
