//! When a thread that sleeps at its gate wakes up by itself to report the time: it owns the domain's timer.

use crate::machine::sys;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;

/// No time.
const NEVER: u64 = u64::MAX;

/// The time until which one thread sleeps at most. The deciding thread sets it, and the thread itself takes what is
/// due.
#[derive(Debug)]
pub(crate) struct SleepTimer(AtomicU64);

impl SleepTimer {
    /// A timer that is not set.
    pub(crate) fn unset() -> Self {
        SleepTimer(AtomicU64::new(NEVER))
    }

    /// Has the thread report the time at `due`, by the monotonic clock, if it still sleeps then.
    pub(crate) fn set(&self, due: u64) {
        self.0.store(due, SeqCst);
    }

    /// The time at which the thread wakes up and reports, if it still sleeps then.
    pub(crate) fn due(&self) -> Option<u64> {
        Some(self.0.load(SeqCst)).filter(|due| *due != NEVER)
    }

    /// Takes `due`, for which the thread has slept, if that has passed. False if it has not, or the deciding thread has
    /// set another time meanwhile.
    pub(crate) fn take(&self, due: u64) -> bool {
        due <= sys::monotonic_ns() && self.0.compare_exchange(due, NEVER, SeqCst, SeqCst).is_ok()
    }

    /// Forgets what was set: the thread does not sleep any more.
    pub(crate) fn forget(&self) {
        self.0.store(NEVER, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_is_taken_once_and_in_time() {
        let timer = SleepTimer::unset();
        assert_eq!(timer.due(), None);
        let (past, future) = (sys::monotonic_ns(), sys::monotonic_ns() + 1_000_000_000_000);
        timer.set(future);
        assert!(!timer.take(future), "it is not due yet");
        assert!(!timer.take(past), "it was set anew");
        timer.set(past);
        assert!(timer.take(past));
        assert!(timer.due().is_none() && !timer.take(past), "once");
        timer.set(future);
        timer.forget();
        assert_eq!(timer.due(), None);
    }
}
