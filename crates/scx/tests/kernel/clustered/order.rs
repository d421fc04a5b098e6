//! Each form of the clustered scheduler executes the jobs that go first.

use super::checked::{check_jobs, judge};
use super::running::{begin, execute, Observed, TestTask, Turn};
use crate::support::{alone, become_fifo, is_counted, processors, Counter};
use schedlab_scx::{ClusterSettings, KernelEvent, KernelRecord, TaskPlan};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;

const MS: u64 = 1_000_000;

/// Longest time for which a job may wait although it should execute, in ns. A busy host may keep an emulated processor
/// waiting for very long where each has a thread; not where all have one, which counts instructions as time.
pub fn limit() -> u64 {
    if is_counted() {
        50 * MS
    } else {
        5_000 * MS
    }
}

/// A generator of numbers, the same ones in each run.
struct Numbers(u64);

impl Numbers {
    /// The next number from `low` to `high`.
    fn within(&mut self, low: u64, high: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (self.0 >> 33) % (high - low + 1)
    }
}

/// How the point of a task comes about: from its period, its cost, and the number of processors of its cluster.
type Order = fn(&mut Numbers, u64, u64, u64) -> (u64, u64);

fn edf(_: &mut Numbers, period: u64, _: u64, _: u64) -> (u64, u64) {
    (period, 1)
}

fn rm(_: &mut Numbers, period: u64, _: u64, _: u64) -> (u64, u64) {
    (period, 0)
}

fn fp(numbers: &mut Numbers, _: u64, _: u64, _: u64) -> (u64, u64) {
    (numbers.within(1, 4), 0)
}

fn fifo(_: &mut Numbers, _: u64, _: u64, _: u64) -> (u64, u64) {
    (0, 1)
}

fn fair_lateness(_: &mut Numbers, period: u64, cost: u64, processors: u64) -> (u64, u64) {
    (period * processors - cost * (processors - 1), processors)
}

fn given(numbers: &mut Numbers, _: u64, _: u64, _: u64) -> (u64, u64) {
    (numbers.within(0, 300) * MS, 1)
}

/// The processors in clusters of `size`.
fn clusters_of(size: u32) -> Vec<u64> {
    (0..processors() / size).map(|cluster| ((1 << size) - 1) << (cluster * size)).collect()
}

/// Executes a random set, with a job of least urgency on each processor that never ends if `hogs`, and judges it.
fn try_form(name: &str, size: u32, preemptive: bool, order: Order, hogs: bool) {
    let clusters = clusters_of(size);
    let settings = ClusterSettings { preemptive, ..ClusterSettings::of(&clusters) };
    let mut numbers = Numbers(name.bytes().map(u64::from).sum());
    let (mut plans, mut arrivals, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
    for cluster in 0..clusters.len() as u32 {
        for _ in 0..2 * size + 1 {
            let period = 50 * MS * numbers.within(1, 4);
            // Two in three of the processors' time, in both modes of emulation.
            let cost = period * numbers.within(5, 25) / 100 / if processors() > 2 { 1 } else { 3 };
            let (after, parts) = order(&mut numbers, period, cost, size.into());
            let plan = TaskPlan {
                cluster,
                after,
                parts,
                separation: period,
                relative_deadline: period,
                ..TaskPlan::default()
            };
            let own: Vec<u64> = (0..1_000 * MS / period).map(|job| job * period).collect();
            tasks.push(TestTask::executing(plan, own.clone(), cost));
            plans.push(plan);
            arrivals.push(own);
        }
        for _ in 0..if hogs { size } else { 0 } {
            let plan = TaskPlan { cluster, after: 1 << 50, ..TaskPlan::default() };
            tasks.push(TestTask::hog(plan));
            plans.push(plan);
            arrivals.push(vec![0]);
        }
    }
    let ends = arrivals.iter().map(Vec::len).sum::<usize>() - if hogs { processors() as usize } else { 0 };
    let mut run = begin(&settings, tasks);
    assert!(run.go_on_until_complete(ends), "{name}: all jobs but those that never end are complete");
    let observed = run.end();
    assert_eq!(observed.lost, 0);
    let complete = check_jobs(&observed, &arrivals);
    let judged = judge(&observed, &settings, &plans);
    let (waited, index, at) = judged.longest;
    let all: u64 = arrivals.iter().map(|own| own.len() as u64).sum();
    println!("{name}: {complete} of {all} jobs, {judged:?}, {:?}", observed.tallies);
    assert!(waited < limit(), "{name}: task {index} waited for {} ms until {} ms", waited / MS, at / MS);
    assert_eq!(complete, all, "{name}: all jobs are complete");
    assert!(judged.begun >= complete && judged.most_ready > size as usize, "{name}: {judged:?}");
    assert_eq!(judged.preempted > 0, preemptive, "{name}: {judged:?}");
    let needless: u64 = observed.tallies.iter().map(|tally| tally.needless).sum();
    // A processor that the host kept waiting finds out too late what it was kicked for.
    let few = needless <= 3 + judged.begun / 20 || !is_counted();
    assert!(few, "{name}: kicks mostly have an effect, {needless} had none");
}

#[test]
fn global_forms_keep_the_order() {
    let _alone = alone();
    become_fifo(60);
    for (name, order) in [
        ("G-EDF", edf as Order),
        ("G-RM", rm),
        ("G-FP", fp),
        ("G-FIFO", fifo),
        ("G-FL", fair_lateness),
        ("G-GEL", given),
    ] {
        try_form(name, processors(), true, order, true);
    }
}

#[test]
fn clustered_forms_keep_the_order() {
    let _alone = alone();
    become_fifo(60);
    try_form("C-EDF", processors() / 2, true, edf, true);
    try_form("C-FP", processors() / 2, true, fp, true);
}

#[test]
fn partitioned_forms_keep_the_order() {
    let _alone = alone();
    become_fifo(60);
    try_form("P-EDF", 1, true, edf, true);
    try_form("P-RM", 1, true, rm, true);
}

#[test]
fn forms_without_preemption_keep_the_order() {
    let _alone = alone();
    become_fifo(60);
    try_form("NG-EDF", processors(), false, edf, false);
    try_form("NC-FIFO", processors() / 2, false, fifo, false);
    try_form("NP-FP", 1, false, fp, false);
}

/// A job that gives its processor up for a moment is not preempted by that, where no job is.
#[test]
fn a_job_that_yields_is_not_preempted_without_preemption() {
    let _alone = alone();
    become_fifo(60);
    for preemptive in [false, true] {
        let settings = ClusterSettings { preemptive, ..ClusterSettings::of(&[1]) };
        let yields = |turn: &Turn<'_>| {
            for _ in 0..80 {
                execute(MS, turn.over);
                std::thread::yield_now();
            }
        };
        let plan = |after| TaskPlan { after, ..TaskPlan::default() };
        let tasks =
            vec![TestTask::doing(plan(2), vec![0], yields), TestTask::executing(plan(1), vec![20 * MS], MS)];
        let mut run = begin(&settings, tasks);
        run.go_on(300);
        let observed = run.end();
        assert_eq!(
            completed(&observed),
            if preemptive { [2, 1] } else { [1, 2] },
            "preemptive: {preemptive}"
        );
    }
}

/// A thread of an ordinary class executes by the reserve while a job that must not be preempted is at its middle. The
/// job goes on afterwards, though a more urgent one waits.
#[test]
fn the_reserve_does_not_end_a_job_without_preemption() {
    let _alone = alone();
    become_fifo(60);
    let settings = ClusterSettings { preemptive: false, ..ClusterSettings::of(&[1]) };
    let plan = |after| TaskPlan { after, ..TaskPlan::default() };
    let tasks = vec![
        TestTask::executing(plan(2), vec![0], 400 * MS),
        TestTask::executing(plan(1), vec![20 * MS], MS),
    ];
    let mut run = begin(&settings, tasks);
    let outside = Counter::start(Some(0));
    run.go_on(900);
    let reserve_ns = run.scheduler.outside(0).reserve_ns;
    outside.end();
    let observed = run.end();
    assert_eq!(completed(&observed), [1, 2]);
    assert!(reserve_ns > 5 * MS, "the ordinary thread executes meanwhile: {reserve_ns} ns");
}

/// Tasks in the order in which their jobs were complete.
fn completed(observed: &Observed) -> Vec<u32> {
    let complete = |record: &&KernelRecord| matches!(record.what, KernelEvent::Completed { .. });
    observed.records.iter().filter(complete).map(|record| record.index).collect()
}

/// A thread that has said that its job is complete goes on as urgently as its job, until it sleeps: else its next job
/// would be late whenever others execute meanwhile.
#[test]
fn a_thread_between_its_jobs_is_as_urgent_as_they_are() {
    let _alone = alone();
    become_fifo(60);
    let done = Arc::new(AtomicBool::new(false));
    let leaves = {
        let done = done.clone();
        move |turn: &Turn<'_>| {
            turn.scheduler.leave(turn.index, 1);
            execute(5 * MS, turn.over);
            done.store(!turn.over.load(SeqCst), SeqCst);
        }
    };
    let plan = |after| TaskPlan { after, ..TaskPlan::default() };
    let late = TestTask { delay_ms: 60, ..TestTask::executing(plan(1), vec![200 * MS], MS) };
    let tasks = vec![TestTask::hog(plan(2)), TestTask::doing(plan(1), vec![20 * MS], leaves), late];
    let mut run = begin(&ClusterSettings::of(&[1]), tasks);
    run.go_on(700);
    assert!(done.load(SeqCst), "the thread goes on after its job");
    let observed = run.end();
    assert_eq!(completed(&observed), [2, 3, 1], "a thread gets to wait for its first job");
}
