//! What is due is reported though another thread is at the engine: every interleaving of one that leaves it with one
//! that is to report, under loom.

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
use loom::sync::atomic::AtomicU64;
use loom::sync::{Arc, Notify};
use loom::thread;
use sources::{Due, QueueLock, TicketLock};

/// An engine, and a timer of the kernel that a thread waits for.
struct Shared {
    lock: TicketLock,
    due: Due,
    /// The time that was reported to the engine. Only its holder reaches it: loom reports two accesses of which neither
    /// happens before the other.
    reported: UnsafeCell<u64>,
    timer: Notify,
}

/// The time when the timer fires, which is at once.
const NOW: u64 = 7;

impl Shared {
    fn new() -> Arc<Self> {
        let (lock, due) = (TicketLock::new(), Due::default());
        // What it has set before is not due.
        due.expect(u64::MAX, || ());
        Arc::new(Shared { lock, due, reported: UnsafeCell::new(0), timer: Notify::new() })
    }

    /// Expects what is due at once, as a thread that asks the engine for anything else does.
    fn ask(&self) {
        let position = self.lock.enter();
        self.lock.wait(position);
        self.due.expect(NOW, || self.timer.notify());
        // SAFETY: the position was granted.
        unsafe { self.lock.leave(position) };
        self.catch_up();
    }

    fn catch_up(&self) {
        self.due.catch_up(|| self.lock.try_enter(), |position| self.report(position));
    }

    /// Reports what is due.
    fn report(&self, position: <TicketLock as QueueLock>::Position) {
        // SAFETY: the test is whether this is exclusive; loom checks it.
        self.reported.with_mut(|reported| unsafe { *reported = NOW });
        self.due.expect(u64::MAX, || ());
        // SAFETY: the position was granted.
        unsafe { self.lock.leave(position) };
    }

    /// A timer thread.
    fn be_timer(&self) {
        self.timer.wait();
        if self.due.by(|| NOW).is_some() {
            self.due.announce();
            self.catch_up();
        }
    }

    fn reported(&self) -> u64 {
        // SAFETY: all threads have ended.
        self.reported.with(|reported| unsafe { *reported })
    }
}

/// The timer goes off while the thread that has set it is still at the engine, or just leaves it.
#[test]
fn what_rings_at_once_is_told_of() {
    loom::model(|| {
        let shared = Shared::new();
        let timer = Arc::clone(&shared);
        let timer = thread::spawn(move || timer.be_timer());
        shared.ask();
        timer.join().unwrap();
        assert_eq!(shared.reported(), NOW);
    });
}

/// A second thing happens while a thread reports the first.
#[test]
fn what_becomes_due_while_a_thread_tells_is_told_of() {
    loom::model(|| {
        let (shared, clock) = (Shared::new(), Arc::new(AtomicU64::new(1)));
        let report = |shared: &Shared, clock: &AtomicU64| {
            shared.due.announce();
            let enter = || shared.lock.try_enter();
            shared.due.catch_up(enter, |place| {
                let now = clock.load(SeqCst);
                // SAFETY: as above.
                shared.reported.with_mut(|reported| unsafe { *reported = now });
                // SAFETY: the position was granted.
                unsafe { shared.lock.leave(place) };
            });
        };
        let (others, its) = (Arc::clone(&shared), Arc::clone(&clock));
        let other = thread::spawn(move || {
            its.store(2, SeqCst);
            report(&others, &its);
        });
        report(&shared, &clock);
        other.join().unwrap();
        assert_eq!(shared.reported(), 2);
    });
}
