//! Bandwidth reclaiming of Linux's `SCHED_DEADLINE`, on any number of processors.
//!
//! A reservation with `SCHED_FLAG_RECLAIM`, from Linux 4.13 on: `Documentation/scheduler/sched-deadline.rst`, section
//! 2.2, and `grub_reclaim`, `task_non_contending` and `task_contending` of `kernel/sched/deadline.c`. It builds on GRUB
//! (G. Lipari and S. Baruah, ECRTS 2000), which knows one processor, and on L. Abeni, G. Lipari, A. Parri and Y. Sun,
//! *Multicore CPU reclaiming: parallel or sequential?*, SAC 2016. A server of budget Q and period P has the bandwidth
//! u = Q/P, a rest q of its budget and a deadline d:
//!
//! * If a job arrives while the server is *inactive*, it gets q = Q and d = now + P, and is *active contending*.
//! * Where no job is pending any more, the server is *active non contending* until its 0-lag time d - q P/Q, and then
//!   inactive. If a job arrives before, or just then, it keeps q and d, and is contending again.
//! * While a client executes on a processor, q decreases at the pace max{u, Umax - Uinact - Uextra} / Umax. Uinact is
//!   the bandwidth of the inactive servers of this processor's run queue, and Uextra is Umax less the bandwidth of all
//!   servers and tasks over the number of processors.
//! * Where q is used up, the server stops until d. Then it gets q = Q and the deadline d + P.
//!
//! Umax is 1 here, which the kernel has with `sched_rt_runtime_us = -1`. An inactive server is in the run queue of the
//! processor where a client of it executed last, since a thread that sleeps stays there. The kernel leaves open where a
//! thread is before it first executes: here servers are there on the processors in turn. Tasks that are no clients, by
//! their densities, and servers of kinds without an inactive state are active always. A rest that lasts for less
//! than a nanosecond at the present pace is lost, so that the server only asks for less.
//!
//! On one processor the pace is the active bandwidth, as under GRUB. So deadlines are met if all bandwidths add up to
//! at most one. On several processors nothing of that kind is known: each processor gives away what is unused there,
//! and the servers together may then have more than the density test of EDF allows. A decision takes O(1) for each
//! server.
//!
//! Two servers (4, 8) with jobs of 2 at 0 and 8, and of 8 at 0 (`a`, `b`), as in the kernel's documentation, on one
//! processor. The first one's 0-lag time is 8 - 2 * 2 = 4. Until then the pace is 1, so that the other one has used 2
//! of its 4 at 4; from then on the pace is 1/2, and the rest lasts until 8. It goes on behind the first one, whose
//! deadlines are equal:
//!
//! ```text
//! P0  aabbbbbbaabb
//! ```
//!
//! Servers (2, 8), (2, 8) and (8, 16) on two processors, with jobs of 8 at 0 (`a`), of 1 at 0 (`b`), and of 2 at 4
//! (`c`), by hand. Uextra is 1 - 1/2. The inactive third server is in the run queue of P0 at first, so that the pace of
//! `a` is 1/4 until 4, and then 1/2: its 2 last until 6, and it waits for 8. The second server is inactive from 2 on,
//! but sleeps on P1:
//!
//! ```text
//! P0  aaaaaa..aa..
//! P1  b...cc......
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

/// A server that reclaims bandwidth as Linux has it.
#[derive(Clone, Debug)]
pub(super) struct LinuxReclaiming {
    budget: Work,
    period: Duration,
    /// Parts that make up a processor.
    whole: u64,
    /// Bandwidth in parts, rounded up.
    bandwidth: u64,
    /// Parts of the budget that are used in each nanosecond.
    pace: u64,
    state: State,
    absolute_deadline: Instant,
    /// Rest of the budget in parts: `whole` of them for each nanosecond.
    rest: u128,
}

impl LinuxReclaiming {
    pub(super) fn new(budget: Work, period: Duration, whole: u64) -> Self {
        let (absolute_deadline, state) = (Instant::ZERO, State::Inactive);
        let bandwidth = super::share::parts(budget, period, whole);
        LinuxReclaiming { budget, period, whole, bandwidth, pace: whole, state, absolute_deadline, rest: 0 }
    }

    /// The 0-lag time, rounded up: the deadline less the rest of the budget over the bandwidth.
    fn zero_lag(&self) -> Instant {
        let wide = u128::from;
        let (ns, parts) = (self.rest / wide(self.whole), self.rest % wide(self.whole));
        let (budget, period) = (wide(self.budget.as_ns()), wide(self.period.as_ns()));
        let (until, more) = (ns * period / budget, ns * period % budget);
        let until = until + (more * wide(self.whole) + parts * period) / (budget * wide(self.whole));
        let until = u64::try_from(until).expect("a rest of the budget is at most the budget");
        Instant::from_ns(self.absolute_deadline.as_ns() - until)
    }

    /// Gives the server a whole budget up to the deadline.
    fn replenish(&mut self, absolute_deadline: Instant) {
        self.absolute_deadline = absolute_deadline;
        self.rest = u128::from(self.budget.as_ns()) * u128::from(self.whole);
    }
}

impl Replenishment for LinuxReclaiming {
    fn wake(&mut self, now: Instant) {
        if self.state == State::Inactive || self.zero_lag() < now {
            self.replenish(now + self.period);
        }
        self.state = State::Contending;
    }

    fn rest(&mut self, _: Instant) {
        self.state = State::NonContending;
    }

    fn spend(&mut self, _: Instant, used: Work) {
        self.rest = self.rest.saturating_sub(u128::from(used.as_ns()) * u128::from(self.pace));
        if self.rest < u128::from(self.pace) {
            self.rest = 0;
        }
    }

    fn is_active(&self) -> bool {
        self.state != State::Inactive
    }

    fn set_pace(&mut self, each: u64, inactive: u64) -> bool {
        self.pace = each.saturating_sub(inactive).max(self.bandwidth).min(self.whole);
        let lasts = self.rest >= u128::from(self.pace);
        if !lasts {
            self.rest = 0;
        }
        lasts
    }

    fn settle(&mut self, now: Instant, pending: bool) {
        if pending && self.rest == 0 && self.absolute_deadline <= now {
            self.replenish(self.absolute_deadline + self.period);
        }
        if self.state == State::NonContending && self.zero_lag() <= now {
            self.state = State::Inactive;
        }
    }

    fn grant(&self) -> Grant {
        if self.state == State::Inactive || self.rest == 0 {
            return Grant::Nothing;
        }
        // Where the server does not execute, its pace is an earlier one.
        let left = u64::try_from(self.rest / u128::from(self.pace)).unwrap_or(u64::MAX).max(1);
        Grant::Budget { left: Some(Work::from_ns(left)), absolute_deadline: Some(self.absolute_deadline) }
    }

    fn next(&self, pending: bool) -> Option<Instant> {
        match self.state {
            State::NonContending => Some(self.zero_lag()),
            State::Contending if pending && self.rest == 0 => Some(self.absolute_deadline),
            State::Contending | State::Inactive => None,
        }
    }
}
