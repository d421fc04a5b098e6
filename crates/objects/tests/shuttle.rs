//! Random interleavings of more threads than loom can explore, under shuttle: mutual exclusion, first come first
//! served, and that nobody waits for ever.

#[macro_use]
#[path = "explored/shuttle_sync.rs"]
mod sync;
#[path = "explored/sources.rs"]
#[allow(dead_code, reason = "not every test uses all of them")]
mod sources;

use shuttle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use shuttle::sync::Arc;
use shuttle::thread;
use sources::{ArrayLock, McsLock, Node, QueueLock, TicketLock};

const THREADS: usize = 5;
const ROUNDS: usize = 3;
const SCHEDULES: usize = 300;

/// What the lock protects, and who is in there.
struct Shared<L> {
    lock: L,
    inside: AtomicU32,
    value: AtomicU32,
}

impl<L> Shared<L> {
    /// The critical section: nobody else is in it, and no addition is lost.
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
