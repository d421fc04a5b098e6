//! Whatever goes wrong, the scheduler by quanta goes away, no thread is lost, and its end has a name.

use super::running::{begin, share, TestTask};
use crate::faults::{can_try, ending, holding, press_key, stop, without_a_processor, KEYS, ONLINE};
use crate::support::{
    alone, become_fifo, limit, load_and_unload, processors, settings, sleep_ms, state, until, Counter,
};
use schedlab_scx::{LoadRefusal, QuantumScheduler, QuantumSettings, Settings};

const MS: u64 = 1_000_000;

/// Quanta of 10 ms on all processors, for so many tasks, with a time-out of two seconds.
fn short(tasks: u32) -> QuantumSettings {
    let all: Vec<u32> = (0..processors()).collect();
    let common = Settings { timeout_ms: 2_000, ..settings() };
    QuantumSettings { common, ..QuantumSettings::of(&all, 10 * MS, tasks) }
}

/// The same with the kernel's longest time-out.
fn long(tasks: u32) -> QuantumSettings {
    QuantumSettings { common: settings(), ..short(tasks) }
}

/// One task for each processor that executes all the time.
fn full() -> Vec<TestTask> {
    (0..processors()).map(|_| TestTask::hog(share(1, 1))).collect()
}

/// The next run works: its tasks have their quanta.
fn works() {
    let mut run = begin(&long(1), vec![TestTask::hog(share(1, 2))]);
    let begins = until(20_000, || {
        run.read();
        !run.records.is_empty()
    });
    assert!(begins, "a task begins");
    run.end();
}

/// Not a test: the process that other tests kill and stop. Its tasks never end, and need more than their processors.
#[test]
#[ignore = "the process that other tests kill"]
fn hold_until_killed() {
    become_fifo(60);
    let tasks = (0..2 * processors()).map(|_| TestTask::hog(share(1, 2)));
    let mut run = begin(&long(2 * processors()), tasks.collect());
    run.go_on(500);
    println!("holding");
    run.go_on(600_000);
}

#[test]
fn a_killed_process_leaves_no_scheduler_by_quanta() {
    let _alone = alone();
    become_fifo(70);
    let mut child = holding("quanta::faults::hold_until_killed");
    child.kill().unwrap();
    assert!(until(limit(1_000), || state() == "disabled"), "one second after kill -9");
    child.wait().unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}", child.id())).exists());
    works();
}

/// Its timers stand still with it; the scheduler goes away all the same.
#[test]
fn a_stopped_process_leaves_no_scheduler_by_quanta() {
    let _alone = alone();
    become_fifo(70);
    stop(holding("quanta::faults::hold_until_killed"));
    works();
}

#[test]
fn twenty_loads_in_a_row_end_regularly() {
    let _alone = alone();
    let load = || QuantumScheduler::load(&long(1)).expect("this kernel takes the scheduler").0;
    load_and_unload(load, |scheduler| scheduler.unload());
}

#[test]
fn a_second_scheduler_is_refused_with_the_name_of_the_one_by_quanta() {
    let _alone = alone();
    let first = QuantumScheduler::load(&long(1)).expect("this kernel takes the scheduler");
    let refused = QuantumScheduler::load(&long(1)).expect_err("only one can be there");
    assert_eq!(refused, LoadRefusal::Occupied { name: "schedlab_quantum".into() });
    drop(first);
}

/// A thread of a real-time class holds a processor: the task that has it gets nothing there.
#[test]
fn a_hog_of_a_real_time_class_ends_the_scheduler_by_quanta() {
    let _alone = alone();
    become_fifo(60);
    let mut run = begin(&short(processors()), full());
    run.go_on(500);
    let hog = Counter::doing(Some(0), || become_fifo(50));
    let found = ending(|| run.scheduler.ending(), 20_000);
    assert_eq!(found.name(), "a ready thread got no processor in time", "{found:?}");
    hog.end();
    run.abandon();
    works();
}

/// Tasks that load all processors leave nothing to an ordinary thread if there is no reserve.
#[test]
fn an_ordinary_thread_that_starves_ends_the_scheduler_by_quanta() {
    let _alone = alone();
    become_fifo(60);
    let mut without = short(processors());
    without.common.reserve_ns = 0;
    let mut run = begin(&without, full());
    run.go_on(500);
    let starves = Counter::start(Some(0));
    let found = ending(|| run.scheduler.ending(), 20_000);
    assert_eq!(found.name(), "a ready thread got no processor in time", "{found:?}");
    assert!(starves.counts_within(10_000), "no thread is lost");
    run.abandon();
    works();
}

/// No thread reads a ring of a hundred records: what finds no room is counted, and quanta go on.
#[test]
fn a_full_ring_is_counted_and_stops_nothing() {
    let _alone = alone();
    become_fifo(60);
    let small = QuantumSettings { ring_bytes: 4_096, ..long(processors()) };
    let mut run = begin(&small, full());
    assert!(until(60_000, || run.scheduler.lost_records() > 0), "the ring is full");
    let (lost, kicks) = (run.scheduler.lost_records(), alarms(&run.scheduler));
    assert!(until(60_000, || run.scheduler.lost_records() > lost), "decisions go on");
    // A timer loses several records, of which some may be counted after the line above: the next one is waited for.
    assert!(until(60_000, || alarms(&run.scheduler) > kicks), "timers go on");
    run.read();
    let kept = run.records.len();
    assert!((50..=102).contains(&kept), "as many as there is room for: {kept}");
    run.end();
    works();
}

/// How often timers of processors fired.
fn alarms(scheduler: &QuantumScheduler) -> u64 {
    (0..processors()).map(|processor| scheduler.tally(processor).alarms).sum()
}

#[test]
fn the_key_of_the_kernel_ends_the_scheduler_by_quanta() {
    let _alone = alone();
    if !can_try(KEYS) {
        return;
    }
    become_fifo(60);
    let mut run = begin(&long(processors()), full());
    run.go_on(500);
    press_key(|| run.scheduler.ending());
    run.abandon();
    works();
}

/// A processor goes away whose timer was to give the next quantum.
#[test]
fn a_processor_that_goes_away_ends_the_scheduler_by_quanta() {
    let _alone = alone();
    if !can_try(ONLINE) {
        return;
    }
    become_fifo(60);
    let mut run = begin(&long(processors()), full());
    run.go_on(500);
    let found = without_a_processor(|| run.scheduler.ending());
    assert_eq!(found.name(), "unloaded by the kernel", "{found:?}");
    run.abandon();
    sleep_ms(100);
    works();
}
