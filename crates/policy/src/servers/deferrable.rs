//! Deferrable server.
//!
//! J. Strosnider, J. Lehoczky and L. Sha, *The deferrable server algorithm for enhanced aperiodic responsiveness in
//! hard real-time environments*, IEEE Transactions on Computers 44(1), 1995; G. Buttazzo, *Hard Real-Time Computing
//! Systems*, section 5.4:
//!
//! * A period begins at each multiple of the period. The server then has its whole budget, and what was left of it
//!   before is lost.
//! * The server keeps its budget within a period, whether jobs are pending or not.
//!
//! Two budgets may follow each other at the end of one period and the begin of the next, so that such a server delays
//! others more than a periodic task of its budget and period.
//!
//! A server (budget 2, period 5) beside a task (1, 4) above it and one (2, 6) below it (`a`, `b`), with jobs of cost 2,
//! 1, 2 that arrive at 2, 8 and 12:
//!
//! ```text
//! P0  abssabbbas..assbabbb
//! ```

use super::{period_after, Grant, Replenishment};
use schedlab_model::{Duration, Instant, Work};

/// A deferrable server.
#[derive(Clone, Debug)]
pub(super) struct Deferrable {
    budget: Work,
    period: Duration,
    left: Work,
    /// Begin of the next period.
    next: Instant,
}

impl Deferrable {
    pub(super) fn new(budget: Work, period: Duration) -> Self {
        Deferrable { budget, period, left: budget, next: period_after(Instant::ZERO, period) }
    }
}

impl Replenishment for Deferrable {
    fn spend(&mut self, _: Instant, used: Work) {
        self.left -= used;
    }

    fn settle(&mut self, now: Instant, _: bool) {
        if now >= self.next {
            self.left = self.budget;
            self.next = period_after(now, self.period);
        }
    }

    fn grant(&self) -> Grant {
        Grant::of(self.left)
    }

    fn next(&self, pending: bool) -> Option<Instant> {
        // A whole budget may be in use by then, so that the period's begin matters all the same.
        (pending || self.left < self.budget).then_some(self.next)
    }
}
