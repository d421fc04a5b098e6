//! Periodic server: supplies its clients as a periodic resource does, or an explicit deadline periodic one.
//!
//! R. Davis and A. Burns, *Hierarchical fixed priority pre-emptive scheduling*, RTSS 2005. The models of its supply are
//! those of I. Shin and I. Lee, *Periodic resource model for compositional real-time guarantees*, RTSS 2003, and of A.
//! Easwaran, M. Anand and I. Lee, *Compositional analysis framework using EDP resource models*, RTSS 2007:
//!
//! * A period begins at each multiple of the period. The server then has its whole budget, until the period ends.
//! * Its deadline is that of a periodic task in its place: a relative deadline after the period's begin. If that is the
//!   period, the server is a periodic resource, else an explicit deadline periodic one.
//! * A server without pending jobs lets its budget pass: as long as no job executes that is at least as urgent as the
//!   server, the budget gets less by the time that passes, as if a client executed. Another task has that time.
//!
//! **Why the supply holds.** Let every server have used its budget, or let it pass, by its deadline in each period. The
//! times at which clients executed and those at which budget passed then make up the whole budget of each period, by
//! the deadline: a supply that both models allow. While jobs are pending, no budget passes, so clients executed at all
//! times of that supply, and no less than the least supply of such intervals (`sbf`) is theirs. A deadline of a server
//! is kept if it is that of a periodic task in its place: as long as budget is left, each instant is charged to a job
//! or a server that is at least as urgent. Several servers may let budgets pass at one time, which only helps.
//!
//! **Which other kinds supply so.** A hard constant bandwidth server does, if all servers' deadlines are kept: while
//! jobs are pending it has a whole budget by each deadline, a period after the last one. A job that arrives before a
//! deadline and finds less budget than the bandwidth allows waits no longer than a periodic resource lets it wait,
//! which is twice what the period exceeds the budget by: since the server got its budget, at least what was used of it
//! has passed. Of the others, nothing is proved here, or more than that is false. The sources do not compare these
//! kinds: the arguments are made here, and `lab/tests/subsystems.rs` holds random systems against them.
//!
//! * A *polling* server loses its budget where it is idle. A job that arrives just after that waits for the next
//!   period's begin first, so the longest wait is twice the period less the budget: that of a bounded delay.
//! * A *deferrable* server and the *sporadic* ones keep their budgets for later, and budgets that are used in parts
//!   come back in parts. No source says that the least supply of a periodic resource holds, so no test relies on it.
//! * The deadline of a *soft* constant bandwidth server, and of a reclaiming one, moves away while it has more than its
//!   bandwidth. Afterwards it waits for all others that have earlier deadlines, without bound.
//! * Servers of *constant utilization* and of *total bandwidth* trust the WCETs of jobs: there is no budget.
//!
//! A server (budget 2, period 5) below a task (1, 4), with jobs of cost 2, 1 and 2 that arrive at 2, 8 and 12. Of the
//! budget of 0, one unit passes from 1 to 2, and the job of 2 has one unit before the next period begins:
//!
//! ```text
//! P0  a.s.as..a.s.a..sas..
//! ```

use super::{period_after, Grant, Replenishment};
use schedlab_model::{Duration, Instant, Work};

/// A periodic server.
#[derive(Clone, Debug)]
pub(super) struct Periodic {
    budget: Work,
    period: Duration,
    relative_deadline: Duration,
    left: Work,
    absolute_deadline: Instant,
    /// Begin of the next period.
    next: Instant,
    is_pending: bool,
    /// Since when the budget passes, if it does.
    passes_since: Option<Instant>,
}

impl Periodic {
    pub(super) fn new(budget: Work, period: Duration, relative_deadline: Duration) -> Self {
        Periodic {
            budget,
            period,
            relative_deadline,
            left: budget,
            absolute_deadline: Instant::ZERO + relative_deadline,
            next: period_after(Instant::ZERO, period),
            is_pending: false,
            // Before the first event the processor is idle.
            passes_since: Some(Instant::ZERO),
        }
    }

    /// Brings budget and deadline up to `now`.
    fn advance(&mut self, now: Instant) {
        let mut since = self.passes_since.take();
        if now >= self.next {
            let begin = Instant::from_ns(now.as_ns() - now.as_ns() % self.period.as_ns());
            since = since.map(|since| since.max(begin));
            self.left = self.budget;
            self.absolute_deadline = begin + self.relative_deadline;
            self.next = period_after(now, self.period);
        }
        if let Some(since) = since {
            let passed = Work::done_in(now.saturating_since(since));
            self.left -= passed.min(self.left);
        }
    }
}

impl Replenishment for Periodic {
    fn wake(&mut self, now: Instant) {
        self.advance(now);
    }

    fn spend(&mut self, _: Instant, used: Work) {
        self.left -= used;
    }

    fn settle(&mut self, now: Instant, pending: bool) {
        self.advance(now);
        self.is_pending = pending;
    }

    fn observe(&mut self, now: Instant, busy: bool) {
        self.passes_since = (!self.is_pending && !busy).then_some(now);
    }

    fn grant(&self) -> Grant {
        match self.left.is_zero() {
            true => Grant::Nothing,
            false => Grant::Budget { left: Some(self.left), absolute_deadline: Some(self.absolute_deadline) },
        }
    }

    fn next(&self, _: bool) -> Option<Instant> {
        let used_up =
            self.passes_since.filter(|_| !self.left.is_zero()).map(|since| since + self.left.at_unit_speed());
        Some(used_up.map_or(self.next, |at| at.min(self.next)))
    }
}
