//! Constant bandwidth server (CBS), soft and hard.
//!
//! L. Abeni and G. Buttazzo, *Integrating multimedia applications in hard real-time systems*, RTSS 1998; G. Buttazzo,
//! *Hard Real-Time Computing Systems*, section 6.9. The server has a budget c of at most Q, and a deadline d:
//!
//! * If a job arrives at r while none is pending, and c >= (d - r) Q/T, the server gets a whole budget and the deadline
//!   r + T. Otherwise it keeps both.
//! * Where the budget is used up, a *soft* server gets a whole one at once, and its deadline moves by T. A *hard* one
//!   stops until its deadline, and then gets both. (The hard reservation is that of Rajkumar, Juvva, Molano and Oikawa,
//!   *Resource kernels*, MMCN 1998.)
//!
//! A job that arrives just where the last pending one completes finds an idle server, so the first rule applies: the
//! publication calls a server active if r <= t < f for an arrival r and a completion f. An idle hard server without
//! budget stays as it is: a job that arrives before its deadline waits until then, and one that arrives at the deadline
//! or later gets a whole budget by the first rule, since c = 0 >= (d - r) Q/T.
//!
//! A periodic task (4, 7) and a server (3, 8), with jobs of cost 4 at 3 and of cost 3 at 13:
//!
//! ```text
//! soft  aaaasssaaaas.ssaaaas.aaa   deadlines 11, 19 from 7 on, 27 from 15 on
//! hard  aaaasssaaaas.ssaaaas.aaa
//! ```

use super::{Grant, Replenishment};
use schedlab_model::{Duration, Instant, Work};

/// A constant bandwidth server.
#[derive(Clone, Debug)]
pub(super) struct ConstantBandwidth {
    budget: Work,
    period: Duration,
    is_hard: bool,
    left: Work,
    absolute_deadline: Instant,
}

impl ConstantBandwidth {
    pub(super) fn new(budget: Work, period: Duration, is_hard: bool) -> Self {
        ConstantBandwidth { budget, period, is_hard, left: Work::ZERO, absolute_deadline: Instant::ZERO }
    }

    /// Gives the server a whole budget up to the deadline.
    fn replenish(&mut self, absolute_deadline: Instant) {
        self.left = self.budget;
        self.absolute_deadline = absolute_deadline;
    }
}

impl Replenishment for ConstantBandwidth {
    fn wake(&mut self, now: Instant) {
        let wide = u128::from;
        let until = self.absolute_deadline.saturating_since(now);
        let has = wide(self.left.as_ns()) * wide(self.period.as_ns());
        if has >= wide(until.as_ns()) * wide(self.budget.as_ns()) {
            self.replenish(now + self.period);
        }
    }

    fn spend(&mut self, _: Instant, used: Work) {
        self.left -= used;
        if self.left.is_zero() && !self.is_hard {
            self.replenish(self.absolute_deadline + self.period);
        }
    }

    fn settle(&mut self, now: Instant, pending: bool) {
        if pending && self.left.is_zero() && self.absolute_deadline <= now {
            self.replenish(self.absolute_deadline + self.period);
        }
    }

    fn grant(&self) -> Grant {
        match self.left.is_zero() {
            true => Grant::Nothing,
            false => Grant::Budget { left: Some(self.left), absolute_deadline: Some(self.absolute_deadline) },
        }
    }

    fn next(&self, pending: bool) -> Option<Instant> {
        (pending && self.left.is_zero()).then_some(self.absolute_deadline)
    }
}
