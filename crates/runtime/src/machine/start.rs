//! The start, where a run's threads wait at an ordinary priority until all of them exist.

use crate::machine::sys::{self, Tid};
use std::sync::{Condvar, Mutex, MutexGuard};

/// The signal for which the threads wait.
#[derive(Clone, Copy, Debug)]
enum Signal {
    /// Time zero, by the monotonic clock.
    Zero(u64),
    /// The run is refused.
    CalledOff,
}

#[derive(Debug, Default)]
struct State {
    /// The thread that came last, until the one that creates them has seen it.
    came: Option<Tid>,
    signal: Option<Signal>,
}

/// A start that all threads of a run wait for.
#[derive(Debug, Default)]
pub(crate) struct Start {
    state: Mutex<State>,
    changed: Condvar,
}

impl Start {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics in here")
    }

    /// Waits at the start, as one of the run's threads. Returns time zero, or nothing if the run is refused.
    pub(crate) fn wait(&self) -> Option<u64> {
        let mut state = self.state();
        state.came = Some(sys::current_thread());
        self.changed.notify_all();
        loop {
            match state.signal {
                Some(Signal::Zero(zero)) => return Some(zero),
                Some(Signal::CalledOff) => return None,
                None => state = self.changed.wait(state).expect("no thread panics in here"),
            }
        }
    }

    /// Waits until a thread that was just created is there.
    pub(crate) fn meet(&self) -> Tid {
        let mut state = self.state();
        loop {
            match state.came.take() {
                Some(thread) => return thread,
                None => state = self.changed.wait(state).expect("no thread panics in here"),
            }
        }
    }

    /// Lets all threads go.
    pub(crate) fn go(&self, zero: u64) {
        self.signal(Signal::Zero(zero));
    }

    /// Ends all threads, because the run is refused.
    pub(crate) fn call_off(&self) {
        self.signal(Signal::CalledOff);
    }

    fn signal(&self, signal: Signal) {
        self.state().signal = Some(signal);
        self.changed.notify_all();
    }
}
