//! Whatever goes wrong, the clustered scheduler goes away, and its end has a name.

use super::running::{begin, execute, TestTask};
use crate::faults::{can_try, ending, holding, press_key, stop, without_a_processor, KEYS, ONLINE};
use crate::support::{
    alone, become_fifo, is_counted, load_and_unload, processors, settings, sleep_ms, state, until, Counter,
};
use schedlab_scx::{ClusterScheduler, ClusterSettings, KernelEvent, LoadRefusal, Settings, TaskPlan};

const MS: u64 = 1_000_000;

/// All processors in one cluster, with a time-out of two seconds.
fn global() -> ClusterSettings {
    let clusters = [(1 << processors()) - 1];
    let common = Settings { timeout_ms: 2_000, ..settings() };
    ClusterSettings { common, ..ClusterSettings::of(&clusters) }
}

/// Loads the scheduler with the kernel's longest time-out.
fn load() -> ClusterScheduler {
    let settings = ClusterSettings { common: settings(), ..global() };
    ClusterScheduler::load(&settings).expect("this kernel takes the scheduler").0
}

#[test]
fn twenty_loads_in_a_row_end_regularly() {
    let _alone = alone();
    load_and_unload(load, |scheduler| scheduler.unload());
}

#[test]
fn a_second_scheduler_is_refused_with_the_name_of_the_clustered_one() {
    let _alone = alone();
    let first = load();
    let refused = ClusterScheduler::load(&global()).expect_err("only one can be there");
    assert_eq!(refused, LoadRefusal::Occupied { name: "schedlab_cluster".into() });
    drop(first);
}

#[test]
fn a_thread_that_may_execute_elsewhere_is_not_adopted() {
    let _alone = alone();
    let (scheduler, _) = ClusterScheduler::load(&ClusterSettings::of(&[1])).expect("it loads");
    // SAFETY: it takes no memory.
    let thread = unsafe { libc::gettid() };
    let refused =
        scheduler.adopt(thread, 1, &TaskPlan::default()).expect_err("it may execute on all processors");
    assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput);
}

/// Not a test: the process that `kill` ends. Its tasks never stop.
#[test]
#[ignore = "the process that other tests kill"]
fn hold_until_killed() {
    become_fifo(60);
    let settings = ClusterSettings { common: settings(), ..global() };
    let hogs = (0..processors() + 2).map(|_| TestTask::hog(TaskPlan::default()));
    let mut run = begin(&settings, hogs.collect());
    println!("holding");
    run.go_on(600_000);
}

#[test]
fn a_killed_process_leaves_no_clustered_scheduler() {
    let _alone = alone();
    become_fifo(70);
    let mut child = holding("clustered::faults::hold_until_killed");
    child.kill().unwrap();
    assert!(until(1_000, || state() == "disabled"), "one second after kill -9");
    child.wait().unwrap();
    drop(load());
}

#[test]
fn a_stopped_process_leaves_no_clustered_scheduler() {
    let _alone = alone();
    become_fifo(70);
    stop(holding("clustered::faults::hold_until_killed"));
    drop(load());
}

/// A job that never gets a processor, since a more urgent one never ends, is what the kernel's watchdog looks for.
#[test]
fn a_job_that_starves_ends_the_clustered_scheduler() {
    let _alone = alone();
    become_fifo(60);
    let urgent = (0..processors()).map(|_| TestTask::hog(TaskPlan { after: 1, ..TaskPlan::default() }));
    let starves = TestTask::hog(TaskPlan { after: 2, ..TaskPlan::default() });
    let run = begin(&global(), urgent.chain([starves]).collect());
    let ending = ending(|| run.scheduler.ending(), 8_000);
    assert_eq!(ending.name(), "a ready thread got no processor in time", "{ending:?}");
    run.abandon();
}

/// One task for each processor, whose job never ends.
fn hogs() -> Vec<TestTask> {
    (0..processors()).map(|_| TestTask::hog(TaskPlan::default())).collect()
}

/// A thread of a real-time class holds a processor for good: a job of each processor waits there.
#[test]
fn a_hog_of_a_real_time_class_ends_the_clustered_scheduler() {
    let _alone = alone();
    become_fifo(60);
    let mut run = begin(&global(), hogs());
    run.go_on(500);
    let hog = Counter::doing(Some(0), || become_fifo(50));
    let found = ending(|| run.scheduler.ending(), 20_000);
    assert_eq!(found.name(), "a ready thread got no processor in time", "{found:?}");
    hog.end();
    run.abandon();
    drop(load());
}

#[test]
fn the_key_of_the_kernel_ends_the_clustered_scheduler() {
    let _alone = alone();
    if !can_try(KEYS) {
        return;
    }
    become_fifo(60);
    let mut run = begin(&ClusterSettings { common: settings(), ..global() }, hogs());
    run.go_on(500);
    press_key(|| run.scheduler.ending());
    run.abandon();
    drop(load());
}

#[test]
fn a_processor_that_goes_away_ends_the_clustered_scheduler() {
    let _alone = alone();
    if !can_try(ONLINE) {
        return;
    }
    become_fifo(60);
    let mut run = begin(&ClusterSettings { common: settings(), ..global() }, hogs());
    run.go_on(500);
    let found = without_a_processor(|| run.scheduler.ending());
    // Either the kernel says so, or the scheduler finds that it cannot give the processor a thread.
    assert!(["unloaded by the kernel", "a processor went off line"].contains(&found.name()), "{found:?}");
    run.abandon();
    drop(load());
}

/// Jobs that never end on all processors of a cluster leave threads outside their reserve: one that is bound to a
/// processor, and one that is not.
#[test]
fn threads_outside_have_their_reserve_beside_jobs_on_all_processors() {
    let _alone = alone();
    become_fifo(60);
    let mut run = begin(&ClusterSettings { common: settings(), ..global() }, hogs());
    run.go_on(500);
    let outside = [Counter::start(None), Counter::start(Some(0)), Counter::start(Some(1))];
    for _ in 0..3 {
        assert!(outside.iter().all(|thread| thread.counts_within(3_000)), "they execute again and again");
        run.go_on(500);
    }
    outside.iter().for_each(Counter::end);
    run.end();
}

/// Jobs that never end leave threads outside their reserve, and no more than that.
#[test]
fn threads_outside_have_their_reserve_beside_jobs() {
    let _alone = alone();
    become_fifo(60);
    let mut run = begin(&ClusterSettings::of(&[1]), vec![TestTask::hog(TaskPlan::default())]);
    run.go_on(300);
    let outside = Counter::start(Some(0));
    let before = run.scheduler.outside(0);
    run.go_on(4_000);
    let after = run.scheduler.outside(0);
    assert!(outside.counts_within(2_000), "it executes again and again");
    let reserve_ms = (after.reserve_ns - before.reserve_ns) / MS;
    // Slices end at ticks, which come as late as the host likes where each emulated processor has a thread of it.
    let most_ms = if is_counted() { 300 } else { 4_000 };
    assert!((100..=most_ms).contains(&reserve_ms), "of 4 s, 200 ms are reserved: {reserve_ms} ms");
    outside.end();
    let observed = run.end();
    let complete = |event: KernelEvent| matches!(event, KernelEvent::Completed { .. });
    assert_eq!(observed.records.iter().filter(|record| complete(record.what)).count(), 1);
}

/// A thread of a real-time class holds a processor while jobs come and go: those that were interrupted go on
/// afterwards, if none goes before them.
#[test]
fn kicks_under_a_real_time_thread_are_made_up_for() {
    let _alone = alone();
    become_fifo(60);
    let settings = ClusterSettings { common: settings(), ..ClusterSettings::of(&[1]) };
    let urgent = TaskPlan { after: 1, ..TaskPlan::default() };
    let arrivals: Vec<u64> = (0..40).map(|job| job * 20 * MS).collect();
    let tasks = vec![
        TestTask::hog(TaskPlan { after: 2, ..TaskPlan::default() }),
        TestTask::executing(urgent, arrivals.clone(), MS),
    ];
    let run = begin(&settings, tasks);
    // It holds the processor around each arrival.
    let interferes = std::thread::spawn({
        let zero = run.zero;
        move || {
            become_fifo(50);
            crate::support::bind(0);
            for arrival in arrivals {
                let now = crate::support::clock_ns(libc::CLOCK_MONOTONIC);
                let begin = (zero + arrival).saturating_sub(2 * MS);
                std::thread::sleep(std::time::Duration::from_nanos(begin.saturating_sub(now)));
                execute(4 * MS, &std::sync::atomic::AtomicBool::new(false));
            }
        }
    });
    sleep_ms(1_000);
    interferes.join().unwrap();
    let corrected = run.scheduler.outside(0).corrected;
    let observed = run.end();
    assert!(corrected >= 10, "the processor looks again after the real-time thread: {corrected}");
    let waits = observed.records.iter().filter(|record| record.index == 2).fold(
        (0, 0),
        |(longest, since), record| match record.what {
            KernelEvent::Arrived { .. } => (longest, record.at),
            KernelEvent::Running if record.job != 0 && since != 0 => (longest.max(record.at - since), 0),
            _ => (longest, since),
        },
    );
    assert!(waits.0 < super::order::limit(), "an urgent job waited for {} ms", waits.0 / MS);
}
