//! When does a budget server have budget? Each file is an answer.
//!
//! A budget server executes the jobs of its clients, in the order of [`ClientOrder`], at its own urgency and within its
//! own budget, so that other tasks need to know of nothing else. [`Replenishment`] is the contract of a rule, [`Kind`]
//! the list of all rules, and [`Served`] the policy that ranks servers among the tasks of one cluster. A rule that is
//! published for fixed priorities is used under those alone, and one for deadlines under EDF alone. A rule that is
//! published for one processor is used on one processor alone.
//!
//! All rules share these answers to what publications leave open:
//!
//! * Ties between a server and a task go by job id, as all ties do: a client's job goes first if its task has the
//!   smaller number.
//! * The events of one instant have the order of [`schedlab_model::Event`]. A job that completes comes before one that
//!   arrives at that instant: the server is idle in between. Replenishments come after both.
//! * Without budget the clients wait, unless the server is in the *background*: then the first client has the time that
//!   no task wants, and no budget is charged for that.

mod client_order;
mod constant_bandwidth;
mod constant_utilization;
mod corrected_sporadic;
mod deferrable;
mod dynamic_sporadic;
mod kind;
mod linux_reclaiming;
mod made;
mod periodic;
mod policy;
mod polling;
mod posix_sporadic;
mod reclaiming;
mod server;
mod setup;
mod share;
mod sporadic;
mod total_bandwidth;

pub use client_order::ClientOrder;
pub use kind::{ServerKind, Urgency};
pub use made::{with_servers, Unserved};
pub use setup::BudgetServer;

use alloc::collections::VecDeque;
use schedlab_model::{Duration, Instant, Work};

/// Grant of a server to its first client, at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grant {
    /// The client waits.
    Nothing,
    /// The client may execute at the server's urgency.
    Budget {
        /// Time that is left; `None` if the rule trusts the costs of jobs. Positive.
        left: Option<Work>,
        /// Deadline of the server, if deadlines are its urgency.
        absolute_deadline: Option<Instant>,
    },
}

impl Grant {
    /// Grant of a server under fixed priorities that has so much budget.
    fn of(left: Work) -> Grant {
        match left.is_zero() {
            true => Grant::Nothing,
            false => Grant::Budget { left: Some(left), absolute_deadline: None },
        }
    }
}

/// The rule by which one server has budget.
///
/// The policy calls `wake`, `rest` and `spend` in the order of the events of an instant, and after the last of them
/// `begin` if another job comes first, then `settle` and `share`. Once the next jobs of the processors are known, it
/// calls `set_pace`, `observe` and `idle`.
trait Replenishment: Send {
    /// A client's job arrives while no other is pending.
    fn wake(&mut self, _now: Instant) {}

    /// No client's job is pending any more.
    fn rest(&mut self, _now: Instant) {}

    /// The first client has executed for `used` up to `now`, at the server's urgency. `used` is at most the budget.
    fn spend(&mut self, now: Instant, used: Work);

    /// A job that arrived at `arrival`, of this WCET, is now the first of the pending ones.
    fn begin(&mut self, _arrival: Instant, _wcet: Work) {}

    /// True if the bandwidth of the server is in use, so that no other server may reclaim it.
    fn is_active(&self) -> bool {
        true
    }

    /// The active servers and tasks together need `_active` parts of a processor from now on.
    fn share(&mut self, _active: u64) {}

    /// From now on the first client executes on a processor whose part of all bandwidths is `_each`, and to which
    /// inactive servers with a bandwidth of `_inactive` belong, both in parts of a processor. Returns false if what is
    /// left of the budget lasts for less than a nanosecond there: it is lost.
    fn set_pace(&mut self, _each: u64, _inactive: u64) -> bool {
        true
    }

    /// No processor has a job from now on.
    fn idle(&mut self) {}

    /// Does what is due by `now`; `pending` says whether a client's job is pending.
    fn settle(&mut self, now: Instant, pending: bool);

    /// From `now` on, the processor executes a job that is at least as urgent as the server, or (`busy` is false) none.
    fn observe(&mut self, _now: Instant, _busy: bool) {}

    /// The grant at this instant.
    fn grant(&self) -> Grant;

    /// The next time at which `settle` has something to do by itself, after the last one.
    fn next(&self, pending: bool) -> Option<Instant>;
}

/// Takes the first of `queue` if `wanted` holds for it.
fn pop_if(
    queue: &mut VecDeque<(Instant, Work)>,
    wanted: impl Fn(&(Instant, Work)) -> bool,
) -> Option<(Instant, Work)> {
    if queue.front().is_some_and(wanted) {
        return queue.pop_front();
    }
    None
}

/// The begin of the first period after `now`, where periods begin at multiples of `period`.
fn period_after(now: Instant, period: Duration) -> Instant {
    Instant::from_ns((now.as_ns() / period.as_ns() + 1) * period.as_ns())
}

/// Length of work that fits into `length` at the bandwidth of `budget` in each `period`, rounded up to the next whole
/// nanosecond: the least length in which a server of this bandwidth may ask for `work`.
///
/// A deadline that is a part of a nanosecond later never makes a server ask for more than its bandwidth.
fn length_at(work: Work, budget: Work, period: Duration) -> Duration {
    let (work, budget, period) =
        (u128::from(work.as_ns()), u128::from(budget.as_ns()), u128::from(period.as_ns()));
    Duration::from_ns(u64::try_from((work * period).div_ceil(budget)).expect("a length has 64 bits"))
}
