//! Sporadic server of POSIX: the class `SCHED_SPORADIC`.
//!
//! IEEE Std 1003.1-2017, System Interfaces, 2.8.4, *Scheduling Policies*:
//!
//! * A thread that becomes ready, or whose budget returns while it is ready without any, notes the time: its
//!   *activation*.
//! * A thread that waits again, or has used all its budget, gets back what it has used since its activation, a period
//!   after the activation.
//! * A budget is never larger than the initial one: what exceeds it is lost.
//! * A thread without budget goes on at its low priority. Here that is below all tasks: the background.
//!
//! The active interval is that of the thread, and not of its priority: more urgent work before it does not count. The
//! number of replenishments to come is not limited here (`sched_ss_max_repl`).
//!
//! M. Stanovic, T. Baker, A. Wang and M. Harbour, *Defects of the POSIX sporadic server and how to correct them*, RTAS
//! 2010, name its defects:
//!
//! * *Premature replenishment*: budget that returns while the thread is ready with some counts as used since the
//!   activation, and returns again too early. The example of `sporadic.rs` ends in the same way.
//! * *Budget amplification*: a thread that overruns its budget, as the clock's resolution allows, gets the overrun back
//!   as budget. No thread overruns its budget here.
//! * *Unreliable isolation*: the low priority may be above that of other tasks, which then have no protection from the
//!   thread. The background is below all tasks here.

use super::{pop_if, Grant, Replenishment};
use alloc::collections::VecDeque;
use schedlab_model::{Duration, Instant, Work};

/// A thread of `SCHED_SPORADIC`.
#[derive(Clone, Debug)]
pub(super) struct PosixSporadic {
    budget: Work,
    period: Duration,
    left: Work,
    activation: Instant,
    /// What the thread has used since its activation.
    used: Work,
    /// Replenishments to come, by time.
    due: VecDeque<(Instant, Work)>,
}

impl PosixSporadic {
    pub(super) fn new(budget: Work, period: Duration) -> Self {
        let (activation, used, due) = (Instant::ZERO, Work::ZERO, VecDeque::new());
        PosixSporadic { budget, period, left: budget, activation, used, due }
    }

    /// Schedules the replenishment of what was used since the activation. A time that is past is due at once.
    fn schedule(&mut self) {
        let used = core::mem::take(&mut self.used);
        if !used.is_zero() {
            self.due.push_back((self.activation + self.period, used));
        }
    }
}

impl Replenishment for PosixSporadic {
    fn wake(&mut self, now: Instant) {
        self.activation = now;
    }

    fn rest(&mut self, _: Instant) {
        self.schedule();
    }

    fn spend(&mut self, _: Instant, used: Work) {
        self.left -= used;
        self.used += used;
        if self.left.is_zero() {
            self.schedule();
        }
    }

    fn settle(&mut self, now: Instant, pending: bool) {
        while let Some((_, amount)) = pop_if(&mut self.due, |(at, _)| *at <= now) {
            if self.left.is_zero() && pending {
                self.activation = now;
            }
            self.left = (self.left + amount).min(self.budget);
        }
    }

    fn grant(&self) -> Grant {
        Grant::of(self.left)
    }

    fn next(&self, _: bool) -> Option<Instant> {
        self.due.front().map(|(at, _)| *at)
    }
}
