//! Every protocol of the registry on random systems, small systems in all orders of requests, and with jobs given up:
//! it keeps what the registry says and what its definition demands.

use crate::locks;
use crate::support;

use locks::harness::{apart, hold, homes, protocols, system_for};
use locks::promises::Promises;
use locks::random::{Random, System};
use locks::*;
use schedlab_lock::*;
use schedlab_model::*;
use support::*;

/// How many random systems for each protocol; `make soak` asks for 100,000.
fn systems(usual: u64) -> u64 {
    std::env::var("LOCK_SYSTEMS").map_or(usual, |count| count.parse().unwrap())
}

#[test]
fn every_protocol_keeps_its_promises() {
    for protocol in protocols() {
        let waits: usize = (0..systems(200)).map(|seed| guarded(protocol, seed, false)).sum();
        assert!(
            protocol.waiting == Waiting::Never || waits as u64 > systems(200) / 4,
            "{}: {waits}",
            protocol.name
        );
    }
}

#[test]
fn jobs_that_are_given_up_leave_every_queue() {
    for protocol in protocols() {
        (0..systems(100)).for_each(|seed| {
            guarded(protocol, seed, true);
        });
    }
}

fn guarded(protocol: &Protocol, seed: u64, aborts: bool) -> usize {
    let result = std::panic::catch_unwind(|| hold(protocol, protocol.make, seed, aborts));
    result.unwrap_or_else(|_| panic!("{} breaks a promise: seed {seed}, aborts {aborts}", protocol.name))
}

/// A small system of 2 to 4 tasks and 1 to 3 resources: each task executes for as long as `before` says, then holds a
/// resource for two, then one for one. `pattern` chooses the rest.
fn small_system(pattern: u64, before: &[u64; 4], clusters: u16) -> System {
    let mut random = Random(pattern);
    let (tasks, resources) = (2 + pattern % 3, 1 + pattern / 3 % 3);
    let execute = |ns| Step::Execute(Work::from_ns(ns));
    let section = |r: u64, ns| {
        [Step::Request(ResourceId(r as u32), 1), execute(ns), Step::Release(ResourceId(r as u32), 1)]
    };
    let mut all = Vec::new();
    for index in 0..tasks {
        let begin = before[index as usize];
        let [first, second] = [random.below(resources), random.below(resources)];
        let rest =
            [section(first, 2).to_vec(), vec![execute(1)], section(second, 1).to_vec(), vec![execute(1)]];
        all.push(Task {
            offset: Instant::from_ns(random.below(3)),
            leave: Instant::from_ns(50),
            // The last task is the most urgent, or the first is.
            fixed_priority: if pattern % 2 == 0 { tasks - index } else { index } as u32,
            cluster: ClusterId(random.below(clusters.into()) as u16),
            program: (begin > 0).then(|| execute(begin)).into_iter().chain(rest.concat()).collect(),
            ..task(1, 1_000, 100 + tasks - index)
        });
    }
    System { tasks: all, resources: vec![Resource { units: 1 }; resources as usize] }
}

/// The first `patterns` small systems on two processors, with all times of the first requests from 0 to 4.
fn small_systems_hold(protocol: &Protocol, patterns: u64) {
    let homes = homes_on_two(protocol);
    for pattern in 0..patterns {
        let (scheduler, platform) = &homes[pattern as usize % homes.len()];
        let times = 5u64.pow(2 + (pattern % 3) as u32);
        for choice in 0..times {
            let before = [1, 5, 25, 125].map(|place| choice / place % 5);
            let mut system = small_system(pattern, &before, platform.clusters.len() as u16);
            if protocol.reach == Reach::Local {
                apart(&mut system, platform);
            }
            let setup = ideal(system.tasks.clone(), platform.clone(), 500);
            let timeline = run_locked(setup, &system.resources, scheduler, protocol.make);
            Promises::new(protocol, &system.tasks, &system.resources, platform).check(&timeline);
        }
    }
}

fn homes_on_two(protocol: &Protocol) -> Vec<(&'static str, Platform)> {
    match protocol.reach {
        Reach::Local | Reach::Partitioned => vec![("P-FP", Platform::partitioned(2))],
        Reach::Global => vec![("G-FP", Platform::global(2))],
        Reach::Any => vec![("P-FP", Platform::partitioned(2)), ("G-FP", Platform::global(2))],
    }
}

/// A run may end at any instant: also where a job is granted, releases, or moves to another processor and back.
#[test]
fn a_run_ends_at_any_horizon() {
    for protocol in protocols() {
        for seed in 0..8 {
            let homes = homes(protocol);
            let (scheduler, platform) = &homes[seed as usize % homes.len()];
            let System { mut tasks, resources } = system_for(protocol, seed, platform);
            if platform.clusters.len() == 1 {
                tasks.iter_mut().for_each(|task| task.cluster = ClusterId(0));
            }
            let whole = run_locked(
                ideal(tasks.clone(), platform.clone(), 5_000),
                &resources,
                scheduler,
                protocol.make,
            );
            for horizon in 1..40 {
                let setup = ideal(tasks.clone(), platform.clone(), horizon);
                let cut = run_locked(setup, &resources, scheduler, protocol.make);
                // Up to its end the run is the same, whatever ends there.
                let before = |(at, _): &&(Instant, schedlab_trace::Record)| at.as_ns() < horizon;
                assert!(
                    cut.records.iter().filter(before).eq(whole.records.iter().filter(before)),
                    "{}",
                    protocol.name
                );
            }
        }
    }
}

#[test]
fn small_systems_keep_their_promises_at_all_times_of_requests() {
    protocols().for_each(|protocol| small_systems_hold(protocol, 6));
}

#[test]
#[ignore = "over 150 s in release, 1,500 patterns: each change runs 6, `make soak` these"]
fn many_small_systems_keep_their_promises_at_all_times_of_requests() {
    protocols().for_each(|protocol| small_systems_hold(protocol, 1_500));
}

/// Priority goes through chains: A (P0) waits for R0, which B (P1) holds, who waits for R1, which C (P0) holds, who
/// waits for R2, which D (P1) holds. So D is as urgent as A and goes before E, of middling urgency; without chains E
/// would go first.
#[test]
fn inheritance_is_transitive_across_three_locks_and_two_processors() {
    use locks::draw::*;
    let nested = |outer, inner| around(outer, 1, [execute(1), section(inner, 1)].concat());
    let tasks = vec![
        at(5, 1, 0, &[section(0, 1)]),
        at(2, 4, 1, &[nested(0, 1)]),
        at(1, 5, 0, &[nested(1, 2)]),
        at(0, 6, 1, &[section(2, 5)]),
        at(5, 2, 1, &[execute(3)]),
    ];
    let setup = ideal(tasks, Platform::partitioned(2), 1_000);
    let timeline = run_locked(setup, &[Resource { units: 1 }; 3], "P-FP", make!("pip"));
    assert_eq!(draw(&timeline, 2, 12), ".C....C.A... / DDBDDDEBEE..");
}
