//! A ready thread executes where it is linked, and nowhere else; no link is lost.

use crate::support::{
    adopted, alone, become_fifo, bind, load, processors, settings, sleep_ms, state, until,
    until_without_sleep, Counter,
};
use schedlab_scx::{Follower, Settings};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;

/// Longest time after which a link must have become true. Emulated processors may stand still for a while.
const LIMIT_MS: u64 = 2_000;

/// Links processor n to `indices[n]`, and checks that exactly these threads execute, each on its processor.
fn check(follower: &Follower, counters: &[Counter], indices: &[u32]) {
    follower.relink((0..).zip(indices.iter().copied()));
    observe(counters, indices);
}

/// Checks that exactly the threads of `indices` execute, each on its processor, without a call that would kick any.
fn observe(counters: &[Counter], indices: &[u32]) {
    for (processor, index) in (0..).zip(indices.iter().copied()).filter(|(_, index)| *index != 0) {
        let linked = &counters[index as usize - 1];
        let executes = || linked.counts_within(1) && linked.processor() == processor;
        assert!(until(LIMIT_MS, executes), "index {index} does not execute on {processor}: {indices:?}");
    }
    let others = || (1..).zip(counters).filter(|(index, _)| !indices.contains(index));
    let quiet = || {
        let before: Vec<u64> = others().map(|(_, counter)| counter.counted()).collect();
        sleep_ms(20);
        others().map(|(_, counter)| counter.counted()).eq(before.iter().copied())
    };
    assert!(until(LIMIT_MS, quiet), "a thread without a link executes: {indices:?}");
}

#[test]
fn threads_execute_where_they_are_linked_and_nowhere_else() {
    let _alone = alone();
    become_fifo(60);
    let follower = load();
    let processors = processors();
    let counters = adopted(&follower, processors + 2);
    let count = processors + 2;
    for round in 0..20 {
        // One processor has no link in each round: neighbours take each other's threads.
        let indices: Vec<u32> = (0..processors)
            .map(|at| if at == round % processors { 0 } else { (round + at * (1 + round % 2)) % count + 1 })
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        let indices: Vec<u32> =
            indices.into_iter().map(|index| if seen.insert(index) { index } else { 0 }).collect();
        check(&follower, &counters, &indices);
    }
    let ending = follower.unload().expect("the kernel reports the end");
    assert!(ending.is_regular(), "{ending:?}");
}

#[test]
fn processors_that_swap_their_threads_lose_none() {
    let _alone = alone();
    become_fifo(60);
    let follower = load();
    let processors = processors();
    let counters = adopted(&follower, processors);
    for round in 0..60 {
        let indices: Vec<u32> = (0..processors).map(|at| (at + round) % processors + 1).collect();
        follower.relink((0..).zip(indices.iter().copied()));
        sleep_ms(u64::from(round % 3));
        if round % 10 == 9 {
            observe(&counters, &indices);
        }
    }
    drop(follower);
}

/// A thread of a real-time class holds the processor while its link changes: the thread that was there before must not
/// go on afterwards.
#[test]
fn a_link_that_changes_under_a_real_time_thread_becomes_true_after_it() {
    let _alone = alone();
    become_fifo(60);
    let follower = load();
    let counters = adopted(&follower, 2);
    for round in 0..40_u32 {
        let (before, after) = (round % 2 + 1, (round + 1) % 2 + 1);
        check(&follower, &counters, &[before]);
        let (holds, ends) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let holder = std::thread::spawn({
            let (holds, ends) = (holds.clone(), ends.clone());
            move || {
                become_fifo(50);
                bind(0);
                holds.store(true, SeqCst);
                while !ends.load(SeqCst) {}
            }
        });
        assert!(until(LIMIT_MS, || holds.load(SeqCst)), "the real-time thread executes");
        // This thread may be on another processor, or go before the one that holds it.
        follower.relink([(0, after)]);
        sleep_ms(2);
        ends.store(true, SeqCst);
        holder.join().unwrap();
        observe(&counters, &[after]);
    }
    drop(follower);
}

/// Threads become ready just as they are linked: either the link finds the ready thread, or the thread finds the link.
#[test]
fn a_thread_that_is_being_queued_is_not_overlooked() {
    let _alone = alone();
    become_fifo(60);
    let follower = load();
    let sleeps = || std::thread::sleep(std::time::Duration::from_micros(50));
    let counters: Vec<Counter> = (0..2).map(|_| Counter::doing(None, sleeps)).collect();
    for (index, counter) in (1..).zip(&counters) {
        follower.adopt(counter.thread, index).unwrap();
    }
    for round in 0..400_u32 {
        let index = round % 2 + 1;
        follower.relink([(0, index), (1, 3 - index)]);
        for counter in &counters {
            assert!(counter.counts_within(LIMIT_MS), "round {round}: a linked thread does not execute");
        }
        follower.relink([(0, 0), (1, 0)]);
    }
    drop(follower);
}

#[test]
fn a_section_keeps_the_processor_until_its_end() {
    let _alone = alone();
    become_fifo(60);
    let follower = Arc::new(load());
    let (in_section, leave) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let begin = Arc::new(AtomicBool::new(false));
    let holder = Counter::doing(Some(0), {
        let (follower, in_section, leave, begin) =
            (follower.clone(), in_section.clone(), leave.clone(), begin.clone());
        move || {
            if begin.swap(false, SeqCst) {
                follower.enter_section(1);
                in_section.store(true, SeqCst);
                // A test that fails must end, too.
                let _ = until_without_sleep(10_000, || leave.load(SeqCst));
                follower.leave_section(1);
            }
        }
    });
    let other = Counter::start(Some(0));
    for (index, counter) in [(1, &holder), (2, &other)] {
        follower.adopt(counter.thread, index).unwrap();
    }
    follower.relink([(0, 1)]);
    assert!(holder.counts_within(LIMIT_MS) && until(LIMIT_MS, || !other.counts_within(20)));
    begin.store(true, SeqCst);
    assert!(until(LIMIT_MS, || in_section.load(SeqCst)));
    follower.relink([(0, 2)]);
    assert!(until(LIMIT_MS, || follower.outside(0).kept > 0), "the kernel would have stopped the thread");
    let before = other.counted();
    sleep_ms(50);
    assert_eq!(other.counted(), before, "the section goes on");
    leave.store(true, SeqCst);
    assert!(other.counts_within(LIMIT_MS), "the link becomes true at the section's end");
    assert!(until(LIMIT_MS, || !holder.counts_within(20)), "and the thread without a link stops");
    // Each thread gets the processor once more, to end.
    for (index, counter) in [(1, holder), (2, other)] {
        follower.relink([(0, index)]);
        drop(counter);
    }
}

/// A thread at its gate keeps its processor until it sleeps, and wakes where it is linked meanwhile, not where it was.
#[test]
fn a_thread_that_sleeps_at_its_gate_wakes_where_it_is_linked() {
    let _alone = alone();
    become_fifo(60);
    let follower = Arc::new(load());
    let counter = Counter::doing(None, {
        let follower = follower.clone();
        move || {
            follower.enter_section(1);
            follower.wait_at_gate(1);
            sleep_ms(3);
            follower.enter_section(1);
            follower.leave_section(1);
        }
    });
    // It never stops: without its link, the sleeper would wait behind it.
    let busy = Counter::start(None);
    follower.adopt(counter.thread, 1).unwrap();
    follower.adopt(busy.thread, 2).unwrap();
    for round in 0..40 {
        let (here, there) = (round % 2, 1 - round % 2);
        follower.relink([(here, 1), (there, 2)]);
        let is_there = || counter.processor() == here && busy.processor() == there;
        assert!(counter.counts_within(LIMIT_MS) && busy.counts_within(LIMIT_MS), "round {round}");
        assert!(until(LIMIT_MS, is_there), "round {round}: not where it is linked");
    }
    drop(follower.unload());
}

/// A thread in a section sleeps in the kernel, its link goes, and another thread that never stops has the processor:
/// the section goes on all the same, since others may wait for it.
#[test]
fn a_section_that_has_slept_goes_on_without_its_link() {
    let _alone = alone();
    become_fifo(60);
    let follower = Arc::new(load());
    let begin = Arc::new(AtomicBool::new(false));
    let ended = Arc::new(AtomicBool::new(false));
    let holder = Counter::doing(None, {
        let (follower, begin, ended) = (follower.clone(), begin.clone(), ended.clone());
        move || {
            if begin.swap(false, SeqCst) {
                follower.enter_section(1);
                sleep_ms(30);
                ended.store(true, SeqCst);
                follower.leave_section(1);
            }
        }
    });
    let busy = Counter::start(None);
    follower.adopt(holder.thread, 1).unwrap();
    follower.adopt(busy.thread, 2).unwrap();
    for round in 0..10 {
        follower.relink([(0, 1), (1, 0)]);
        assert!(until(LIMIT_MS, || holder.counts_within(1) && holder.processor() == 0), "round {round}");
        begin.store(true, SeqCst);
        assert!(until(LIMIT_MS, || !begin.load(SeqCst)));
        follower.relink([(0, 2)]);
        assert!(until(LIMIT_MS, || ended.swap(false, SeqCst)), "round {round}: the section waits for ever");
        assert!(busy.counts_within(LIMIT_MS) && until(LIMIT_MS, || !holder.counts_within(20)));
    }
    drop(follower.unload());
}

/// A kernel thread that is bound to a processor goes before the task that never stops there: it needs no reserve,
/// without which any other thread starves until the kernel ejects the scheduler.
#[test]
fn bound_kernel_threads_go_before_tasks() {
    let _alone = alone();
    become_fifo(60);
    // The kernel has a worker of each processor add its counters up, and waits for all of them.
    let round = || std::fs::read("/proc/sys/vm/stat_refresh").expect("the test is root");
    // Workers that are missing are made now, by a thread that is not bound.
    (0..5).for_each(|_| drop(round()));
    let follower = Follower::load(&Settings { reserve_ns: 0, ..settings() }).unwrap();
    let counters = adopted(&follower, processors());
    let indices: Vec<u32> = (1..=processors()).collect();
    check(&follower, &counters, &indices);
    let kernel_ns = || (0..processors()).map(|at| follower.outside(at).kernel_ns).collect::<Vec<_>>();
    let before = kernel_ns();
    (0..5).for_each(|_| drop(round()));
    assert_eq!(state(), "enabled", "no bound thread has waited for the time-out");
    for (before, after) in before.iter().zip(kernel_ns()) {
        assert!(after > *before, "the time of kernel threads is counted");
    }
    drop(follower.unload());
}
