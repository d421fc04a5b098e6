//! Dynamic sporadic server, as published.
//!
//! M. Spuri and G. Buttazzo, *Scheduling aperiodic tasks in dynamic priority systems*, Real-Time Systems 10(2), 1996;
//! G. Buttazzo, *Hard Real-Time Computing Systems*, section 6.3: the sporadic server under EDF. It begins with its
//! whole budget:
//!
//! * As soon as a job is pending and there is budget, an interval begins, at t. The server's deadline and the
//!   replenishment time are both t and a period.
//! * Where the last pending job completes, or all budget is used, the interval ends. The replenishment amount is what
//!   clients have used in it.
//!
//! A job that arrives just where the last pending one completes begins an interval of its own. Ties go by job id; the
//! book's examples let the server go first, as it does where its clients stand before the tasks.
//!
//! **The rule gives budget back too early.** As under the sporadic server of fixed priorities, budget that returns
//! within an interval counts as if it had been there from the begin. A task `b` (8, 24), a server (12, 18), and jobs
//! (arrival, cost) (0, 11), (11, 10), (29, 12) have utilizations of 1 together. The second interval begins at 11 with a
//! budget of 1, and gets 11 more at 18. All 10 that it uses return at 29, and not 9 of them at 36, and `b` is late at
//! 48, though a constant bandwidth server in its place would not make it late:
//!
//! ```text
//! P0  sssssssssssbbbbbbbbssssssssssssssssssssssbbbbbbbb   b is late at 48
//! ```
//!
//! The publication's test, that the utilizations of tasks and server add up to at most 1, does not hold under this
//! rule. So nothing is proved of tasks beside this server.
//!
//! Tasks (2, 8) and (3, 12) and a server (3, 6), with jobs of 2 at 3 and at 6, as in the book. Budget returns at 9 (2),
//! at 12 (1) and at 15 (1):
//!
//! ```text
//! P0  aabssbsbasa.bbb.aa
//! ```

use super::{pop_if, Grant, Replenishment};
use alloc::collections::VecDeque;
use schedlab_model::{Duration, Instant, Work};

/// A dynamic sporadic server.
#[derive(Clone, Debug)]
pub(super) struct DynamicSporadic {
    period: Duration,
    left: Work,
    /// Begin of the interval.
    since: Option<Instant>,
    /// What clients have used in the interval.
    used: Work,
    /// Replenishments to come, by time.
    due: VecDeque<(Instant, Work)>,
}

impl DynamicSporadic {
    pub(super) fn new(budget: Work, period: Duration) -> Self {
        DynamicSporadic { period, left: budget, since: None, used: Work::ZERO, due: VecDeque::new() }
    }

    /// Ends the interval, if there is one.
    fn end_interval(&mut self) {
        let Some(since) = self.since.take() else { return };
        let used = core::mem::take(&mut self.used);
        if !used.is_zero() {
            self.due.push_back((since + self.period, used));
        }
    }
}

impl Replenishment for DynamicSporadic {
    fn rest(&mut self, _: Instant) {
        self.end_interval();
    }

    fn spend(&mut self, _: Instant, used: Work) {
        self.left -= used;
        self.used += used;
        if self.left.is_zero() {
            self.end_interval();
        }
    }

    fn settle(&mut self, now: Instant, pending: bool) {
        while let Some((_, amount)) = pop_if(&mut self.due, |(at, _)| *at <= now) {
            self.left += amount;
        }
        if pending && !self.left.is_zero() && self.since.is_none() {
            self.since = Some(now);
        }
    }

    fn grant(&self) -> Grant {
        match self.since {
            None => Grant::Nothing,
            Some(since) => {
                Grant::Budget { left: Some(self.left), absolute_deadline: Some(since + self.period) }
            }
        }
    }

    fn next(&self, _: bool) -> Option<Instant> {
        self.due.front().map(|(at, _)| *at)
    }
}
