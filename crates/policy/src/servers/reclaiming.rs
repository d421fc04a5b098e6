//! Greedy reclamation of unused bandwidth (GRUB).
//!
//! G. Lipari and S. Baruah, *Greedy reclamation of unused bandwidth in constant-bandwidth servers*, ECRTS 2000. A
//! server of budget Q and period P has the bandwidth Q/P, a virtual time V and a deadline D, and is in one of three
//! states. U is the bandwidth of all servers that are not inactive:
//!
//! * If a job arrives while the server is *inactive*, V is the time of the arrival, D is V + P, and the server becomes
//!   *contending*.
//! * While its client executes, V grows by U over Q/P in each unit of time. Where V reaches D, D moves by P.
//! * Where a job completes and another one is pending, D is V + P. If none is, the server becomes *non-contending*.
//! * Where V is reached by the time, a non-contending server becomes inactive. If a job arrives before, D is V + P, and
//!   the server becomes contending.
//! * Where the processor idles, all servers become inactive.
//!
//! So a server uses its budget at the rate U, and its clients execute longer where others need nothing. The rest of the
//! budget is (D - V) Q/P; its `left` is the time in which that is used up at the present rate.
//!
//! Tasks that are no clients, by their densities, and servers of other kinds are active always: the publication has no
//! such tasks. A busy processor executes servers for at most the integral of U less these bandwidths, weighed with U,
//! so that all deadlines are met if all bandwidths add up to one at most. U is at most a processor.
//!
//! V is rounded up to the next whole nanosecond where it becomes part of a deadline, and a rest of the budget that
//! lasts for less than a nanosecond is lost. Both only let the server ask for less.
//!
//! Two servers (4, 8) with jobs of 2 at 0 and 8, and of 8 at 0 (`a`, `b`), as in the documentation of Linux's
//! `SCHED_DEADLINE`. The first one becomes inactive at 4, and from then on the other one uses its budget at half the
//! rate: it lasts until 8, and not until 6.
//!
//! ```text
//! P0  aabbbbbbaabb
//! ```

use super::{Grant, Replenishment};
use schedlab_model::{Duration, Instant, Work};

/// State of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Inactive,
    Contending,
    NonContending,
}

/// A server that reclaims bandwidth.
#[derive(Clone, Debug)]
pub(super) struct Reclaiming {
    budget: Work,
    period: Duration,
    /// Parts that make up a processor.
    whole: u64,
    /// Parts of the processor that are active: the rate at which the budget is used.
    active: u64,
    state: State,
    absolute_deadline: Instant,
    /// Rest of the budget in parts: one for each part of the processor in each nanosecond.
    rest: u128,
}

impl Reclaiming {
    pub(super) fn new(budget: Work, period: Duration, whole: u64) -> Self {
        let (absolute_deadline, state) = (Instant::ZERO, State::Inactive);
        Reclaiming { budget, period, whole, active: whole, state, absolute_deadline, rest: 0 }
    }

    /// The virtual time, rounded up: the deadline less the rest of the budget over the bandwidth.
    fn virtual_time(&self) -> Instant {
        let (whole, budget) = (u128::from(self.whole), u128::from(self.budget.as_ns()));
        let period = u128::from(self.period.as_ns());
        let (ns, parts) = (self.rest / whole, self.rest % whole);
        let (until, more) = (ns * period / budget, ns * period % budget);
        let until = until + (more * whole + parts * period) / (budget * whole);
        let until = u64::try_from(until).expect("a rest of the budget is at most the budget");
        Instant::from_ns(self.absolute_deadline.as_ns() - until)
    }

    /// Gives the server a whole budget up to a period after `virtual_time`.
    fn renew(&mut self, virtual_time: Instant) {
        self.absolute_deadline = virtual_time + self.period;
        self.rest = u128::from(self.budget.as_ns()) * u128::from(self.whole);
    }

    /// Moves the deadline if the rest of the budget lasts for less than a nanosecond.
    fn postpone(&mut self) {
        if self.rest < u128::from(self.active) {
            self.renew(self.absolute_deadline);
        }
    }

    /// Makes a non-contending server inactive if its virtual time is past.
    fn lapse(&mut self, now: Instant) {
        if self.state == State::NonContending && self.virtual_time() <= now {
            self.state = State::Inactive;
        }
    }
}

impl Replenishment for Reclaiming {
    fn wake(&mut self, now: Instant) {
        self.lapse(now);
        if self.state == State::Inactive {
            self.renew(now);
        }
        self.state = State::Contending;
    }

    fn rest(&mut self, now: Instant) {
        self.state = State::NonContending;
        self.lapse(now);
    }

    fn spend(&mut self, _: Instant, used: Work) {
        self.rest = self.rest.saturating_sub(u128::from(used.as_ns()) * u128::from(self.active));
        self.postpone();
    }

    fn begin(&mut self, _: Instant, _: Work) {
        self.renew(self.virtual_time());
    }

    fn settle(&mut self, now: Instant, _: bool) {
        self.lapse(now);
    }

    fn is_active(&self) -> bool {
        self.state != State::Inactive
    }

    fn share(&mut self, active: u64) {
        self.active = active.min(self.whole);
        if self.state == State::Contending {
            self.postpone();
        }
    }

    fn idle(&mut self) {
        self.state = State::Inactive;
    }

    fn grant(&self) -> Grant {
        match self.state {
            State::Inactive => Grant::Nothing,
            State::Contending | State::NonContending => {
                // A server that is not inactive is part of what is active, so that this is not zero.
                let left = u64::try_from(self.rest / u128::from(self.active)).unwrap_or(u64::MAX);
                let left = Some(Work::from_ns(left));
                Grant::Budget { left, absolute_deadline: Some(self.absolute_deadline) }
            }
        }
    }

    fn next(&self, _: bool) -> Option<Instant> {
        (self.state == State::NonContending).then(|| self.virtual_time())
    }
}
