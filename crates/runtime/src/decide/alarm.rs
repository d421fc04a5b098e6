//! When a processor's timer thread has to tell the engine of the time.

use crate::machine::sys;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

/// One processor's alarm.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// When it is due, by the monotonic clock.
    due: AtomicU64,
    /// Changes when the sleeping thread ought to look again.
    changes: AtomicU32,
    /// When the sleeping thread will look again.
    sleeps_until: AtomicU64,
}

/// How much later than a task's thread that tells of the same event the timer thread stands in for it, in nanoseconds. It wakes up once in
/// such a time if that thread tells; a thread that is kept from it for so long is out of the kernel's hands.
const STAND_IN: u64 = 5_000_000;

impl Default for Alarm {
    fn default() -> Self {
        Alarm {
            due: AtomicU64::new(u64::MAX),
            changes: AtomicU32::new(0),
            sleeps_until: AtomicU64::new(u64::MAX),
        }
    }
}

impl Alarm {
    /// It is due at `due`; a thread that sleeps until later is woken.
    pub(crate) fn set(&self, due: u64) {
        self.due.store(due, SeqCst);
        if self.sleeps_until.load(SeqCst) > due {
            self.wake();
        }
    }

    /// A task's thread tells of what happens at `due`. The alarm goes off later, if by then no thread has set it anew.
    pub(crate) fn stand_in(&self, due: u64) {
        self.set(due.saturating_add(STAND_IN));
    }

    /// It went off: it is due no more, until it is set again. Says when it was due.
    pub(crate) fn clear(&self) -> u64 {
        self.due.swap(u64::MAX, SeqCst)
    }

    /// Wakes the sleeping thread.
    pub(crate) fn wake(&self) {
        self.changes.fetch_add(1, SeqCst);
        sys::futex_wake(&self.changes);
    }

    /// Sleeps until the alarm is due or [`Alarm::wake`], but not once the run is `over`. True if it is due.
    pub(crate) fn sleep(&self, over: &AtomicBool) -> bool {
        let seen = self.changes.load(SeqCst);
        // Not before: the run may end between the two looks, and its wake-up would be missed.
        if over.load(SeqCst) {
            return false;
        }
        // A thread that sets the alarm after this sees that it would be noticed too late, and wakes.
        self.sleeps_until.store(u64::MAX, SeqCst);
        let due = self.due.load(SeqCst);
        self.sleeps_until.store(due, SeqCst);
        if due > sys::monotonic_ns() {
            sys::futex_wait(&self.changes, seen, Some(due));
        }
        self.due.load(SeqCst) <= sys::monotonic_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    /// An alarm whose thread looks at `looks`, and how often what `does` to it wakes that thread.
    fn woken(looks: u64, does: impl Fn(&Alarm)) -> (Alarm, u32) {
        let alarm = Alarm::default();
        alarm.due.store(looks, SeqCst);
        alarm.sleeps_until.store(looks, SeqCst);
        does(&alarm);
        let woken = alarm.changes.load(SeqCst);
        (alarm, woken)
    }

    #[test]
    fn an_earlier_alarm_wakes_the_sleeping_thread_and_a_later_one_does_not() {
        for (due, expected) in [(999, 1), (1_000, 0), (1_001, 0)] {
            let (alarm, woken) = woken(1_000, |alarm| alarm.set(due));
            assert_eq!((alarm.clear(), woken), (due, expected));
            assert_eq!(alarm.clear(), u64::MAX, "it is due no more");
        }
    }

    /// The timer thread looks once more by itself if it wakes up before.
    #[test]
    fn who_stands_in_is_woken_if_it_would_look_too_late() {
        let due = 10 * STAND_IN;
        let cases = [(due, 0), (due + STAND_IN, 0), (due + STAND_IN + 1, 1), (u64::MAX, 1)];
        for (looks, expected) in cases {
            let (alarm, woken) = woken(looks, |alarm| alarm.stand_in(due));
            assert_eq!((alarm.clear(), woken), (due + STAND_IN, expected), "it looks at {looks}");
        }
    }

    /// The run ends after the thread has looked whether it is over, and before it sleeps. Nothing is due any more.
    #[test]
    fn who_would_sleep_as_the_run_ends_does_not() {
        let (over, alarm) = (AtomicBool::new(false), Alarm::default());
        over.store(true, SeqCst);
        alarm.wake();
        assert!(!alarm.sleep(&over));
    }

    /// A timer thread that had nothing to wait for stands in all the same, a little later.
    #[test]
    fn a_thread_that_sleeps_without_an_alarm_stands_in() {
        let (alarm, rang) = (Arc::new(Alarm::default()), Arc::new(AtomicBool::new(false)));
        let sleeper = thread::spawn({
            let (alarm, rang) = (Arc::clone(&alarm), Arc::clone(&rang));
            move || {
                while !alarm.sleep(&AtomicBool::new(false)) {}
                let due = alarm.clear();
                rang.store(true, SeqCst);
                due
            }
        });
        sys::sleep_until(sys::monotonic_ns() + 20_000_000);
        let due = sys::monotonic_ns() + 1_000_000;
        alarm.stand_in(due);
        let patience = due + 10_000_000_000;
        while !rang.load(SeqCst) && sys::monotonic_ns() < patience {
            sys::sleep_until(sys::monotonic_ns() + 1_000_000);
        }
        let noticed = rang.load(SeqCst);
        alarm.set(0);
        assert!(noticed, "no thread looks at the alarm");
        assert_eq!(sleeper.join().unwrap(), due + STAND_IN);
    }
}
