//! Total bandwidth server.
//!
//! M. Spuri and G. Buttazzo, *Scheduling aperiodic tasks in dynamic priority systems*, Real-Time Systems 10(2), 1996;
//! G. Buttazzo, *Hard Real-Time Computing Systems*, section 6.4. A server of the bandwidth U gives the job k, which
//! arrives at r and costs C, the deadline
//!
//! ```text
//! d(k) = max(r, d(k - 1)) + C/U
//! ```
//!
//! There is no budget: a job may begin at once, and isolation rests on C. C is the WCET of the job's task, because a
//! scheduler does not know costs; no job costs more in a simulation. U is the budget over the period, and C/U is
//! rounded up to the next nanosecond.
//!
//! Periodic tasks (3, 6) and (2, 8) and a server of bandwidth 1/4 (`a`, `b`, `s`), with jobs of cost 1, 2 and 1 at 3, 9
//! and 14: their deadlines are 7, 17 and 21.
//!
//! ```text
//! P0  aaasbbaaabbssaaasb
//! ```

use super::{length_at, Grant, Replenishment};
use schedlab_model::{Duration, Instant, Work};

/// A total bandwidth server.
#[derive(Clone, Debug)]
pub(super) struct TotalBandwidth {
    budget: Work,
    period: Duration,
    absolute_deadline: Instant,
}

impl TotalBandwidth {
    pub(super) fn new(budget: Work, period: Duration) -> Self {
        TotalBandwidth { budget, period, absolute_deadline: Instant::ZERO }
    }
}

impl Replenishment for TotalBandwidth {
    fn spend(&mut self, _: Instant, _: Work) {}

    fn begin(&mut self, arrival: Instant, wcet: Work) {
        self.absolute_deadline =
            self.absolute_deadline.max(arrival) + length_at(wcet, self.budget, self.period);
    }

    fn settle(&mut self, _: Instant, _: bool) {}

    fn grant(&self) -> Grant {
        Grant::Budget { left: None, absolute_deadline: Some(self.absolute_deadline) }
    }

    fn next(&self, _: bool) -> Option<Instant> {
        None
    }
}
