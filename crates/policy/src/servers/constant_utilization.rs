//! Constant utilization server.
//!
//! Z. Deng, J. Liu and J. Sun, *A scheme for scheduling hard real-time applications in open system environment*, ECRTS
//! 1997; J. Liu, *Real-Time Systems*, section 7.4. A server of the bandwidth U has a deadline d, zero at first:
//!
//! * A job of cost C that arrives at t, while none is pending, gets the deadline max(t, d) + C/U.
//! * A job that is pending at the server's deadline gets its own deadline there, counted from that deadline.
//!
//! A job may begin at the server's last deadline at the earliest, also if the processor idles before: that is the
//! difference from a total bandwidth server. C is the WCET of the job's task, because a scheduler does not know costs;
//! no job costs more in a simulation. U is the budget over the period, and C/U is rounded up to the next nanosecond.
//!
//! A server of bandwidth 1/4 with jobs of cost 1 that arrive at 1 and 3 gives them the deadlines 5 and 9, and the
//! second job begins at 5:
//!
//! ```text
//! P0  .s...s
//! ```

use super::{length_at, Grant, Replenishment};
use schedlab_model::{Duration, Instant, Work};

/// A constant utilization server.
#[derive(Clone, Debug)]
pub(super) struct ConstantUtilization {
    budget: Work,
    period: Duration,
    absolute_deadline: Instant,
    /// Earliest begin of the first pending job.
    begins: Instant,
    /// Time of the last call of `settle`.
    now: Instant,
}

impl ConstantUtilization {
    pub(super) fn new(budget: Work, period: Duration) -> Self {
        let zero = Instant::ZERO;
        ConstantUtilization { budget, period, absolute_deadline: zero, begins: zero, now: zero }
    }
}

impl Replenishment for ConstantUtilization {
    fn spend(&mut self, _: Instant, _: Work) {}

    fn begin(&mut self, arrival: Instant, wcet: Work) {
        self.begins = self.absolute_deadline.max(arrival);
        self.absolute_deadline = self.begins + length_at(wcet, self.budget, self.period);
    }

    fn settle(&mut self, now: Instant, _: bool) {
        self.now = now;
    }

    fn grant(&self) -> Grant {
        match self.now < self.begins {
            true => Grant::Nothing,
            false => Grant::Budget { left: None, absolute_deadline: Some(self.absolute_deadline) },
        }
    }

    fn next(&self, pending: bool) -> Option<Instant> {
        (pending && self.now < self.begins).then_some(self.begins)
    }
}
