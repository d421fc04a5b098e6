//! Random interleavings of more threads than loom can explore, under shuttle: mutual exclusion, first come first
//! served, and that none waits for ever.

extern crate alloc;

mod inner {
    pub(crate) use shuttle::sync::atomic::AtomicU64 as Inner;
    pub(crate) use shuttle::thread_local;
}
#[path = "explored/counted.rs"]
mod counted;
#[path = "explored/left_out.rs"]
mod left_out;
#[macro_use]
#[path = "explored/shuttle_sync.rs"]
mod sync;
#[path = "explored/sources.rs"]
#[allow(dead_code, reason = "not every test uses all of them")]
mod sources;

use core::ops::Range;
use shuttle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use shuttle::sync::{Arc, Mutex};
use shuttle::thread;
use sources::{ArrayLock, Entry, FastSection, FastSections, McsLock, Node, QueueLock, Ring, TicketLock};

const THREADS: usize = 5;
const ROUNDS: usize = 3;
const SCHEDULES: usize = 300;

/// A value under a lock, and a count of the threads in there.
struct Shared<L> {
    lock: L,
    inside: AtomicU32,
    value: AtomicU32,
}

impl<L> Shared<L> {
    /// The critical section: no other is in it, and no addition is lost.
    fn section(&self) {
        assert_eq!(self.inside.fetch_add(1, SeqCst), 0, "two threads hold the lock");
        let value = self.value.load(SeqCst);
        thread::yield_now();
        self.value.store(value + 1, SeqCst);
        assert_eq!(self.inside.fetch_sub(1, SeqCst), 1);
    }
}

fn explore<L: Send + Sync + 'static>(new: fn() -> L, round: fn(&Shared<L>)) {
    let system = move || {
        let shared = Arc::new(Shared { lock: new(), inside: AtomicU32::new(0), value: AtomicU32::new(0) });
        let spawn = |_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || (0..ROUNDS).for_each(|_| round(&shared)))
        };
        let threads: Vec<_> = (0..THREADS).map(spawn).collect();
        for thread in threads {
            thread.join().expect("it does not panic");
        }
        assert_eq!(shared.value.load(SeqCst) as usize, THREADS * ROUNDS);
    };
    shuttle::check_random(system, SCHEDULES);
    shuttle::check_pct(system, SCHEDULES, 3);
}

fn round<L: QueueLock>(shared: &Shared<L>) {
    let place = shared.lock.enter();
    shared.lock.wait(place);
    shared.section();
    // SAFETY: the place was granted.
    unsafe { shared.lock.leave(place) };
}

#[test]
fn threads_take_turns_at_the_ticket_lock() {
    explore(TicketLock::new, round);
}

#[test]
fn threads_take_turns_at_the_array_lock() {
    explore(ArrayLock::<8>::new, round);
}

#[test]
fn more_threads_than_places_take_turns_at_the_array_lock() {
    explore(ArrayLock::<2>::new, round);
}

#[test]
fn threads_take_turns_at_the_mcs_lock() {
    explore(McsLock::new, |shared| {
        let node = &mut Node::new();
        // SAFETY: the node stays here until it was left.
        unsafe {
            if !shared.lock.enter(node) {
                shared.lock.wait(node);
            }
            shared.section();
            shared.lock.leave(node);
        }
    });
}

/// More writers than places, and a reader all the while.
#[test]
fn a_ring_tears_nothing() {
    let system = || {
        let ring = Arc::new(Ring::<2>::new(4));
        let all = (THREADS * ROUNDS) as u64;
        let writer = {
            let ring = Arc::clone(&ring);
            thread::spawn(move || (1..=all).filter(|n| ring.write([*n, 2 * n])).count())
        };
        let mut last = 0;
        let mut take = |[number, double]: [u64; 2]| {
            assert!(number > last && double == 2 * number, "torn or out of order");
            last = number;
        };
        ring.read(&mut take);
        thread::yield_now();
        ring.read(&mut take);
        let written = writer.join().unwrap();
        ring.read(&mut take);
        assert_eq!(written as u64 + ring.lost(), all);
    };
    shuttle::check_random(system, SCHEDULES);
}

/// Threads with gates, and what the deciding thread knows of them.
struct Gated {
    fast_sections: FastSections,
    gates: Vec<AtomicU32>,
    known: Mutex<Known>,
    inside: AtomicU32,
}

#[derive(Default)]
struct Known {
    /// By thread: true if it is in a non-preemptive section, or holds the mutex, so that its gate stays open.
    protected: Vec<bool>,
    holder: Option<usize>,
    /// Number of threads that want or hold the mutex, as far as it is known.
    asked: u32,
}

const GATED: usize = 3;

impl Gated {
    fn may(&self, me: usize) -> bool {
        self.gates[me].load(SeqCst) == 1
    }

    /// Decides something, having noticed the fast sections of threads with open gates.
    fn decide<T>(&self, what: impl FnOnce(&mut Known) -> T) -> T {
        self.decide_about(0..GATED, what)
    }

    /// Decides something that concerns these threads, having noticed the fast sections of those that have open gates.
    fn decide_about<T>(&self, threads: Range<usize>, what: impl FnOnce(&mut Known) -> T) -> T {
        let mut known = self.known.lock().unwrap();
        self.fast_sections.begin();
        if threads.clone().filter(|thread| self.fast_sections.revoke(*thread)).count() > 0 {
            thread::yield_now();
        }
        for thread in threads.filter(|thread| self.may(*thread)) {
            if let Some(found) = self.fast_sections.notice(thread, |_| Some(0), thread::yield_now) {
                assert!(!known.protected[thread], "it is noticed once");
                known.protected[thread] = true;
                if found == FastSection::Resource(7) {
                    assert_eq!(known.holder.replace(thread), None, "two threads took the mutex");
                    known.asked += 1;
                }
            }
        }
        let result = what(&mut known);
        self.fast_sections.end();
        result
    }

    /// Shuts and opens gates of threads that are not protected.
    fn toggle(&self, thread: usize) {
        self.decide(|known| {
            let open = self.may(thread);
            if !(open && known.protected[thread]) {
                self.gates[thread].store(u32::from(!open), SeqCst);
            }
        });
    }

    /// Executes a section: the gate is open all the while.
    fn section(&self, me: usize) {
        for _ in 0..2 {
            assert!(self.may(me), "a section was cut");
            thread::yield_now();
        }
    }

    fn non_preemptive(&self, me: usize) {
        let entry = self.fast_sections.enter(me, || self.may(me));
        if entry == Entry::Refused {
            // Asks until it executes.
            while !self.decide(|known| {
                known.protected[me] |= self.may(me);
                known.protected[me]
            }) {
                self.toggle_if_shut(me);
            }
            self.section(me);
            return self.decide(|known| known.protected[me] = false);
        }
        self.wait_for_gate(me);
        self.section(me);
        if entry == Entry::Noticed || !self.fast_sections.exit(me) {
            self.decide_about(me..me + 1, |known| assert!(std::mem::take(&mut known.protected[me])));
        }
    }

    /// A thread whose gate is shut executes nothing: only the look at its gate was too late.
    fn wait_for_gate(&self, me: usize) {
        while !self.may(me) {
            self.toggle_if_shut(me);
        }
    }

    fn toggle_if_shut(&self, me: usize) {
        self.decide(|_| self.gates[me].store(1, SeqCst));
        thread::yield_now();
    }

    fn exclusive(&self, me: usize) {
        let fast = self.fast_sections.take(me, 7, 0, || self.may(me));
        if !fast {
            let mut has_asked = false;
            while !self.decide(|known| {
                if self.may(me) && !has_asked {
                    has_asked = true;
                    known.asked += 1;
                    if known.asked == 1 {
                        self.fast_sections.close(0);
                    }
                }
                let granted = has_asked && self.may(me) && known.holder.is_none();
                if granted {
                    known.holder = Some(me);
                    known.protected[me] = true;
                }
                granted
            }) {
                self.toggle_if_shut(me);
            }
        }
        assert_eq!(self.inside.fetch_add(1, SeqCst), 0, "two threads hold the mutex");
        self.section(me);
        assert_eq!(self.inside.fetch_sub(1, SeqCst), 1);
        if !fast || !self.fast_sections.give(me, 0) {
            self.decide(|known| {
                assert_eq!(known.holder.take(), Some(me));
                known.protected[me] = false;
                known.asked -= 1;
                if known.asked == 0 {
                    self.fast_sections.open(0);
                }
            });
        }
    }
}

fn explore_fast_sections(work: fn(&Gated, usize)) {
    let system = move || {
        let known = Known { protected: vec![false; GATED], ..Known::default() };
        let shared = Arc::new(Gated {
            fast_sections: FastSections::new(GATED, 1, false),
            gates: (0..GATED).map(|_| AtomicU32::new(1)).collect(),
            known: Mutex::new(known),
            inside: AtomicU32::new(0),
        });
        let workers = (0..GATED).map(|me| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || (0..ROUNDS).for_each(|_| work(&shared, me)))
        });
        let workers: Vec<_> = workers.collect();
        for round in 0..6 {
            shared.toggle(round % GATED);
            thread::yield_now();
        }
        for thread in 0..GATED {
            shared.decide(|_| shared.gates[thread].store(1, SeqCst));
        }
        for worker in workers {
            worker.join().unwrap();
        }
        shared.decide(|known| assert!(known.asked == 0 && !known.protected.contains(&true)));
        assert!(!shared.fast_sections.is_closed(0));
    };
    shuttle::check_random(system, 20 * SCHEDULES);
}

#[test]
fn no_decision_misses_a_section() {
    explore_fast_sections(Gated::non_preemptive);
}

#[test]
fn what_is_taken_without_asking_excludes_all_others() {
    explore_fast_sections(Gated::exclusive);
}
