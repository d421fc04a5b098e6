//! Sporadic server, corrected.
//!
//! M. Stanovic, T. Baker, A. Wang and M. Harbour, *Defects of the POSIX sporadic server and how to correct them*, RTAS
//! 2010. The budget consists of parts, each with the time from which on it may be used:
//!
//! * Clients use the earliest part first. A part that is used up may be used again a period after its time.
//! * If no job is pending any more and a part is used in parts, it is split: what was used may be used again a period
//!   after the part's time, and the rest at once.
//! * When a job becomes pending, all parts that may be used are joined, and their time is now.
//!
//! So each part is a sporadic task: its time is the release of its job, and the next release is a period later at
//! least. All parts together are the budget, and other tasks are delayed no more than by a periodic task of that budget
//! and period. The active interval is that of pending jobs: it begins where the first of them arrives.
//!
//! The publication joins further parts, and limits their number, only to need less memory; here they stay as they are.
//! Time in the background uses no part.
//!
//! The example of `sporadic.rs`: the job of 5 uses the part of 1 that was left, from 5 on, and that of 2 from 7 on.
//! These return at 12 and at 14, and `b` is in time:
//!
//! ```text
//! P0  aassbaasssaasbsaa   b completes at 14
//! ```

use super::{pop_if, Grant, Replenishment};
use alloc::collections::VecDeque;
use schedlab_model::{Duration, Instant, Work};

/// A corrected sporadic server.
#[derive(Clone, Debug)]
pub(super) struct CorrectedSporadic {
    period: Duration,
    /// Parts of the budget by the time from which on they may be used. None is zero.
    parts: VecDeque<(Instant, Work)>,
    /// What clients have used of the first part, less than the part.
    used: Work,
    /// Time of the last call of `settle`.
    now: Instant,
}

impl CorrectedSporadic {
    pub(super) fn new(budget: Work, period: Duration) -> Self {
        let parts = VecDeque::from([(Instant::ZERO, budget)]);
        CorrectedSporadic { period, parts, used: Work::ZERO, now: Instant::ZERO }
    }

    /// Adds `amount`, which may be used again a period after `since`.
    fn return_later(&mut self, since: Instant, amount: Work) {
        let at = since + self.period;
        let place = self.parts.partition_point(|(known, _)| *known <= at);
        match place.checked_sub(1).and_then(|before| self.parts.get_mut(before)) {
            Some((known, there)) if *known == at => *there += amount,
            _ => self.parts.insert(place, (at, amount)),
        }
    }

    /// The budget of the parts that may be used.
    fn left(&self) -> Work {
        let usable = self.parts.iter().take_while(|(since, _)| *since <= self.now);
        usable.fold(Work::ZERO, |sum, (_, amount)| sum + *amount) - self.used
    }
}

impl Replenishment for CorrectedSporadic {
    fn wake(&mut self, now: Instant) {
        let mut usable = Work::ZERO;
        while let Some((_, amount)) = pop_if(&mut self.parts, |(since, _)| *since <= now) {
            usable += amount;
        }
        if !usable.is_zero() {
            self.parts.push_front((now, usable));
        }
    }

    fn rest(&mut self, _: Instant) {
        let used = core::mem::take(&mut self.used);
        if used.is_zero() {
            return;
        }
        let (since, amount) = self.parts.front_mut().expect("a part is in use");
        *amount -= used;
        let since = *since;
        self.return_later(since, used);
    }

    fn spend(&mut self, _: Instant, used: Work) {
        self.used += used;
        while let Some((since, amount)) = {
            let used = self.used;
            pop_if(&mut self.parts, |(_, amount)| *amount <= used)
        } {
            self.used -= amount;
            self.return_later(since, amount);
        }
    }

    fn settle(&mut self, now: Instant, _: bool) {
        self.now = now;
    }

    fn grant(&self) -> Grant {
        Grant::of(self.left())
    }

    fn next(&self, _: bool) -> Option<Instant> {
        self.parts.iter().map(|(since, _)| *since).find(|since| *since > self.now)
    }
}
