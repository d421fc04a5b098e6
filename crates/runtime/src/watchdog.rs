//! Ends a run in which real-time threads starve the machine.
//!
//! A canary on each processor, at the default policy, has to sing now and then. A thread above all others listens: if one is
//! silent for too long, it takes all tasks' threads their priority and stops the run. (A kernel that lets ordinary threads
//! run for a part of each second keeps the canaries alive; then the machine is not starved either.)

use crate::gate::Gate;
use crate::sys;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Between two songs of a canary, and two looks of the watchdog, in nanoseconds.
const BEAT: u64 = 50_000_000;

/// The watchdog's real-time priority: the highest that there is.
pub(crate) const PRIORITY: u8 = 99;

/// Says why a run was stopped before its horizon; set once.
#[derive(Debug, Default)]
pub(crate) struct Alert {
    starved: AtomicBool,
    over: AtomicBool,
}

impl Alert {
    /// True if the machine was starved.
    pub fn is_starved(&self) -> bool {
        self.starved.load(SeqCst)
    }
}

/// The watchdog and its canaries.
pub(crate) struct Watchdog {
    alert: Arc<Alert>,
    threads: Vec<JoinHandle<()>>,
}

impl Watchdog {
    /// Listens on `processors` from now on, and disarms `gates` if one is silent for `limit`.
    pub fn start(processors: &[usize], gates: Arc<Vec<Gate>>, limit: Duration) -> Self {
        let alert = Arc::new(Alert::default());
        let songs: Arc<Vec<AtomicU64>> =
            Arc::new(processors.iter().map(|_| AtomicU64::new(sys::monotonic_ns())).collect());
        let mut threads = Vec::new();
        for (at, processor) in processors.iter().copied().enumerate() {
            let (alert, songs) = (Arc::clone(&alert), Arc::clone(&songs));
            threads.push(thread::spawn(move || {
                let _ = sys::set_affinity(sys::current_thread(), processor);
                while !alert.over.load(SeqCst) {
                    songs[at].store(sys::monotonic_ns(), SeqCst);
                    sys::sleep_until(sys::monotonic_ns() + BEAT);
                }
            }));
        }
        let listening = Arc::clone(&alert);
        threads.push(thread::spawn(move || {
            let _ = sys::set_fifo(sys::current_thread(), PRIORITY);
            while !listening.over.load(SeqCst) {
                sys::sleep_until(sys::monotonic_ns() + BEAT);
                let oldest = songs.iter().map(|song| song.load(SeqCst)).min().unwrap_or(u64::MAX);
                if sys::monotonic_ns().saturating_sub(oldest) > sys::ns(limit) {
                    disarm(&gates);
                    listening.starved.store(true, SeqCst);
                    return;
                }
            }
        }));
        Watchdog { alert, threads }
    }

    /// What it found so far.
    pub fn alert(&self) -> &Alert {
        &self.alert
    }

    /// Stops listening.
    pub fn stop(self) {
        self.alert.over.store(true, SeqCst);
        for thread in self.threads {
            thread.join().expect("a canary does not panic");
        }
    }
}

/// No task's thread is real-time from now on.
pub(crate) fn disarm(gates: &[Gate]) {
    for thread in gates.iter().filter_map(Gate::thread) {
        // It fails only if the thread is gone.
        let _ = sys::set_other(thread);
    }
}
