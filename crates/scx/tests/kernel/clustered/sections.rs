//! Sections in which a thread does not give way.

use super::running::{begin, execute, Observed, TestTask, Turn};
use crate::support::{alone, become_fifo, is_counted, processors, sleep_ms};
use schedlab_scx::{ClusterSettings, KernelEvent, TaskPlan};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

const MS: u64 = 1_000_000;

/// Two tasks on the first processor: a less urgent one whose job does `does`, and an urgent one that comes 20 ms later.
fn run(longest_section: Option<u64>, does: fn(&Turn<'_>)) -> Observed {
    let settings = ClusterSettings::of(&(0..processors()).map(|at| 1 << at).collect::<Vec<u64>>());
    let low = TaskPlan { after: 2, longest_section, ..TaskPlan::default() };
    let high = TaskPlan { after: 1, ..TaskPlan::default() };
    let tasks = vec![TestTask::doing(low, vec![0], does), TestTask::executing(high, vec![20 * MS], MS)];
    let mut run = begin(&settings, tasks);
    run.go_on(500);
    run.end()
}

/// The place of the first such record.
fn at(observed: &Observed, index: u32, wanted: fn(&KernelEvent) -> bool) -> Option<usize> {
    observed.records.iter().position(|record| record.index == index && wanted(&record.what))
}

fn is_complete(event: &KernelEvent) -> bool {
    matches!(event, KernelEvent::Completed { .. })
}

#[test]
fn without_a_section_the_urgent_job_goes_first() {
    let _alone = alone();
    become_fifo(60);
    let observed = run(None, |turn| execute(80 * MS, turn.over));
    assert!(at(&observed, 2, is_complete) < at(&observed, 1, is_complete), "{:?}", observed.records);
    assert_eq!(at(&observed, 1, |event| matches!(event, KernelEvent::SectionKept { .. })), None);
}

/// The urgent job waits for the section's end, and no longer.
#[test]
fn a_section_delays_the_preemption_until_its_end() {
    let _alone = alone();
    become_fifo(60);
    let observed = run(None, |turn| {
        turn.scheduler.enter_section(turn.index);
        execute(80 * MS, turn.over);
        turn.scheduler.leave_section(turn.index);
        execute(80 * MS, turn.over);
    });
    let kept = at(&observed, 1, |event| matches!(event, KernelEvent::SectionKept { section: 1 }));
    let left = at(&observed, 1, |event| matches!(event, KernelEvent::SectionLeft { section: 1 }));
    let arrived = at(&observed, 2, |event| matches!(event, KernelEvent::Arrived { .. }));
    assert!(arrived.is_some() && arrived < kept && kept < left, "{:?}", observed.records);
    let waits = &observed.records[arrived.unwrap_or(0)..left.unwrap_or(0)];
    assert!(waits.iter().all(|record| record.index != 2 || record.what != KernelEvent::Running), "{waits:?}");
    assert!(at(&observed, 2, is_complete) < at(&observed, 1, is_complete), "{:?}", observed.records);
    assert_eq!(at(&observed, 1, |event| matches!(event, KernelEvent::SectionBroken { .. })), None);
}

/// A section that goes on and on delays the urgent job for as long as the plan allows; a later section is heeded again.
#[test]
fn a_section_that_is_too_long_is_not_heeded_any_more() {
    let _alone = alone();
    become_fifo(60);
    let observed = run(Some(30 * MS), |turn| {
        turn.scheduler.enter_section(turn.index);
        execute(200 * MS, turn.over);
        assert!(turn.scheduler.broke_its_section(turn.index));
        turn.scheduler.leave_section(turn.index);
        turn.scheduler.enter_section(turn.index);
        assert!(!turn.scheduler.broke_its_section(turn.index));
        turn.scheduler.leave_section(turn.index);
    });
    let kept = at(&observed, 1, |event| matches!(event, KernelEvent::SectionKept { section: 1 }));
    let broken = at(&observed, 1, |event| matches!(event, KernelEvent::SectionBroken { section: 1 }));
    let kept = kept.expect("it delays the preemption");
    let broken = broken.expect("it is too long");
    let lasted = observed.records[broken].at - observed.records[kept].at;
    assert!(lasted >= 30 * MS, "it was heeded for {} us", lasted / 1_000);
    assert!(at(&observed, 2, is_complete) < at(&observed, 1, is_complete), "{:?}", observed.records);
    assert!(observed.tallies[0].alarms >= 1, "the timer ends it: {:?}", observed.tallies);
}

/// Two tasks on the first processor whose jobs may sleep in sections: the less urgent one comes first, the urgent one
/// 20 ms later. Goes on until both jobs are complete, or for a minute; true if they are.
fn run_sleepers(
    longest_section: Option<u64>,
    low_does: fn(&Turn<'_>),
    high_does: fn(&Turn<'_>),
) -> (Observed, bool) {
    let settings = ClusterSettings::of(&(0..processors()).map(|at| 1 << at).collect::<Vec<u64>>());
    let low = TaskPlan { after: 2, longest_section, ..TaskPlan::default() };
    let high = TaskPlan { after: 1, ..TaskPlan::default() };
    let tasks =
        vec![TestTask::doing(low, vec![0], low_does), TestTask::doing(high, vec![20 * MS], high_does)];
    let mut run = begin(&settings, tasks);
    let complete = run.go_on_until_complete(2);
    (run.end(), complete)
}

/// Does `first` in a section, spins for a lock, executes with it, and gives it back.
fn spin_for(lock: &AtomicBool, turn: &Turn<'_>, first: fn(), cost: u64) {
    turn.scheduler.enter_section(turn.index);
    first();
    while lock.swap(true, SeqCst) && !turn.over.load(SeqCst) {
        std::hint::spin_loop();
    }
    execute(cost, turn.over);
    lock.store(false, SeqCst);
    turn.scheduler.leave_section(turn.index);
}

/// The holder of a lock sleeps, and the urgent job spins for the lock on the same processor: the holder goes first once
/// it is awake.
#[test]
fn a_section_that_sleeps_goes_on_although_another_job_spins_for_its_lock() {
    static LOCK: AtomicBool = AtomicBool::new(false);
    let _alone = alone();
    become_fifo(60);
    let (observed, complete) = run_sleepers(
        None,
        |turn| {
            turn.scheduler.enter_section(turn.index);
            LOCK.store(true, SeqCst);
            sleep_ms(80);
            execute(2 * MS, turn.over);
            LOCK.store(false, SeqCst);
            turn.scheduler.leave_section(turn.index);
            execute(2 * MS, turn.over);
        },
        |turn| spin_for(&LOCK, turn, || {}, MS),
    );
    assert!(complete, "both wait for ever: {:?}", observed.records);
    let slept = at(&observed, 1, |event| matches!(event, KernelEvent::SectionSlept { section: 1 }));
    let woke = at(&observed, 1, |event| matches!(event, KernelEvent::SectionWoke { section: 1 }));
    let left = at(&observed, 1, |event| matches!(event, KernelEvent::SectionLeft { section: 1 }));
    assert!(slept.is_some() && slept < woke && woke < left, "{:?}", observed.records);
    assert!(at(&observed, 2, is_complete) < at(&observed, 1, is_complete), "{:?}", observed.records);
    assert_eq!(at(&observed, 1, |event| matches!(event, KernelEvent::Suspended)), None, "it is known as one");
}

/// The job that sleeps in its section asks for a lock afterwards, which the urgent one holds: they execute by turns.
#[test]
fn a_section_that_sleeps_makes_room_for_the_lock_that_it_needs() {
    static LOCK: AtomicBool = AtomicBool::new(false);
    let _alone = alone();
    become_fifo(60);
    let (observed, complete) = run_sleepers(
        None,
        |turn| spin_for(&LOCK, turn, || sleep_ms(80), MS),
        |turn| spin_for(&LOCK, turn, || {}, 200 * MS),
    );
    assert!(complete, "both wait for ever: {:?}", observed.records);
}

/// A section that has slept and is too long afterwards is not heeded any more: the urgent job goes on first.
#[test]
fn a_section_that_sleeps_and_is_too_long_gives_way() {
    let _alone = alone();
    become_fifo(60);
    let (observed, complete) = run_sleepers(
        Some(30 * MS),
        |turn| {
            turn.scheduler.enter_section(turn.index);
            sleep_ms(80);
            execute(400 * MS, turn.over);
            turn.scheduler.leave_section(turn.index);
        },
        |turn| execute(300 * MS, turn.over),
    );
    assert!(complete, "{:?}", observed.records);
    let woke = at(&observed, 1, |event| matches!(event, KernelEvent::SectionWoke { section: 1 }));
    let kept = at(&observed, 1, |event| matches!(event, KernelEvent::SectionKept { section: 1 }));
    assert!(woke.is_some() && woke < kept, "it sleeps first: {:?}", observed.records);
    let broken = at(&observed, 1, |event| matches!(event, KernelEvent::SectionBroken { section: 1 }));
    let (kept, broken) = (kept.expect("it goes first"), broken.expect("it is too long"));
    let lasted = observed.records[broken].at - observed.records[kept].at;
    assert!(lasted >= 30 * MS, "it was heeded for {} us", lasted / 1_000);
    assert!(at(&observed, 2, is_complete) < at(&observed, 1, is_complete), "{:?}", observed.records);
}

/// A section delays the urgent job for a moment, and sleeps for longer than it may delay it: it is heeded afterwards.
#[test]
fn sleep_is_no_part_of_the_longest_section() {
    let _alone = alone();
    if !is_counted() {
        println!("not tried: where processors execute in parallel, a moment may last as long as the longest section");
        return;
    }
    become_fifo(60);
    let (observed, complete) = run_sleepers(
        Some(400 * MS),
        |turn| {
            turn.scheduler.enter_section(turn.index);
            execute(40 * MS, turn.over);
            sleep_ms(900);
            execute(2 * MS, turn.over);
            turn.scheduler.leave_section(turn.index);
        },
        |turn| execute(MS, turn.over),
    );
    assert!(complete, "{:?}", observed.records);
    let kept = at(&observed, 1, |event| matches!(event, KernelEvent::SectionKept { section: 1 }));
    let slept = at(&observed, 1, |event| matches!(event, KernelEvent::SectionSlept { section: 1 }));
    assert!(kept.is_some() && kept < slept, "{:?}", observed.records);
    assert_eq!(at(&observed, 1, |event| matches!(event, KernelEvent::SectionBroken { .. })), None);
}
