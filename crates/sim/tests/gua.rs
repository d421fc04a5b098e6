//! G-GUA and NG-GUA with resources: drawn schedules, deadlocks between processors, and what holds on random systems.

use crate::dasa::{check, events, execute, holding, once, random_system, Power, R0, R1};
use crate::locks::random::System;
use crate::locks::{make, run_locked};
use crate::support::*;
use schedlab_model::*;
use schedlab_trace::{Record, Timeline};
use std::collections::BTreeMap;

fn run(tasks: Vec<Task>, scheduler: &str, until: u64) -> Timeline {
    let setup = ideal(tasks, Platform::global(2), until);
    run_locked(setup, &[Resource { units: 1 }; 3], scheduler, make!("by-schedule"))
}

/// The example of `g_gua.rs`, with D as the first to arrive: it holds R0, which A wants at 1.
#[test]
fn the_greedy_one_keeps_room_for_a_holder() {
    let tasks = || {
        vec![
            once(1, 7, 30, 0, &[holding(R0, &[execute(3)])]),
            once(1, 6, 12, 0, &[execute(4)]),
            once(1, 6, 12, 0, &[execute(4)]),
            once(0, 6, 2, 0, &[holding(R0, &[execute(3)])]),
        ]
    };
    assert_eq!(draw(&run(tasks(), "G-GUA", 7), 2, 7), "DDDAAA. / .BBBB..");
    // gMUA has B and C first by termination time. D, less dense, does not fit beside them, and holds what A wants.
    assert_eq!(draw(&run(tasks(), "gMUA", 7), 2, 7), "DBBBB.. / .CCCC..");
}

/// The example of `ng_gua.rs`, with D as the first to arrive.
#[test]
fn a_holder_is_due_with_the_job_that_waits() {
    let tasks = || {
        vec![
            once(1, 9, 30, 0, &[holding(R0, &[execute(3)])]),
            once(1, 11, 12, 0, &[execute(4)]),
            once(1, 11, 12, 0, &[execute(4)]),
            once(0, 15, 2, 0, &[holding(R0, &[execute(3)])]),
        ]
    };
    assert_eq!(draw(&run(tasks(), "NG-GUA", 11), 2, 11), "DDDAAA..... / .BBBBCCCC..");
    assert_eq!(draw(&run(tasks(), "gMUA", 11), 2, 11), "DCCCCDD.... / .BBBB......");
}

/// At 2, on two processors, A holds R0 and asks for R1, and B holds R1 and asks for R0. B is the less dense one: its
/// handler hands R1 back at 4, and A goes on.
#[test]
fn a_deadlock_between_processors_ends_with_the_least_dense_job() {
    for scheduler in ["G-GUA", "NG-GUA"] {
        let tasks = vec![
            once(0, 12, 30, 1, &[holding(R0, &[execute(2), holding(R1, &[execute(2)])])]),
            once(0, 15, 10, 2, &[holding(R1, &[execute(2), holding(R0, &[execute(2)])])]),
        ];
        let timeline = run(tasks, scheduler, 12);
        assert_eq!(draw(&timeline, 2, 8), "AA..AA.. / BBBB....", "{scheduler}");
        assert_eq!(
            events(&timeline),
            [(2, "gives up", 1), (4, "gone", 1), (6, "complete", 0)],
            "{scheduler}"
        );
    }
}

/// At 4 two jobs may ask for what A gives back, and there is one processor for them: B, the denser one, gets it. C has
/// not asked again when B gives it back at 6, though it could have. Only a decision at that release lets it go on.
#[test]
fn a_release_lets_a_job_go_on_that_has_not_asked_again() {
    for scheduler in ["G-GUA", "NG-GUA"] {
        let tasks = vec![
            once(0, 4, 90, 0, &[holding(R0, &[execute(4)])]),
            once(1, 14, 40, 0, &[holding(R0, &[execute(2)]), execute(4)]),
            once(2, 14, 10, 0, &[holding(R0, &[execute(2)])]),
            once(3, 5, 90, 0, &[execute(2)]),
        ];
        let timeline = run(tasks, scheduler, 14);
        assert_eq!(draw(&timeline, 2, 12), "AAAABBBBBB.. / ...DD.CC....", "{scheduler}");
    }
}

/// A job executes only while it waits for nothing, whatever it could gain. Of several that may ask for what is free
/// anew, one gets it, and the others wait again at that instant.
fn waiters_do_not_execute(timeline: &Timeline, what: &str) -> usize {
    let (mut asks, mut holder): (BTreeMap<JobId, ResourceId>, BTreeMap<ResourceId, JobId>) =
        Default::default();
    let (mut asking, mut waited) = (BTreeMap::<JobId, Instant>::new(), 0);
    for (at, record) in &timeline.records {
        let late = asking.iter().find(|(_, since)| *since < at);
        assert!(late.is_none(), "{what}: {late:?} executes, and what it wants is held");
        match record {
            Record::Request { job, resource, .. } => drop(asks.insert(*job, *resource)),
            Record::Acquire { job, resource, .. } => {
                asks.remove(job);
                holder.insert(*resource, *job);
            }
            Record::Release { resource, .. } => drop(holder.remove(resource)),
            Record::GiveUp { job } => drop(asks.remove(job)),
            Record::Dispatch { job, .. }
                if asks.get(job).is_some_and(|resource| holder.contains_key(resource)) =>
            {
                asking.insert(*job, *at);
            }
            Record::Suspend { job, .. } => {
                asking.remove(job);
                waited += usize::from(asks.contains_key(job));
            }
            Record::Preempt { job, .. } => drop(asking.remove(job)),
            _ => {}
        }
    }
    waited
}

fn random_systems_hold(seeds: u64) -> (Power, usize) {
    let (mut power, mut waited) = (Power::default(), 0);
    for seed in 0..seeds {
        let (scheduler, platform) = match seed % 4 {
            0 => ("G-GUA", Platform::global(2)),
            1 => ("NG-GUA", Platform::global(2)),
            2 => ("C-G-GUA", Platform::clustered(4, 2)),
            _ => ("C-NG-GUA", Platform::clustered(4, 2)),
        };
        let System { tasks, resources } = random_system(seed, &platform);
        let setup = ideal(tasks.clone(), platform, 1_000);
        let timeline = run_locked(setup, &resources, scheduler, make!("by-schedule"));
        let what = format!("{scheduler}, seed {seed}");
        check(&timeline, &tasks, &what, &mut power);
        waited += waiters_do_not_execute(&timeline, &what);
    }
    (power, waited)
}

#[test]
fn handlers_end_every_abort_and_no_waiter_executes() {
    let (Power { aborts, deadlocks, held, completions }, waited) = random_systems_hold(2_000);
    assert!(
        aborts > 200 && deadlocks > 20 && held > 100 && completions > 2_000 && waited > 1_000,
        "power: {aborts} aborts, {deadlocks} deadlocks, {held} within sections, {completions} completions, \
         {waited} waits"
    );
}

#[test]
#[ignore = "100,000 systems: `make soak`; each change tries 2,000"]
fn handlers_end_every_abort_in_many_systems() {
    random_systems_hold(100_000);
}

/// Without sections NG-GUA decides as gMUA, record by record.
#[test]
fn without_sections_the_non_greedy_one_is_gmua() {
    for seed in 0..300 {
        let tasks = crate::utility::random_tasks(seed, 1);
        let run = |name: &str| run_setup(ideal(tasks.clone(), Platform::global(2), 400), name).records;
        assert_eq!(run("NG-GUA"), run("gMUA"), "seed {seed}");
    }
}
