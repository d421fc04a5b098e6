//! Overheads occupy the processor where they occur, when they occur; drawn as the first letter of their name in lower
//! case.

use crate::support;
use schedlab_model::*;
use schedlab_sim::{Charges, Setup};
use schedlab_trace::{Record, Timeline};
use support::*;

fn ns(length: u64) -> Duration {
    Duration::from_ns(length)
}

fn run_with(charges: Charges, tasks: Vec<Task>, platform: Platform, name: &str, horizon: u64) -> Timeline {
    run_setup(Setup { charges, ..ideal(tasks, platform, horizon) }, name)
}

fn at(task: Task, offset: u64) -> Task {
    Task { offset: Instant::from_ns(offset), ..task }
}

/// An arrival costs a release, a decision and a switch; so does going back to who was preempted, without the release.
#[test]
fn a_preemption_pays_for_release_scheduling_and_switches() {
    let charges = Charges { release: ns(1), scheduling: ns(2), context_switch: ns(1), ..Charges::default() };
    let tasks = vec![at(task(2, 100, 10), 8), task(8, 100, 50)];
    let timeline = run_with(charges, tasks, Platform::global(1), "G-EDF", 40);
    // B: release 0-1, scheduling 1-3, switch 3-4, runs. A's release interrupts B at 8; A runs at 12; at 14 the
    // scheduler goes back to B, which has 4 of its 8 left.
    assert_eq!(draw(&timeline, 1, 24), "rsscBBBBrsscAAsscBBBB...");
}

/// The interrupt delays the job that runs there, even if nothing is to be decided.
#[test]
fn a_release_of_a_less_urgent_job_only_delays() {
    let charges = Charges { release: ns(2), ..Charges::default() };
    let tasks = vec![task(6, 100, 10), at(task(1, 100, 50), 5)];
    let timeline = run_with(charges, tasks, Platform::global(1), "G-EDF", 40);
    assert_eq!(draw(&timeline, 1, 12), "rrAAArrAAAB.");
}

/// Interrupts queue up behind one another; each release of one instant takes its turn.
#[test]
fn simultaneous_releases_take_turns() {
    let charges = Charges { release: ns(2), ..Charges::default() };
    let timeline =
        run_with(charges, vec![task(1, 100, 10), task(1, 100, 20)], Platform::global(1), "G-EDF", 40);
    assert_eq!(draw(&timeline, 1, 8), "rrrrAB..");
}

/// Ticks hit every processor at its own boundaries.
#[test]
fn staggered_ticks() {
    let charges = Charges { tick: ns(1), ..Charges::default() };
    let platform = Platform { quantum: ns(6), alignment: Alignment::Staggered, ..Platform::partitioned(2) };
    let mut tasks = vec![task(9, 100, 50), task(9, 100, 50)];
    tasks[1].cluster = ClusterId(1);
    let timeline = run_with(charges, tasks, platform, "P-EDF", 40);
    assert_eq!(draw(&timeline, 2, 14), "tAAAAAtAAAA.t. / BBBtBBBBBtB...");
}

/// Releases at ticks: an arrival is noticed at the next boundary of the releasing processor.
#[test]
fn arrivals_are_noticed_at_ticks() {
    let platform = Platform { quantum: ns(5), releases: ReleasePoint::Tick, ..Platform::global(1) };
    let timeline = run_with(
        Charges::default(),
        vec![at(task(3, 100, 50), 1), at(task(2, 100, 20), 5)],
        platform,
        "G-EDF",
        40,
    );
    assert_eq!(draw(&timeline, 1, 12), ".....BBAAA..");
}

/// A processor that is not the one where the event occurred hears of it an IPI later, and works on meanwhile.
#[test]
fn a_remote_processor_reacts_after_the_ipi() {
    let charges = Charges { ipi: ns(2), ..Charges::default() };
    // A and B run; C arrives at 3 on processor 0 (the processors take turns) and displaces B on processor 1.
    let tasks = vec![task(8, 100, 20), task(8, 100, 30), at(task(2, 100, 10), 3)];
    let timeline = run_with(charges, tasks, Platform::global(2), "G-EDF", 40);
    assert_eq!(draw(&timeline, 2, 14), "AAAAAAAA...... / BBBBBCCBBB....");
}

/// Who was preempted loads its working set again: dearer on another processor. Preempted while it does, it starts over.
#[test]
fn caches_are_loaded_again_after_preemptions_and_migrations() {
    let charges = Charges {
        cache_related_preemption: vec![ns(9), ns(2)],
        cache_related_migration: vec![ns(9), ns(3)],
        ..Charges::default()
    };
    let tasks = vec![at(task(2, 6, 6), 3), task(8, 100, 50)];
    let timeline = run_with(charges.clone(), tasks, Platform::global(1), "G-EDF", 40);
    // B is preempted at 3, 9 and 15, and each time reloads for 2 before it goes on.
    assert_eq!(draw(&timeline, 1, 18), "BBBAAccBBAAccBBAAc");

    let tasks = vec![at(task(9, 100, 20), 2), task(6, 100, 50), task(4, 100, 10)];
    let timeline = run_with(charges, tasks, Platform::global(2), "G-EDF", 40);
    // A displaces B on processor 1 at 2; C leaves processor 0 at 4, and B migrates there.
    assert_eq!(draw(&timeline, 2, 12), "CCCCcccBBBB. / BBAAAAAAAAA.");
}

/// A job linked elsewhere while the switch to it goes on is not dispatched for no time at all.
#[test]
fn no_dispatch_lasts_no_time() {
    let charges = Charges { scheduling: ns(1), context_switch: ns(2), release: ns(1), ..Charges::default() };
    let tasks = vec![at(task(3, 20, 9), 3), task(5, 30, 28), at(task(2, 25, 12), 2), at(task(4, 27, 14), 1)];
    let timeline = run_with(charges, tasks, Platform::global(2), "G-EDF", 500);
    let mut since = std::collections::BTreeMap::new();
    for (at, record) in &timeline.records {
        match record {
            Record::Dispatch { job, .. } => drop(since.insert(*job, *at)),
            Record::Preempt { job, .. } => assert!(since[job] < *at, "{job} at {at}"),
            _ => {}
        }
    }
    assert!(since.len() > 50);
}

/// A kind that simulations charge makes a difference to a run; one that they do not charge makes none.
#[test]
fn each_kind_is_charged_or_said_not_to_be() {
    // The third task displaces the second, on a processor that did not see it arrive. The fourth displaces the first,
    // and both that were displaced migrate. The job that the last one displaces goes on where it was.
    let first = vec![task(8, 100, 20), task(8, 100, 30)];
    let mut tasks =
        [first, vec![at(task(2, 100, 10), 3), at(task(3, 100, 5), 4), at(task(1, 100, 7), 8)]].concat();
    tasks.iter_mut().for_each(|task| task.fixed_priority = task.relative_deadline.as_ns() as u32);
    let platform = Platform { quantum: ns(6), ..Platform::global(2) };
    let run = |overheads: &Overheads, scheduler: &str| {
        let charges = Charges::evaluate(overheads, Statistic::Max, &tasks, &platform);
        (charges.are_none(), run_with(charges, tasks.clone(), platform.clone(), scheduler, 100).records)
    };
    for kind in OverheadKind::ALL {
        let mut overheads = Overheads::default();
        overheads.set(kind, Cost::Constant(ns(1)).into());
        // Only a scheduler with run queues moves threads between them.
        let moves = matches!(kind, OverheadKind::Push | OverheadKind::Pull);
        let scheduler = if moves { "SCHED_FIFO" } else { "G-EDF" };
        let (_, without) = run(&Overheads::default(), scheduler);
        let (are_none, with) = run(&overheads, scheduler);
        let (is_charged, name) = (Charges::include(kind), kind.name());
        assert_eq!(are_none, !is_charged, "`Charges::evaluate` and `are_none` take {name} otherwise");
        assert_eq!(with != without, is_charged, "crates/sim/src/engine charges {name} otherwise");
    }
}
