//! Every interleaving of two threads that lock twice each, and of three that lock once, under loom.
//!
//! Loom also explores what the memory model allows beyond interleavings; a missing acquire or release makes the
//! value's accesses race, which loom's cell reports.

extern crate alloc;

#[path = "explored/left_out.rs"]
mod left_out;
#[macro_use]
#[path = "explored/loom_sync.rs"]
mod sync;
#[path = "explored/sources.rs"]
#[allow(dead_code, reason = "not every test uses all of them")]
mod sources;

use core::sync::atomic::Ordering::SeqCst;
use loom::cell::UnsafeCell;
use loom::sync::atomic::{fence, AtomicU32};
use loom::sync::{Arc, Mutex};
use loom::thread;
use sources::{
    ArrayLock, Entry, FastSection, FastSections, Latch, McsLock, Node, QueueLock, Ring, StopTheWorld,
    TicketLock,
};

/// A value under a lock: loom reports two accesses of which neither happens before the other.
struct Shared<L> {
    lock: L,
    value: UnsafeCell<u32>,
}

impl<L> Shared<L> {
    fn new(lock: L) -> Arc<Self> {
        Arc::new(Shared { lock, value: UnsafeCell::new(0) })
    }

    fn add_one(&self) {
        // SAFETY: the test is whether this is exclusive; loom checks it.
        self.value.with_mut(|value| unsafe { *value += 1 });
    }

    fn value(&self) -> u32 {
        // SAFETY: all threads have ended.
        self.value.with(|value| unsafe { *value })
    }
}

/// `threads` threads, one of them the caller, do `work` on the same lock.
fn run<L: Send + Sync + 'static>(shared: &Arc<Shared<L>>, threads: usize, work: fn(&Shared<L>)) {
    let spawn = |_| {
        let shared = Arc::clone(shared);
        thread::spawn(move || work(&shared))
    };
    let others: Vec<_> = (1..threads).map(spawn).collect();
    work(shared);
    for other in others {
        other.join().expect("it does not panic");
    }
}

fn lock_once<L: QueueLock>(shared: &Shared<L>) {
    let place = shared.lock.enter();
    shared.lock.wait(place);
    shared.add_one();
    // SAFETY: the place was granted.
    unsafe { shared.lock.leave(place) };
}

fn try_once<L: QueueLock>(shared: &Shared<L>) -> u32 {
    let Some(place) = shared.lock.try_enter() else { return 0 };
    shared.add_one();
    // SAFETY: the place was granted.
    unsafe { shared.lock.leave(place) };
    1
}

/// With a node that was used before, or not.
fn lock_mcs(shared: &Shared<McsLock>, node: &mut Node) {
    // SAFETY: the node stays where it is until it was left.
    unsafe {
        if !shared.lock.enter(node) {
            shared.lock.wait(node);
        }
        shared.add_one();
        shared.lock.leave(node);
    }
}

fn check<L: QueueLock + Send + 'static>(new: fn() -> L) {
    loom::model(move || {
        let shared = Shared::new(new());
        run(&shared, 2, |shared| {
            lock_once(shared);
            lock_once(shared);
        });
        assert_eq!(shared.value(), 4);
    });
}

fn check_attempts<L: QueueLock + Send + 'static>(new: fn() -> L) {
    loom::model(move || {
        let shared = Shared::new(new());
        let other = Arc::clone(&shared);
        let other = thread::spawn(move || lock_once(&other));
        let mine = try_once(&shared) + try_once(&shared);
        other.join().expect("it does not panic");
        assert_eq!(shared.value(), 1 + mine);
    });
}

#[test]
fn two_threads_lock_the_ticket_lock_twice() {
    check(TicketLock::new);
    check_attempts(TicketLock::new);
}

#[test]
fn two_threads_lock_the_array_lock_twice() {
    check(ArrayLock::<2>::new);
    check_attempts(ArrayLock::<2>::new);
}

#[test]
fn an_array_lock_bears_more_waiters_than_places() {
    check(ArrayLock::<1>::new);
}

fn two_lock_the_mcs_lock_twice() {
    let shared = Shared::new(McsLock::new());
    run(&shared, 2, |shared| {
        let mut node = Node::new();
        lock_mcs(shared, &mut node);
        lock_mcs(shared, &mut node);
    });
    assert_eq!(shared.value(), 4);
}

#[test]
fn two_threads_lock_the_mcs_lock_twice_with_few_preemptions() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(two_lock_the_mcs_lock_twice);
}

#[test]
#[ignore = "37 s, every interleaving: each change runs those of at most two preemptions, `make soak` these"]
fn two_threads_lock_the_mcs_lock_twice() {
    loom::model(two_lock_the_mcs_lock_twice);
}

#[test]
fn two_threads_lock_the_mcs_lock_once() {
    loom::model(|| {
        let shared = Shared::new(McsLock::new());
        run(&shared, 2, |shared| lock_mcs(shared, &mut Node::new()));
        assert_eq!(shared.value(), 2);
    });
}

#[test]
fn an_attempt_at_the_mcs_lock_waits_for_nobody() {
    loom::model(|| {
        let shared = Shared::new(McsLock::new());
        let other = Arc::clone(&shared);
        let other = thread::spawn(move || lock_mcs(&other, &mut Node::new()));
        let mut node = Node::new();
        // SAFETY: the node stays where it is until it was left.
        let mine = unsafe { shared.lock.try_enter(&mut node) };
        if mine {
            shared.add_one();
            // SAFETY: it was granted.
            unsafe { shared.lock.leave(&mut node) };
        }
        other.join().expect("it does not panic");
        assert_eq!(shared.value(), 1 + u32::from(mine));
    });
}

/// A writer and a reader of a ring with two places: no record is torn, and each is read or counted as lost.
#[test]
fn a_ring_tears_nothing() {
    loom::model(|| {
        let ring = Arc::new(Ring::<2>::new(2));
        let writer = {
            let ring = Arc::clone(&ring);
            thread::spawn(move || (1..=4).filter(|n| ring.write([*n, 2 * n])).count())
        };
        let (mut read, mut last) = (0, 0);
        let mut take = |[a, b]: [u64; 2]| {
            assert!(b == 2 * a && a > last, "torn or out of order: {a} {b} after {last}");
            last = a;
            read += 1;
        };
        ring.read(&mut take);
        ring.read(&mut take);
        let written = writer.join().unwrap();
        ring.read(&mut take);
        assert_eq!((read, written as u64 + ring.lost()), (written, 4));
    });
}

/// A thread enters and leaves a section while another decides: either the decision notices the section, and then the
/// thread has to report that it left, or it does not, and then they never overlap. Several processors:
/// `loom_fast_sections.rs`.
fn decide_beside_a_section_on_one_processor() {
    let fast_sections = Arc::new(FastSections::new(1, 0, true));
    // What the section protects from a decision that has not noticed it.
    let value = Arc::new(UnsafeCell::new(0));
    let worker = {
        let (fast_sections, value) = (Arc::clone(&fast_sections), Arc::clone(&value));
        thread::spawn(move || {
            let (mut entered, mut said) = (0, 0);
            for _ in 0..2 {
                let entry = fast_sections.enter(0, || true);
                if entry != Entry::Refused {
                    // SAFETY: the test is whether this is exclusive; loom checks it.
                    value.with_mut(|value| unsafe { *value += 1 });
                    entered += 1;
                    said += u32::from(entry == Entry::Noticed || !fast_sections.exit(0));
                }
            }
            (entered, said)
        })
    };
    fast_sections.begin();
    let noticed = fast_sections.notice(0, |_| None, || fence(SeqCst));
    if noticed.is_none() {
        // SAFETY: as above.
        value.with_mut(|value| unsafe { *value += 10 });
    }
    fast_sections.end();
    let (entered, said) = worker.join().unwrap();
    assert_eq!(said, u32::from(noticed == Some(FastSection::NonPreemptive)), "of {entered} sections");
}

#[test]
fn no_decision_on_one_processor_misses_a_section_or_its_end() {
    loom::model(decide_beside_a_section_on_one_processor);
}

/// A thread whose gate is shut, which it does not know yet, begins no fast section.
#[test]
fn who_may_not_execute_has_to_ask() {
    loom::model(|| {
        let fast_sections = FastSections::new(1, 1, false);
        assert_eq!(fast_sections.enter(0, || false), Entry::Refused);
        assert!(!fast_sections.take(0, 4, 0, || false) && !fast_sections.is_closed(0));
        assert_eq!(fast_sections.notice(0, |_| Some(0), || fence(SeqCst)), None);
        assert!(fast_sections.enter(0, || true) == Entry::Entered && fast_sections.exit(0));
        assert!(
            fast_sections.take(0, 4, 0, || true) && fast_sections.is_closed(0) && fast_sections.give(0, 0)
        );
    });
}

/// `deciders` threads of one processor decide `times` times each; another processor executes whenever it does not
/// stand.
fn decide_beside_a_processor(deciders: usize, times: usize) {
    let world = Arc::new(StopTheWorld::new(2));
    let engine = Arc::new(Mutex::new(()));
    // What the processor writes when it executes, and decisions when it stands.
    let value = Arc::new(UnsafeCell::new(0));
    let decider = || {
        let (world, engine, value) = (Arc::clone(&world), Arc::clone(&engine), Arc::clone(&value));
        move || {
            for _ in 0..times {
                let _engine = engine.lock().expect("no thread panics");
                world.begin(Some(1), |_| (), thread::yield_now);
                // SAFETY: the test is whether this is exclusive; loom checks it.
                value.with_mut(|value| unsafe { *value += 1 });
                world.end();
            }
        }
    };
    let threads: Vec<_> = (0..deciders).map(|_| thread::spawn(decider())).collect();
    for _ in 0..deciders * times {
        // SAFETY: as above.
        value.with_mut(|value| unsafe { *value += 10 });
        while !world.stand(0, thread::yield_now) {
            thread::yield_now();
        }
    }
    for thread in threads {
        thread.join().expect("it does not panic");
    }
    // SAFETY: all threads have ended.
    assert_eq!(value.with(|value| unsafe { *value }), 11 * deciders * times);
}

#[test]
fn the_world_stands_still_while_one_decides() {
    loom::model(|| decide_beside_a_processor(1, 2));
}

#[test]
fn the_world_stands_still_for_one_after_the_other() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| decide_beside_a_processor(2, 1));
}

/// A futex of loom's: a thread that waits compares the word before it sleeps, with no wake in between.
#[derive(Default)]
struct Futex {
    queue: Mutex<()>,
    woken: loom::sync::Condvar,
}

impl Futex {
    fn wait(&self, word: &AtomicU32, value: u32) {
        let queue = self.queue.lock().unwrap();
        if word.load(SeqCst) == value {
            // It returns now and then for no reason, as a condition variable may.
            drop(self.woken.wait(queue).unwrap());
        }
    }

    fn wake(&self) {
        let _queue = self.queue.lock().unwrap();
        self.woken.notify_all();
    }
}

/// A thread that sleeps at a latch gets through, whatever others do before they leave it open: loom reports a thread
/// that sleeps for ever.
fn pass_beside(preemptions: Option<usize>, steps: fn(&Latch, &dyn Fn())) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        let shared = Arc::new((Latch::shut(), Futex::default()));
        let thread = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let (latch, futex) = &*shared;
                while latch.word() == 0 {
                    latch.sleep(|word, value| futex.wait(word, value));
                }
            })
        };
        let (latch, futex) = &*shared;
        steps(latch, &|| futex.wake());
        thread.join().unwrap();
    });
}

#[test]
fn a_latch_that_is_opened_lets_a_thread_through() {
    pass_beside(None, |latch, wake| {
        latch.set(1, |_| wake());
    });
}

#[test]
fn a_thread_that_was_called_gets_through() {
    pass_beside(None, |latch, wake| {
        latch.wake_early(|_| wake());
        latch.set(1, |_| wake());
    });
}

#[test]
fn a_thread_that_was_called_in_vain_gets_through_later() {
    pass_beside(Some(3), |latch, wake| {
        latch.wake_early(|_| wake());
        latch.set(0, |_| wake());
        latch.wake_early(|_| wake());
        latch.set(1, |_| wake());
    });
}

#[test]
fn a_latch_that_is_shut_once_more_lets_a_thread_through_later() {
    pass_beside(Some(3), |latch, wake| {
        latch.wake_early(|_| wake());
        latch.set(1, |_| wake());
        latch.set(0, |_| wake());
        latch.wake_early(|_| wake());
        latch.set(2, |_| wake());
    });
}
