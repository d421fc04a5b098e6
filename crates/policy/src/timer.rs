//! The timer of a policy that knows when it has to decide next.

use crate::decisions::{Decision, Decisions};
use schedlab_model::{Instant, TimerKey};

/// A timer of a policy; a policy with one timer has the default. The engine learns of changes alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timer {
    key: u32,
    due: Option<Instant>,
}

impl Timer {
    /// The timer with this key.
    pub(crate) fn of(key: u32) -> Timer {
        Timer { key, due: None }
    }

    /// Notes that the timer went off.
    pub(crate) fn went_off(&mut self) {
        self.due = None;
    }

    /// Sets the timer to `due`, or stops it.
    pub(crate) fn set(&mut self, due: Option<Instant>, out: &mut Decisions) {
        if due != self.due {
            self.due = due;
            out.push(Decision::Timer(TimerKey(self.key), due));
        }
    }
}

/// Returns the instant of `ns` nanoseconds; none for [`u64::MAX`], which never comes.
pub(crate) fn instant(ns: u64) -> Option<Instant> {
    Some(ns).filter(|ns| *ns < u64::MAX).map(Instant::from_ns)
}
