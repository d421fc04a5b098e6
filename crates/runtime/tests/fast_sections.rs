//! Sections that threads enter without asking: no other thread is in there, no decision misses one, and replay is exact
//! (the support's runs hold it against what was recorded).
//!
//! These runs need real-time priorities; where those are refused, the tests say so and pass.

mod support;

use schedlab_lock::LockProtocol;
use schedlab_model::*;
use schedlab_runtime::{each_job, sys, Body, EngineInput, Outcome, Passage};
use std::cell::UnsafeCell;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use support::*;

type Make = fn(&[Task], &Platform) -> Box<dyn LockProtocol>;

const R: ResourceId = ResourceId(0);

/// Number of sections of a job.
const ROUNDS: u64 = 2_000;

/// A number that only its holder may touch.
struct Counter(UnsafeCell<u64>);

// SAFETY: the tests are about whether locks exclude.
unsafe impl Sync for Counter {}

impl Counter {
    fn add_one(&self) {
        // SAFETY: the caller holds the resource.
        unsafe {
            let value = self.0.get().read_volatile();
            std::hint::spin_loop();
            self.0.get().write_volatile(value + 1);
        }
    }
}

fn sharing(cost: u64, period: u64, cluster: u16) -> Task {
    Task { program: holding(R, cost), cluster: ClusterId(cluster), ..task(cost, period, period) }
}

/// The number of the engine's inputs that were fast sections, and of all others.
fn inputs(outcome: &Outcome) -> (usize, usize) {
    let inputs = outcome.inputs[0].as_ref().expect("short runs are remembered");
    let did = inputs.iter().filter(|(_, _, input)| matches!(input, EngineInput::FastSection(_))).count();
    (did, inputs.len() - did)
}

/// Four tasks on two processors take and give a resource in a tight loop, with nothing in between but the section.
#[test]
fn sections_exclude_each_other_whether_noticed_or_not() {
    let runs: [(&str, Make); 4] = [
        ("P-EDF", |tasks, platform| make("msrp", tasks, platform)),
        ("P-EDF", |tasks, platform| make("task-fair", tasks, platform)),
        ("G-EDF", |tasks, platform| make("fmlp-short", tasks, platform)),
        ("G-EDF", |tasks, platform| make("fmlp-long", tasks, platform)),
    ];
    for (index, (scheduler, locks)) in runs.into_iter().enumerate() {
        let counter = Arc::new(Counter(UnsafeCell::new(0)));
        let total = Arc::new(AtomicU64::new(0));
        let partitioned = scheduler.starts_with('P');
        let task = |number: u64| sharing(2, 7 + number, if partitioned { number as u16 % 2 } else { 0 });
        let tasks: Vec<Task> = (0..4).map(task).collect();
        let body = |index: u64| -> Body {
            let (counter, total) = (Arc::clone(&counter), Arc::clone(&total));
            each_job(move |context| {
                for round in 0..ROUNDS {
                    context.lock(R);
                    counter.add_one();
                    // Some last for long enough that decisions meet them.
                    (0..if round % 100 == 0 { 1_000 } else { 0 }).for_each(|_| std::hint::spin_loop());
                    context.unlock(R);
                    // Some time outside, of different lengths: meetings are rare, but happen.
                    (0..(round * (index + 3)) % 400).for_each(|_| std::hint::spin_loop());
                }
                total.fetch_add(ROUNDS, Relaxed);
            })
        };
        let bodies = (0..4).map(body).collect();
        let Some(outcome) = (Run { locks, ..Run::of(tasks, scheduler, 2, 500, bodies) }).go() else { return };
        // SAFETY: all threads are done.
        let counted = unsafe { counter.0.get().read() };
        let least = total.load(Relaxed);
        assert!((least..=least + 4 * ROUNDS).contains(&counted), "run {index}: {counted} of {least}");
        let (did, others) = inputs(&outcome);
        println!("run {index}: {counted} sections, {did} noticed, {others} other inputs");
        // How many there are, and whether a decision meets one, depends on how fast the machine is.
        assert!(
            least > 10_000 && did > 0 || is_too_noisy(&outcome),
            "run {index}: {least} in all, {did} noticed"
        );
        let unasked = others < least as usize;
        assert!(unasked || is_too_noisy(&outcome), "run {index}: most are taken without asking");
    }
}

/// The urgent job never begins within a section of the other.
#[test]
fn no_decision_misses_a_non_preemptive_section() {
    let inside = Arc::new(AtomicU64::new(0));
    let (entered, seen) = (Arc::clone(&inside), Arc::clone(&inside));
    let broken = Arc::new(AtomicU64::new(0));
    let breaks = Arc::clone(&broken);
    let sections = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&sections);
    let bodies: Vec<Body> = vec![
        each_job(move |_| {
            breaks.fetch_add(seen.load(Relaxed), Relaxed);
            burn(30);
        }),
        each_job(move |context| loop {
            context.enter_non_preemptive();
            entered.store(1, Relaxed);
            let length = count.fetch_add(1, Relaxed) % 500;
            (0..length).for_each(|_| std::hint::spin_loop());
            entered.store(0, Relaxed);
            context.exit_non_preemptive();
        }),
    ];
    let mut urgent = task(1, 1, 1);
    urgent.wcet = Work::from_ns(100_000);
    let tasks = vec![urgent, task(1_000, 10_000, 10_000)];
    let Some(outcome) = run(tasks, "P-EDF", 1, 800, bodies) else { return };
    let (did, others) = inputs(&outcome);
    let all = sections.load(Relaxed);
    println!("{all} sections, {did} noticed, {others} other inputs");
    assert!(outcome.summary.jobs_completed >= 600 || is_too_noisy(&outcome), "{:?}", outcome.summary);
    assert_eq!(broken.load(Relaxed), 0, "a job began within a section of another");
    assert!(did > 50 && did as u64 * 10 < all || is_too_noisy(&outcome), "{did} of {all}");
}

/// Numbers of exits from sections that made no system call, one, or more, by which preempted threads of less urgent
/// jobs had delayed them.
#[derive(Default)]
struct Exits([AtomicU64; 3]);

impl Exits {
    fn add(&self, calls: u64) {
        self.0[calls.min(2) as usize].fetch_add(1, Relaxed);
    }

    fn take(&self) -> [u64; 3] {
        [0, 1, 2].map(|calls| self.0[calls].load(Relaxed))
    }
}

/// Runs one urgent job a millisecond beside jobs that are hardly ever outside of sections, on each processor.
fn delaying(scheduler: &'static str, processors: u16) -> Option<([u64; 3], Outcome)> {
    let exits = Arc::new(Exits::default());
    let long = |_| -> Body {
        let exits = Arc::clone(&exits);
        each_job(move |context| loop {
            context.enter_non_preemptive();
            burn(150);
            let before = sys::calls();
            context.exit_non_preemptive();
            exits.add(sys::calls() - before);
        })
    };
    let urgent = Task { wcet: Work::from_ns(100_000), ..task(1, 1, 1) };
    let mut tasks = vec![urgent];
    tasks.extend((0..processors).map(|_| task(1_000, 10_000, 10_000)));
    let mut bodies = vec![each_job(|_| burn(30))];
    bodies.extend((0..processors).map(long));
    let outcome = run(tasks, scheduler, processors, 500, bodies)?;
    let stopped =
        outcome.passages.iter().filter(|(_, job, passage)| job.task.0 > 0 && *passage == Passage::Stopped);
    println!("{scheduler}: exits by system calls {:?}, stopped {}", exits.take(), stopped.count());
    Some((exits.take(), outcome))
}

/// The thread that goes next was called when the decision met the section, so that the thread in the section opens a
/// gate as it leaves, and waits. It has to wake that thread itself if it made the decision that met it, or if that
/// thread was there for a moment, to find the gate shut.
#[test]
fn the_end_of_a_section_is_one_system_call_if_it_delayed_a_preemption_and_none_else() {
    for (scheduler, processors) in [("P-EDF", 1), ("G-EDF", 2)] {
        let Some(([none, one, more], outcome)) = delaying(scheduler, processors) else { return };
        let met = none > one && one > 200;
        assert!(met || is_too_noisy(&outcome), "{scheduler}: {none} exits without a call, {one} with one");
        // A thread that the host or another program kept from its place has to be woken once more.
        let with_more = more * 10 < one;
        assert!(with_more || is_too_noisy(&outcome), "{scheduler}: {more} exits with more than one call");
    }
}
