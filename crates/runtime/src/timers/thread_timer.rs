//! The timer of a task's thread: while the thread executes, the timer's signal interrupts it, and it reports the time
//! to the engine.

use crate::machine::sys::{self, Timer};
use schedlab_objects::TimerSignal;
use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::OnceLock;

/// Reports the time to the engine.
pub(crate) trait ReportsTime {
    /// Reports that what was due at `due`, by the monotonic clock, happens. The calling thread is in the runtime's
    /// code.
    fn report_time(&self, due: u64);
}

thread_local! {
    /// The reporter of the calling thread. The initial value is constant and has no destructor, so that a signal's
    /// handler can read it.
    static REPORTER: Cell<Option<&'static dyn ReportsTime>> = const { Cell::new(None) };
}

/// While this guard exists, its thread reports the time by the reporter that the guard borrows.
pub(crate) struct Reporting<'a>(#[allow(dead_code, reason = "it borrows the reporter")] &'a dyn ReportsTime);

impl Drop for Reporting<'_> {
    fn drop(&mut self) {
        REPORTER.with(|mine| mine.set(None));
    }
}

/// Has the calling thread report the time by `reporter`, until the guard goes away.
pub(crate) fn report_by(reporter: &dyn ReportsTime) -> Reporting<'_> {
    // SAFETY: the guard, which borrows `reporter`, takes it back before that goes away; a signal's handler of this
    // thread alone looks at it.
    let forever = unsafe { std::mem::transmute::<&dyn ReportsTime, &'static dyn ReportsTime>(reporter) };
    REPORTER.with(|mine| mine.set(Some(forever)));
    Reporting(reporter)
}

/// Reports, in a handler of the calling thread, that what was due at `due` happens.
pub(crate) fn report_time(due: u64) {
    REPORTER.with(Cell::get).into_iter().for_each(|reporter| reporter.report_time(due));
}

/// The timer of one thread, which the deciding thread sets, and whose signal that thread handles.
#[derive(Debug, Default)]
pub(crate) struct ThreadTimer {
    signal: TimerSignal,
    timer: OnceLock<Timer>,
    /// The thread has asked for its first job. Its code before that may allocate, and must not decide.
    is_allowed: AtomicBool,
}

impl ThreadTimer {
    /// Creates the timer for the calling thread. Where the system has no room for a timer the thread gets none, and
    /// timer threads report the time instead.
    pub(crate) fn create(&self) {
        if let Ok(timer) = Timer::of(sys::current_thread()) {
            let _ = self.timer.set(timer);
        }
    }

    /// Allows the timer to interrupt the calling thread, which is in the runtime's code, from now on.
    pub(crate) fn allow(&self) {
        self.is_allowed.store(true, SeqCst);
    }

    /// True if the thread has a timer, and may be interrupted by it.
    pub(crate) fn is_ready(&self) -> bool {
        self.timer.get().is_some() && self.is_allowed.load(SeqCst)
    }

    /// Starts the timer, which is ready, for a thread that executes: it reports the time at `due`, by the monotonic
    /// clock.
    pub(crate) fn start(&self, due: u64) {
        let timer = self.timer.get().expect("the timer is ready");
        self.signal.set(due, |due| timer.start(due));
    }

    /// Stops the timer, if it was started.
    pub(crate) fn stop(&self) {
        if let Some(timer) = self.timer.get() {
            self.signal.unset(|| timer.stop());
        }
    }

    /// Notes, in the signal's handler, that the timer fired while the thread is in the runtime's code.
    pub(crate) fn note(&self) {
        self.signal.note();
    }

    /// Takes what is due if the timer fired while the thread could not report that, as it can now.
    #[inline]
    pub(crate) fn take_noted(&self) -> Option<u64> {
        self.signal.take_noted(sys::monotonic_ns)
    }

    /// Reports, in the signal's handler of a thread in its job's code, what is due.
    pub(crate) fn report_if_due(&self) {
        self.signal.take(sys::monotonic_ns()).into_iter().for_each(report_time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Remembers what was reported.
    #[derive(Default)]
    struct Remembers(RefCell<Vec<u64>>);

    impl ReportsTime for Remembers {
        fn report_time(&self, due: u64) {
            self.0.borrow_mut().push(due);
        }
    }

    /// The signal's default action is to be ignored, so the test calls what a handler would.
    #[test]
    fn what_is_due_is_reported_once_by_the_threads_reporter() {
        let (timer, reporter) = (ThreadTimer::default(), Remembers::default());
        timer.create();
        assert!(!timer.is_ready(), "it is not allowed yet");
        timer.allow();
        assert!(timer.is_ready());
        let reporting = report_by(&reporter);
        timer.report_if_due();
        assert!(reporter.0.borrow().is_empty(), "nothing is due");
        let due = sys::monotonic_ns();
        timer.start(due);
        assert_eq!(timer.take_noted(), None, "no signal was noted");
        timer.report_if_due();
        timer.report_if_due();
        assert_eq!(reporter.0.take(), [due], "once");
        timer.start(due);
        timer.note();
        assert_eq!((timer.take_noted(), timer.take_noted()), (Some(due), None));
        timer.start(due);
        timer.note();
        timer.stop();
        assert_eq!(timer.take_noted(), None, "it was stopped");
        drop(reporting);
        timer.start(due);
        timer.report_if_due();
        assert!(reporter.0.borrow().is_empty(), "the thread has no reporter any more");
    }
}
