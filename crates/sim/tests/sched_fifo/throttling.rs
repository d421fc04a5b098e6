//! Throttling: drawn by hand, against the kernel's functions, and no processor executes for more than its runtime.

use super::*;
use schedlab_policy::pfair::Affinity;
use schedlab_policy::Throttling;
use schedlab_sim::{simulate, NoLocks};
use support::{ideal, periodic, platform, policies_made};

fn throttled(tasks: &[Task], name: &str, processors: u16, horizon: u64, of: (u64, u64)) -> Timeline {
    let platform = platform(schedlab_policy::find(name).unwrap().scope, processors, 2);
    let (runtime, period) = (Duration::from_ns(of.0), Duration::from_ns(of.1));
    let throttling = Some(Throttling { runtime, period });
    let policies = policies_made(Affinity::default(), throttling, name, &platform, tasks);
    assert!(of.0 == of.1 || policies[0].promises().is_empty());
    let mut timeline = Timeline::default();
    let setup = ideal(tasks.to_vec(), platform, horizon);
    simulate(setup, policies, NoLocks, periodic(tasks), &mut timeline);
    timeline
}

fn drawn(tasks: &[Task], processors: u16, horizon: u64, of: (u64, u64)) -> String {
    draw(&throttled(tasks, "SCHED_FIFO", processors, horizon, of), processors, horizon)
}

fn after(offset: u64, mut task: Task) -> Task {
    task.offset = Instant::from_ns(offset);
    task
}

/// A runtime of 3 of 5, and a job of 7.
#[test]
fn a_processor_stops_when_its_runtime_is_used() {
    let alone = with_priority(7, 20, 1);
    assert_eq!(drawn(std::slice::from_ref(&alone), 1, 12, (3, 5)), "AAA..AAA..A.");
    // What is left of a period's runtime is lost. From 4 on there are 1, 3 and 3 to be had.
    assert_eq!(drawn(&[after(4, alone)], 1, 16, (3, 5)), "....AAAA..AAA...");
    // The runtime is the processor's, not a thread's: B, less urgent, waits as A does.
    let two = [with_priority(2, 10, 1), with_priority(3, 10, 2)];
    assert_eq!(drawn(&two, 1, 10, (3, 5)), "AAB..BB...");
    assert_eq!(drawn(&two, 1, 10, (5, 5)), "AABBB.....");
    // Complete as the runtime ends: the next job of the same thread has to wait, too.
    assert_eq!(drawn(&[with_priority(3, 4, 1)], 1, 14, (3, 5)), "AAA..AAA..AAA.");
}

/// The example of the policy's file, and its neighbours: threads of a stopped processor stay there.
#[test]
fn nothing_is_pulled_from_a_stopped_processor() {
    let (urgent, one, other) = (with_priority(7, 40, 1), with_priority(2, 40, 2), with_priority(2, 40, 3));
    let waits = [urgent.clone(), after(2, one.clone()), after(2, other.clone())];
    assert_eq!(drawn(&waits, 2, 11, (3, 5)), "AAA..AAA..A / ..BB.CC....");
    // P1 is idle before P0 stops: it pulls C.
    let pulled = [urgent.clone(), after(0, one.clone()), after(1, other.clone())];
    assert_eq!(drawn(&pulled, 2, 11, (3, 5)), "AAA..AAA..A / BBC..C.....");
    // C wakes up where it slept, on the stopped P0, although P1 is idle.
    let wakes = [urgent, one, after(3, other)];
    assert_eq!(drawn(&wakes, 2, 11, (3, 5)), "AAA..AAA..A / BB...CC....");
}

/// A non-preemptive section goes on where the processor has stopped, and what it used beyond the runtime is owed.
#[test]
fn what_a_section_overruns_is_owed() {
    let program =
        [Step::NpEnter, Step::Execute(Work::from_ns(6)), Step::NpExit, Step::Execute(Work::from_ns(4))];
    let holder = Task { program: program.to_vec(), ..with_priority(10, 40, 1) };
    // Of the first period 2 are owed at 5. So the second has 1, which is used at 6, when the section ends.
    assert_eq!(drawn(&[holder], 1, 20, (3, 5)), "AAAAAA....AAA..A....");
}

/// Random systems: the model is the kernel's functions taken literally, and no processor executes for more than the
/// runtime from one replenishment to the next. Bound threads are the same on each processor.
#[test]
fn as_the_kernel_throttles() {
    let (mut stopped, mut idle) = (0, 0);
    for seed in 0..3_000 {
        let mut random = Draw(seed);
        let processors = 1 + random.below(4) as u16;
        let tasks = random.tasks(seed % 3 == 0);
        let period = 2 + random.below(12);
        let of = (1 + random.below(period), period);
        let found = drawn(&tasks, processors, HORIZON, of);
        let mut literally = Literally::new(&tasks, processors.into());
        literally.rt_bandwidth = Some(of);
        assert_eq!(found, literally.drawn(HORIZON), "seed {seed}: {of:?} {tasks:?}");
        check_windows(&found, of);
        let free = super::drawn(&tasks, "SCHED_FIFO", processors).1;
        assert!(of.0 < of.1 || found == free, "seed {seed}");
        stopped += usize::from(found != free);
        idle += usize::from(of.0 < of.1 && found == free);
    }
    println!("{stopped} systems were throttled, {idle} might have been");
    assert!(stopped > 1_000 && idle > 50, "{stopped} {idle}");
}

fn check_windows(found: &str, (runtime, period): (u64, u64)) {
    for row in found.split(" / ") {
        for window in row.as_bytes().chunks(period as usize) {
            let executed = window.iter().filter(|letter| **letter != b'.').count();
            assert!(executed as u64 <= runtime, "{row}: {executed} of {runtime} in {period}");
        }
    }
}

#[test]
fn bound_threads_are_throttled_by_themselves() {
    for seed in 0..500 {
        let mut random = Draw(seed);
        let mut tasks = random.tasks(seed % 2 == 0);
        tasks.iter_mut().enumerate().for_each(|(index, task)| task.cluster = ClusterId(index as u16 % 2));
        let period = 2 + random.below(12);
        let of = (1 + random.below(period), period);
        let found = draw(&throttled(&tasks, "P-SCHED_FIFO", 2, HORIZON, of), 2, HORIZON);
        check_windows(&found, of);
        for (cluster, row) in found.split(" / ").enumerate() {
            let mut alone = tasks.clone();
            let here = |index: usize| index % 2 == cluster;
            let letters: Vec<char> = (0..tasks.len()).filter(|index| here(*index)).map(letter).collect();
            let mut index = 0..;
            alone.retain(|_| here(index.next().unwrap()));
            alone.iter_mut().for_each(|task| task.cluster = ClusterId(0));
            let one = drawn(&alone, 1, HORIZON, of);
            let named = one.chars().map(|c| if c == '.' { c } else { letters[(c as u8 - b'A') as usize] });
            assert_eq!(row, named.collect::<String>(), "seed {seed}: {of:?} {tasks:?}");
        }
    }
}

fn letter(task: usize) -> char {
    char::from(b'A' + task as u8)
}

/// With the whole period nothing is different, byte for byte.
#[test]
fn the_whole_period_is_no_throttling() {
    for seed in 0..300 {
        let mut random = Draw(seed);
        let tasks = random.tasks(seed % 2 == 0);
        let processors = 1 + random.below(3) as u16;
        let period = 1 + random.below(9);
        let whole = throttled(&tasks, "SCHED_FIFO", processors, HORIZON, (period, period));
        let none = run(tasks, "SCHED_FIFO", processors, HORIZON);
        assert_eq!(whole.records, none.records, "seed {seed}");
    }
}
