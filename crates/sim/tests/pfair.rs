//! Aligned Pfair schedulers in the simulator.

use crate::support;
use schedlab_model::*;
use schedlab_policy::pfair::{Affinity, AlignedPfair, PD2};
use schedlab_policy::{find, ClusterSetup, SetupError};
use schedlab_sim::{simulate, NoLocks, Setup};
use schedlab_trace::{Record, Timeline};
use serde_json::Value;
use support::golden::{golden, numbers};
use support::*;

fn with_quantum(processors: u16, quantum: u64) -> Platform {
    Platform { quantum: Duration::from_ns(quantum), ..Platform::global(processors) }
}

/// By slot: a bit for each task that executes in it.
fn sets(timeline: &Timeline, quantum: u64, slots: u64) -> Vec<u64> {
    let mut sets = vec![0; slots as usize];
    let mut on: Vec<Option<(JobId, Instant)>> = vec![None; 64];
    for (at, record) in &timeline.records {
        match record {
            Record::Dispatch { cpu, job } => on[cpu.index()] = Some((*job, *at)),
            Record::Preempt { .. } | Record::Complete { .. } | Record::Suspend { .. } | Record::End => {
                for place in &mut on {
                    let ends = match record {
                        Record::Preempt { job, .. }
                        | Record::Complete { job }
                        | Record::Suspend { job, .. } => place.is_some_and(|(running, _)| running == *job),
                        _ => place.is_some(),
                    };
                    if ends {
                        let (job, since) = place.take().unwrap();
                        let first = since.as_ns() / quantum;
                        let last = at.as_ns().div_ceil(quantum).min(slots);
                        (first..last).for_each(|slot| sets[slot as usize] |= 1 << job.task.0);
                    }
                }
            }
            _ => {}
        }
    }
    sets
}

#[test]
fn golden_pd2_of_the_simulated_sets() {
    let mut compared = 0;
    for record in golden("sim").filter(|record| !record["results"]["PD2"].is_null()) {
        let expected = &record["results"]["PD2"];
        let quantum = record["inputs"]["PD2"]["quantum"].as_u64().unwrap();
        let m = record["m"].as_u64().unwrap() as u16;
        let tasks: Vec<Task> = record["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(numbers)
            .map(|row| task(row[0], row[1], row[2]))
            .collect();
        let observed = record["observe_releases_before"].as_u64().unwrap();
        let slots = numbers(&expected["slots"]);
        let horizon = (slots.len() as u64 * quantum).max(2 * observed);
        let timeline = run_setup(ideal(tasks.clone(), with_quantum(m, quantum), horizon), "PD2");
        assert_eq!(sets(&timeline, quantum, slots.len() as u64), slots, "{}", record["id"]);
        let finish: Vec<Vec<u64>> = completions(&timeline)
            .into_iter()
            .filter(|&(task, job, _)| u64::from(job) * tasks[task as usize].period.as_ns() < observed)
            .map(|(task, job, at)| vec![task.into(), job.into(), at])
            .collect();
        let wanted: Vec<Vec<u64>> = expected["finish"].as_array().unwrap().iter().map(numbers).collect();
        assert_eq!(finish, wanted, "{}", record["id"]);
        assert_eq!(expected["missed_subtasks"].as_u64(), Some(0));
        assert_eq!(misses(&timeline), [], "{}", record["id"]);
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

/// The golden sets of slots, by name and as whole systems of jobs.
#[test]
fn golden_slots_of_periodic_jobs() {
    let mut compared = 0;
    for record in golden("pfair").step_by(7) {
        let weights: Vec<Vec<u64>> = record["weights"].as_array().unwrap().iter().map(numbers).collect();
        let tasks: Vec<Task> = weights.iter().map(|w| task(10 * w[0], 10 * w[1], 10 * w[1])).collect();
        let (m, slots) = (record["m"].as_u64().unwrap() as u16, record["H"].as_u64().unwrap());
        for (scheduler, name) in [("PD2", "pd2_slots"), ("PF", "pf_slots"), ("ER-PD2", "erpd2_slots")] {
            let timeline = run_setup(ideal(tasks.clone(), with_quantum(m, 10), 10 * slots), scheduler);
            let expected = numbers(&record["results"][name]);
            assert_eq!(sets(&timeline, 10, slots), expected, "{} {scheduler}", record["id"]);
            assert_eq!(misses(&timeline), []);
            compared += 1;
        }
        let timeline = run_setup(ideal(tasks, with_quantum(m, 10), 10 * slots), "PD");
        assert_eq!(misses(&timeline), []);
    }
    assert!(compared >= 300, "{compared}");
}

/// LITMUS^RT, RTSS 2006, fig. 1(c): X, Y, Z on two processors. X needs a quantum and a half, and wastes the other half.
#[test]
fn litmus_2006_figure_1c() {
    let tasks = vec![task(3, 6, 6), task(4, 6, 6), task(8, 12, 12)];
    let timeline = run_setup(ideal(tasks, with_quantum(2, 2), 12), "PFAIR");
    assert_eq!(misses(&timeline), []);
    // Of the windows [0,2) and [1,3) of all three, Z's first is left for slot 1 and X's second goes before Y's.
    assert_eq!(draw(&timeline, 2, 12), "AAA.BBBBCCCC / BBCCCCAAA.BB");
}

fn setup_error(tasks: &[Task], platform: &Platform) -> SetupError {
    let cpus = &platform.clusters[0].cpus;
    let affinity = Affinity::default();
    let setup = ClusterSetup {
        cluster: ClusterId(0),
        cpus,
        platform,
        tasks,
        affinity,
        supertasks: &[],
        throttling: None,
    };
    find("PD2").unwrap().policy(&setup).err().expect("it is refused")
}

#[test]
fn bad_systems_are_refused_by_name() {
    let refused =
        |tasks: &[Task], m: u16, quantum: u64| setup_error(tasks, &with_quantum(m, quantum)).to_string();
    let whole = task(10, 10, 10);
    assert_eq!(refused(std::slice::from_ref(&whole), 1, 0), "a quantum of 0; allowed: from 1 ns");
    assert_eq!(
        refused(std::slice::from_ref(&whole), 1, 11),
        "T0: the period or relative deadline of 10 ns is shorter than the quantum of 11 ns"
    );
    let rounded = refused(&[task(1, 10, 10), task(7, 10, 10)], 1, 3);
    assert_eq!(
        rounded,
        "T1: with its weight of 3/3, the tasks need more than 1 processor; costs are rounded up to quanta, periods down"
    );
    assert_eq!(refused(&[task(10, 10, 10)], 1, 3), "T0: a weight of 4/3; allowed: above 0, at most 1");
    assert_eq!(refused(&[task(0, 10, 10)], 1, 1), "T0: a weight of 0; allowed: above 0, at most 1");
    let message = refused(&[whole.clone(), whole.clone(), task(1, 1000, 1000)], 2, 1);
    assert!(
        message.starts_with("T2: with its weight of 1/1000, the tasks need more than 2 processors"),
        "{message}"
    );
    // Who leaves makes room, but only once the windows of its last job end: it may arrive up to an instant before.
    let leaves = Task { leave: Instant::from_ns(20), ..whole.clone() };
    let joins = |at| Task { join: Instant::from_ns(at), offset: Instant::from_ns(at), ..whole.clone() };
    assert!(matches!(
        setup_error(&[leaves.clone(), joins(28)], &with_quantum(1, 1)),
        SetupError::Overload { task: TaskId(1), processors: 1, .. }
    ));
    let timeline = run_setup(ideal(vec![leaves.clone(), joins(29)], with_quantum(1, 1), 60), "PD2");
    assert_eq!(misses(&timeline), []);
    // Its last job may be released later by its jitter, and with it its windows.
    let jitters = Task { jitter: Duration::from_ns(5), ..leaves };
    assert!(matches!(
        setup_error(&[jitters.clone(), joins(33)], &with_quantum(1, 1)),
        SetupError::Overload { task: TaskId(1), .. }
    ));
    run_setup(ideal(vec![jitters, joins(34)], with_quantum(1, 1), 60), "PD2");
}

/// Sporadic arrivals within quanta, short jobs: the rest of the quantum is wasted, windows shift, no job misses.
#[test]
fn jobs_between_boundaries_wait_for_the_next() {
    let tasks = vec![Task { offset: Instant::from_ns(5), ..task(10, 40, 40) }, task(3, 20, 20)];
    let timeline = run_setup(ideal(tasks, with_quantum(1, 4), 80), "PD2");
    // A needs 3 quanta of 10 slots from slot 2 on: windows [2,6) [5,9) [8,12), its last quantum half used.
    assert_eq!(misses(&timeline), []);
    assert_eq!(draw(&timeline, 1, 44), "BBB.....AAAA........AAAABBB.....AA......BBB.");
}

fn affinity_migrations(affinity: Affinity, record: &Value) -> (usize, Vec<u64>) {
    let weights: Vec<Vec<u64>> = record["weights"].as_array().unwrap().iter().map(numbers).collect();
    let tasks: Vec<Task> = weights.iter().map(|w| task(10 * w[0], 10 * w[1], 10 * w[1])).collect();
    let platform = with_quantum(record["m"].as_u64().unwrap() as u16, 10);
    let slots = record["H"].as_u64().unwrap().min(120);
    let setup = ClusterSetup {
        cluster: ClusterId(0),
        cpus: &platform.clusters[0].cpus.clone(),
        platform: &platform,
        tasks: &tasks,
        affinity,
        supertasks: &[],
        throttling: None,
    };
    let policy = AlignedPfair::new(PD2, false, affinity, &setup).unwrap();
    let source = periodic(&tasks);
    let mut timeline = Timeline::default();
    let setup: Setup = ideal(tasks, platform, 10 * slots);
    simulate(setup, vec![policy], NoLocks, source, &mut timeline);
    let mut last = vec![None; weights.len()];
    let mut migrations = 0;
    for (_, record) in &timeline.records {
        if let Record::Dispatch { cpu, job } = record {
            let before = last[job.task.index()].replace(*cpu);
            migrations += usize::from(before.is_some_and(|before| before != *cpu));
        }
    }
    (migrations, sets(&timeline, 10, slots))
}

#[test]
fn affinity_saves_migrations_and_changes_no_slot() {
    let mut totals = vec![0; Affinity::ALL.len()];
    for record in golden("pfair").filter(|record| record["m"] != 1).step_by(29) {
        let expected: Vec<u64> = numbers(&record["results"]["pd2_slots"]);
        for (total, &affinity) in totals.iter_mut().zip(Affinity::ALL) {
            let (migrations, sets) = affinity_migrations(affinity, &record);
            assert_eq!(sets, expected[..sets.len()], "{} {}", record["id"], affinity.name());
            *total += migrations;
        }
    }
    let [none, back_to_back, last_scheduled, most_recent, available, directed] = totals[..] else {
        unreachable!()
    };
    assert!(none > back_to_back && back_to_back > most_recent, "{totals:?}");
    assert!(none > last_scheduled && none > available && none > directed, "{totals:?}");
}
