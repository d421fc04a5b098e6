//! When a processor's timer thread has to report the time to the engine.
//!
//! The thread waits for a timer of its own, which other threads set. So postponing an alarm does not wake the timer
//! thread. Mostly the thread only stands in, and sleeps as long as the owners of timers report in time.

use crate::machine::sys::{self, FileTimer};
use std::io;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The alarm of one processor's timer thread.
///
/// A thread that sets the alarm changes `due`, then looks at `set_for`. The timer thread changes `set_for` and sets the
/// timer, then looks at `due` once more. So one of both sees what the other one wants.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// The time at which the alarm is due, by the monotonic clock.
    due: AtomicU64,
    /// The time for which the timer was last set: not later than the alarm is due.
    set_for: AtomicU64,
    timer: FileTimer,
    /// The machine's number of the alarm's processor, where the timer thread is.
    processor: usize,
}

/// How much later than the owner of a timer the timer thread stands in for it, in nanoseconds. A thread that is kept
/// from its report for so long is out of the kernel's hands.
const STAND_IN: u64 = 5_000_000;

/// How much earlier than the timer thread stands in the timer may fire, in nanoseconds. The thread then finds nothing
/// due. So not every event sets the timer anew.
const EARLIER: u64 = 4_000_000;

/// A time that has passed long ago: the timer fires at once, and its thread sets it anew.
const AT_ONCE: u64 = 1;

impl Alarm {
    /// The alarm of the processor with this number of the machine, due at no time.
    pub(crate) fn of(processor: usize) -> io::Result<Self> {
        let (due, set_for) = (AtomicU64::new(u64::MAX), AtomicU64::new(u64::MAX));
        Ok(Alarm { due, set_for, timer: FileTimer::new()?, processor })
    }

    /// Makes the alarm due at `due`.
    pub(crate) fn set(&self, due: u64) {
        self.set_from(due, sys::current_processor() == self.processor);
    }

    /// Makes the alarm due at `due`, from its own processor or (`here` is false) from another one. A timer fires on the
    /// processor where it was set: from another one, this wakes the timer thread to set it.
    fn set_from(&self, due: u64, here: bool) {
        self.due.store(due, SeqCst);
        let set_for = self.set_for.load(SeqCst);
        if here && set_for != due {
            self.start(due);
        } else if !here && set_for > due {
            self.start(AT_ONCE);
        }
    }

    /// Makes the alarm stand in for a task's thread that reports the time at `due`: it is due later than that, if by
    /// then no thread has set it anew.
    pub(crate) fn stand_in(&self, due: u64) {
        let due = due.saturating_add(STAND_IN);
        self.due.store(due, SeqCst);
        let set_for = self.set_for.load(SeqCst);
        if set_for > due || set_for < due - EARLIER {
            self.start(due);
        }
    }

    fn start(&self, at: u64) {
        self.set_for.store(at, SeqCst);
        self.timer.set(at);
    }

    /// Wakes the alarm's timer thread.
    pub(crate) fn wake(&self) {
        self.start(AT_ONCE);
    }

    /// Sleeps until the alarm is due, and returns when it was. It is due no more then, until it is set again. `None`
    /// once the run is `over`.
    pub(crate) fn sleep(&self, over: &AtomicBool) -> Option<u64> {
        loop {
            let due = self.due.load(SeqCst);
            if due <= sys::monotonic_ns() {
                // If this fails, the alarm was set anew at this moment.
                if self.due.compare_exchange(due, u64::MAX, SeqCst, SeqCst).is_ok() {
                    return Some(due);
                }
                continue;
            }
            self.start(due);
            // Not before the timer is set: the thread that ends the run wakes this one, and would do so in vain.
            if over.load(SeqCst) {
                return None;
            }
            if self.due.load(SeqCst) == due {
                self.timer.wait();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    const DUE: u64 = 10 * STAND_IN;

    /// An alarm whose timer is set for `set_for`; and what the timer is set for after `does`.
    fn set(set_for: u64, does: impl Fn(&Alarm)) -> (Alarm, u64) {
        let alarm = Alarm::of(0).unwrap();
        alarm.set_for.store(set_for, SeqCst);
        does(&alarm);
        let set_for = alarm.set_for.load(SeqCst);
        (alarm, set_for)
    }

    fn taken(alarm: &Alarm) -> Option<u64> {
        alarm.sleep(&AtomicBool::new(false))
    }

    #[test]
    fn on_its_own_processor_the_timer_is_set_for_each_alarm() {
        for due in [DUE - 1, DUE, DUE + 1] {
            let (alarm, set_for) = set(DUE, |alarm| alarm.set_from(due, true));
            assert_eq!(set_for, due);
            assert_eq!(taken(&alarm), Some(due), "it has passed long ago");
            assert_eq!(alarm.due.load(SeqCst), u64::MAX, "it is due no more");
        }
    }

    #[test]
    fn from_another_processor_an_earlier_alarm_wakes_the_thread_and_a_later_one_does_not() {
        for (due, expected) in [(DUE - 1, AT_ONCE), (DUE, DUE), (DUE + 1, DUE)] {
            let (alarm, set_for) = set(DUE, |alarm| alarm.set_from(due, false));
            assert_eq!((set_for, taken(&alarm)), (expected, Some(due)));
        }
    }

    /// The timer is left alone as long as it fires in time, and not too soon.
    #[test]
    fn a_stand_in_is_never_late_and_seldom_early() {
        let at = DUE + STAND_IN;
        let cases = [
            (at, at),
            (at - 1, at - 1),
            (at - EARLIER, at - EARLIER),
            (at - EARLIER - 1, at),
            (at + 1, at),
            (u64::MAX, at),
            (AT_ONCE, at),
        ];
        for (set_for, expected) in cases {
            let (alarm, set_for) = set(set_for, |alarm| alarm.stand_in(DUE));
            assert_eq!((set_for, taken(&alarm)), (expected, Some(at)));
        }
    }

    /// The run ends after the thread has looked whether it is over, and before it sleeps. Nothing is due any more.
    #[test]
    fn a_thread_that_would_sleep_as_the_run_ends_does_not() {
        let (over, alarm) = (AtomicBool::new(false), Alarm::of(0).unwrap());
        over.store(true, SeqCst);
        alarm.wake();
        assert_eq!(alarm.sleep(&over), None);
    }

    /// The result of a thread that sleeps when `does` happens.
    fn sleeper(over: &Arc<AtomicBool>, does: impl Fn(&Alarm)) -> Option<u64> {
        let alarm = Arc::new(Alarm::of(0).unwrap());
        let sleeper = thread::spawn({
            let (alarm, over) = (Arc::clone(&alarm), Arc::clone(over));
            move || alarm.sleep(&over)
        });
        sys::sleep_until(sys::monotonic_ns() + 20_000_000);
        does(&alarm);
        let patience = sys::monotonic_ns() + 10_000_000_000;
        while !sleeper.is_finished() && sys::monotonic_ns() < patience {
            sys::sleep_until(sys::monotonic_ns() + 1_000_000);
        }
        assert!(sleeper.is_finished(), "no thread looks at the alarm");
        sleeper.join().unwrap()
    }

    /// A timer thread that had nothing to wait for reports, or stands in a little later.
    #[test]
    fn a_thread_that_sleeps_without_an_alarm_notices_the_first() {
        let due = sys::monotonic_ns() + 21_000_000;
        for here in [true, false] {
            assert_eq!(sleeper(&Arc::default(), |alarm| alarm.set_from(due, here)), Some(due));
        }
        assert_eq!(sleeper(&Arc::default(), |alarm| alarm.stand_in(due)), Some(due + STAND_IN));
    }

    /// A timer thread whose alarm is put off sleeps on when its timer fires; and the end of the run wakes it.
    #[test]
    fn a_thread_whose_alarm_is_put_off_sleeps_until_the_run_ends() {
        let over = Arc::default();
        let slept = sleeper(&over, |alarm| {
            // Nothing that keeps the threads of this test waiting makes the alarm due.
            let never = sys::monotonic_ns() + 1_000_000_000_000;
            alarm.set_from(never, true);
            alarm.stand_in(never);
            for _ in 0..8 {
                alarm.timer.set(AT_ONCE);
                sys::sleep_until(sys::monotonic_ns() + 2_000_000);
            }
            over.store(true, SeqCst);
            alarm.wake();
        });
        assert_eq!(slept, None);
    }
}
