//! Ends a run in which real-time threads starve the machine.
//!
//! A canary on each processor, at the default policy, has to sing now and then. A thread above all others watches: if a
//! canary is silent for too long, it takes the priorities of all tasks' threads away and stops the run. (A kernel that
//! lets ordinary threads run for a part of each second keeps the canaries alive; then the machine is not starved
//! either.) The watchdog also ends a run that stands still for as long (see [`crate::run::standstill`]).

use crate::engine::enforcer::Enforcer;
use crate::machine::start::Start;
use crate::machine::sys;
use crate::options::WATCHDOG;
use crate::run::standstill::Standstill;
use schedlab_model::Instant;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Time between two songs of a canary, and between two looks of the watchdog, in nanoseconds.
const BEAT: u64 = 50_000_000;

/// Delay of the watchdog's look, in nanoseconds, from which on the machine stood still: no other thread delays it so
/// long.
const LATE: u64 = 20_000_000;

/// The reason why a run was stopped before its horizon; set once.
#[derive(Debug, Default)]
pub(crate) struct Alert {
    starved: AtomicBool,
    stands_still: AtomicBool,
    ends: AtomicBool,
    over: AtomicBool,
}

impl Alert {
    /// True if the machine was starved.
    pub(super) fn is_starved(&self) -> bool {
        self.starved.load(SeqCst)
    }

    /// True if the run stood still, and all threads were let go.
    pub(super) fn stands_still(&self) -> bool {
        self.stands_still.load(SeqCst)
    }

    /// States that the run ends: from now on its engines decide no more.
    pub(super) fn note_end(&self) {
        self.ends.store(true, SeqCst);
    }
}

/// The time in which no thread could execute since `from`, in nanoseconds: no task keeps a canary silent then.
fn stood_still_since(from: u64, late: &Mutex<Vec<(u64, u64)>>) -> u64 {
    let late = late.lock().expect("no thread panics in here");
    late.iter().rev().take_while(|(_, to)| *to > from).map(|(look, to)| to - look).sum()
}

/// The state that the watchdog and its canaries share; their threads are the run's (see [`crate::run::crew`]).
pub(crate) struct Watchdog {
    alert: Arc<Alert>,
    /// By processor: when its canary sang last.
    songs: Arc<Vec<AtomicU64>>,
    enforcer: Arc<dyn Enforcer + Send>,
    limit: Duration,
    /// The looks to which the watchdog came back far too late, by the monotonic clock: from its last look on, until
    /// when.
    late: Arc<Mutex<Vec<(u64, u64)>>>,
}

impl Watchdog {
    /// A watchdog over `processors`, which has `enforcer` make the threads of tasks ordinary ones if a canary is silent
    /// for `limit`.
    pub(super) fn new(processors: &[usize], enforcer: Arc<dyn Enforcer + Send>, limit: Duration) -> Self {
        let songs = Arc::new(processors.iter().map(|_| AtomicU64::new(0)).collect());
        Watchdog { alert: Arc::default(), songs, enforcer, limit, late: Arc::default() }
    }

    /// The code of the canary on the processor `index` of the run: it is bound there.
    pub(super) fn canary(&self, index: usize) -> impl FnOnce(&Start) + Send + 'static {
        let (alert, songs) = (Arc::clone(&self.alert), Arc::clone(&self.songs));
        move |start| {
            if start.wait().is_none() {
                return;
            }
            while !alert.over.load(SeqCst) {
                songs[index].store(sys::monotonic_ns(), SeqCst);
                sys::sleep_until(sys::monotonic_ns() + BEAT);
            }
        }
    }

    /// The code of the watchdog's thread, above all others. `standstill` looks at the watchdog's run.
    pub(super) fn listener(&self, mut standstill: Standstill) -> impl FnOnce(&Start) + Send + 'static {
        let (alert, songs, enforcer) =
            (Arc::clone(&self.alert), Arc::clone(&self.songs), Arc::clone(&self.enforcer));
        let (late, limit) = (Arc::clone(&self.late), sys::ns(self.limit));
        move |start| {
            if start.wait().is_none() {
                return;
            }
            // A canary that never sings is silent from now on.
            let begin = sys::monotonic_ns();
            // Without its priority it waits behind others.
            let is_above_all = sys::priority_of(sys::current_thread()).is_ok_and(|own| own == WATCHDOG);
            while !alert.over.load(SeqCst) {
                let look = sys::monotonic_ns();
                sys::sleep_until(look + BEAT);
                let now = sys::monotonic_ns();
                if is_above_all && now > look + BEAT + LATE {
                    late.lock().expect("no thread panics in here").push((look, now));
                }
                let oldest = songs.iter().map(|song| song.load(SeqCst)).min().unwrap_or(u64::MAX).max(begin);
                let silent = sys::monotonic_ns().saturating_sub(oldest);
                if silent.saturating_sub(stood_still_since(oldest, &late)) > limit {
                    enforcer.end();
                    alert.starved.store(true, SeqCst);
                    return;
                }
                // A thread that was let go may be stopped once more by a decision that went on.
                let so_long = u64::from(standstill.look(&alert.ends)).saturating_mul(BEAT) >= limit;
                if so_long || alert.stands_still() {
                    alert.stands_still.store(true, SeqCst);
                    standstill.let_all_go();
                }
            }
        }
    }

    /// The alert that the watchdog may have raised.
    pub(super) fn alert(&self) -> &Alert {
        &self.alert
    }

    /// The times when no thread of the run executed, on the clock of a run that began at `zero`.
    pub(super) fn stood_still(&self, zero: u64) -> Vec<(Instant, Instant)> {
        let at = |ns: u64| Instant::from_ns(ns.saturating_sub(zero));
        let late = self.late.lock().expect("no thread panics in here");
        late.iter().map(|(from, to)| (at(*from), at(*to))).collect()
    }

    /// Stops the watchdog; its threads end soon.
    pub(super) fn stop(&self) {
        self.alert.over.store(true, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time in which the machine stood still before the song does not excuse a canary; time after it does.
    #[test]
    fn a_machine_that_stood_still_was_not_starved() {
        let late = Mutex::new(vec![(100, 400), (500, 1_000), (2_000, 2_600)]);
        assert_eq!(stood_still_since(1_500, &late), 600);
        assert_eq!(stood_still_since(450, &late), 1_100);
        assert_eq!(stood_still_since(2_600, &late), 0);
    }
}
