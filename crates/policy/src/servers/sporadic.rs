//! Sporadic server, as published.
//!
//! B. Sprunt, L. Sha and J. Lehoczky, *Aperiodic task scheduling for hard real-time systems*, Real-Time Systems 1(1),
//! 1989; G. Buttazzo, *Hard Real-Time Computing Systems*, section 5.6. The server begins with its whole budget:
//!
//! * The server is *active* while the processor executes a job that is at least as urgent as the server, its own
//!   clients included, and *idle* otherwise. An active interval begins where it becomes active with budget, or gets
//!   budget while it is active.
//! * The replenishment time is a period after the begin of the active interval.
//! * The replenishment amount is what clients have used in the interval. It is settled where the server becomes idle or
//!   has used all its budget: there the interval ends.
//!
//! Active is a matter of urgencies, as published, and not of pending jobs: an interval may begin long before a client's
//! job arrives. Time that the first client has in the background is not at the server's urgency.
//!
//! **The rule gives budget back too early.** Budget that returns within an active interval is used in it, and counts as
//! if it had been there from the begin: tasks `a` (cost 2, period 5) and `b` (2, 15), a server (3, 7) between them, and
//! jobs (arrival, cost) (0, 2), (5, 3), (5, 3). The budget of 2 that returns at 7 returns again at 12 instead of at 14,
//! and `b` is late at 15, though a periodic task (3, 7) in the server's place would not make it late:
//!
//! ```text
//! P0  aassbaasssaasssaa   b is late at 15
//! ```
//!
//! `corrected_sporadic.rs` splits the replenishment. So nothing is proved of tasks beside this server.

use super::{pop_if, Grant, Replenishment};
use alloc::collections::VecDeque;
use schedlab_model::{Duration, Instant, Work};

/// A sporadic server.
#[derive(Clone, Debug)]
pub(super) struct Sporadic {
    period: Duration,
    left: Work,
    /// Begin of the active interval.
    active_since: Option<Instant>,
    /// What clients have used in the active interval.
    used: Work,
    /// Replenishments to come, by time.
    due: VecDeque<(Instant, Work)>,
}

impl Sporadic {
    pub(super) fn new(budget: Work, period: Duration) -> Self {
        Sporadic { period, left: budget, active_since: None, used: Work::ZERO, due: VecDeque::new() }
    }

    /// Ends the active interval, if there is one.
    fn end_interval(&mut self) {
        let Some(since) = self.active_since.take() else { return };
        let used = core::mem::take(&mut self.used);
        if !used.is_zero() {
            self.due.push_back((since + self.period, used));
        }
    }
}

impl Replenishment for Sporadic {
    fn spend(&mut self, _: Instant, used: Work) {
        self.left -= used;
        self.used += used;
        if self.left.is_zero() {
            self.end_interval();
        }
    }

    fn settle(&mut self, now: Instant, _: bool) {
        while let Some((_, amount)) = pop_if(&mut self.due, |(at, _)| *at <= now) {
            self.left += amount;
        }
    }

    fn observe(&mut self, now: Instant, busy: bool) {
        match (busy, self.active_since) {
            (true, None) if !self.left.is_zero() => self.active_since = Some(now),
            (true, _) => {}
            (false, _) => {
                self.end_interval();
                // What an interval of more than a period has used is due by now.
                self.settle(now, false);
            }
        }
    }

    fn grant(&self) -> Grant {
        Grant::of(self.left)
    }

    fn next(&self, _: bool) -> Option<Instant> {
        self.due.front().map(|(at, _)| *at)
    }
}
