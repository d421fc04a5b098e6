//! Polling server.
//!
//! J. Lehoczky, L. Sha and J. Strosnider, *Enhanced aperiodic responsiveness in hard real-time environments*, RTSS
//! 1987; G. Buttazzo, *Hard Real-Time Computing Systems*, section 5.3:
//!
//! * A period begins at each multiple of the period. The server then has its whole budget if a client's job is pending,
//!   and none otherwise.
//! * A server without pending jobs loses what it has, until its next period.
//!
//! The server looks for jobs where its period begins, and not later when it would be dispatched first: texts that
//! describe the server as a periodic task differ there. A job that arrives just where a period begins is found. A job
//! that arrives just where the last pending one completes waits for the next period.
//!
//! A server (budget 2, period 5) beside a task (1, 4) above it and one (2, 6) below it (`a`, `b`), with jobs of cost 2,
//! 1, 2 that arrive at 2, 8 and 12:
//!
//! ```text
//! P0  abb.assbabs.abbsasbb
//! ```

use super::{period_after, Grant, Replenishment};
use schedlab_model::{Duration, Instant, Work};

/// A polling server.
#[derive(Clone, Debug)]
pub(super) struct Polling {
    budget: Work,
    period: Duration,
    left: Work,
    /// Begin of the next period.
    next: Instant,
}

impl Polling {
    pub(super) fn new(budget: Work, period: Duration) -> Self {
        Polling { budget, period, left: Work::ZERO, next: Instant::ZERO }
    }
}

impl Replenishment for Polling {
    fn rest(&mut self, _: Instant) {
        self.left = Work::ZERO;
    }

    fn spend(&mut self, _: Instant, used: Work) {
        self.left -= used;
    }

    fn settle(&mut self, now: Instant, pending: bool) {
        if now < self.next {
            return;
        }
        // Without pending jobs no timer is set, so that periods may have begun in between.
        let begins = now.as_ns() % self.period.as_ns() == 0;
        self.left = if begins && pending { self.budget } else { Work::ZERO };
        self.next = period_after(now, self.period);
    }

    fn grant(&self) -> Grant {
        Grant::of(self.left)
    }

    fn next(&self, pending: bool) -> Option<Instant> {
        pending.then_some(self.next)
    }
}
