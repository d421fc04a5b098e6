//! What is due is reported, wherever the signal of a thread's timer meets it: every interleaving with threads that
//! decide, under loom.
//!
//! A handler interrupts its own thread between any two steps. So the model's thread looks, between its steps, whether a
//! signal is under way, and does then what the handler does.

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
use loom::sync::atomic::AtomicU64;
use loom::sync::{Arc, Mutex};
use loom::thread;
use sources::TimerSignal;

/// The state that a thread shares with those that decide.
struct Shared {
    timer: TimerSignal,
    clock: AtomicU64,
    /// A signal is under way: the kernel has a lock for that.
    signal: Mutex<bool>,
    /// The engine: up to when the time was reported to it.
    reported: Mutex<u64>,
}

impl Shared {
    fn new() -> Arc<Self> {
        let (clock, signal, reported) = (AtomicU64::new(0), Mutex::new(false), Mutex::new(0));
        Arc::new(Shared { timer: TimerSignal::new(), clock, signal, reported })
    }

    /// A thread decides at `now`, as all that is due by `before` has happened, and sets the timer for `now`, which is
    /// due at once.
    fn decide(&self, before: u64, now: u64) {
        let mut reported = self.reported.lock().unwrap();
        *reported = before.max(*reported);
        self.clock.store(now, SeqCst);
        self.timer.set(now, |_| *self.signal.lock().unwrap() = true);
    }

    fn report(&self, _due: u64) {
        let mut reported = self.reported.lock().unwrap();
        *reported = self.clock.load(SeqCst).max(*reported);
    }

    /// The signal meets the thread here, if it is under way.
    fn meet(&self, inside: bool) {
        if !std::mem::take(&mut *self.signal.lock().unwrap()) {
            return;
        }
        if inside {
            self.timer.note();
        } else if let Some(due) = self.timer.take(self.clock.load(SeqCst)) {
            self.report(due);
        }
    }

    /// The thread is in the runtime's code, where signals may meet it, and leaves it.
    fn be_inside(&self) {
        self.meet(true);
        self.meet(false);
        while let Some(due) = self.timer.take_noted(|| self.clock.load(SeqCst)) {
            self.meet(true);
            self.report(due);
            self.meet(true);
        }
    }
}

/// Others `decide` while a thread goes into the runtime's code and out again. Up to when the time was reported then.
fn reported_beside(decide: fn(&Shared), expected: u64) {
    loom::model(move || {
        let shared = Shared::new();
        let other = Arc::clone(&shared);
        let other = thread::spawn(move || decide(&other));
        shared.be_inside();
        shared.meet(false);
        shared.be_inside();
        other.join().unwrap();
        // The signal comes at the latest now, in the thread's own code.
        shared.meet(false);
        assert_eq!(*shared.reported.lock().unwrap(), expected);
    });
}

#[test]
fn what_is_due_is_reported_wherever_the_thread_is() {
    reported_beside(|shared| shared.decide(0, 1), 1);
}

/// The second one finds that what the timer was set for has happened, and sets it anew.
#[test]
fn a_timer_that_is_set_anew_fires_again() {
    reported_beside(
        |shared| {
            shared.decide(0, 1);
            shared.decide(1, 2);
        },
        2,
    );
}

/// Another thread reports; the signal may be under way already.
#[test]
fn a_timer_that_was_taken_back_harms_nothing() {
    reported_beside(
        |shared| {
            shared.decide(0, 1);
            *shared.reported.lock().unwrap() = 1;
            shared.timer.unset(|| *shared.signal.lock().unwrap() = false);
            shared.decide(1, 2);
        },
        2,
    );
}
