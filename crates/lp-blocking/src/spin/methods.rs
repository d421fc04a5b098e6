//! Analysis of spin locks under fixed priorities, each by its program, in closed form.

use super::greedy::Greedy;
use super::ranked::{Lock, PendingJob, Ranks};
use super::Spinning;
use crate::program::WHOLE;
use schedlab_analysis::blocking::feed::without_inflation;
use schedlab_analysis::blocking::method::{partitioned_fp, test, FREE, ONE, PLAIN};
use schedlab_analysis::blocking::{Case, Judged, Method, Sections, Sharing};
use schedlab_analysis::Assumption;
use schedlab_model::LockingClass;

const ONCE: Assumption = Assumption::SpinningCountsOnce;
const ANEW: Assumption = Assumption::PreemptedAsksAnew;
const LONG: Assumption = Assumption::WaitsWhilePending;
const SOURCE: &str = "Wieder and Brandenburg, RTSS 2013";

const NON_PREEMPTIVE: &[Assumption] = &[ONE, PLAIN, WHOLE, ONCE, FREE];

/// A spin lock's method.
const fn method(
    name: &'static str,
    classes: &'static [LockingClass],
    assumptions: &'static [Assumption],
    judge: fn(&Case<'_>, &Sharing) -> Judged,
) -> Method {
    Method {
        test: test(name, SOURCE, assumptions),
        classes,
        applies: partitioned_fp,
        sections: Sections::FlatBetweenClusters,
        judge,
        watched: None,
    }
}

/// FIFO spin locks.
pub const MSRP: Method = method("msrp_program", &[LockingClass::Msrp], NON_PREEMPTIVE, |_, sharing| {
    first_come_first_served(sharing, Spinning::NonPreemptive)
});

/// Spin locks ordered by priority.
pub const PRIORITY: Method =
    method("spin_priority_program", &[LockingClass::SpinPriority], NON_PREEMPTIVE, |_, sharing| {
        ranked(sharing, Ranks::ByPriority, Spinning::NonPreemptive)
    });

/// Spin locks without order.
pub const UNORDERED: Method =
    method("spin_unordered_program", &[LockingClass::SpinUnordered], NON_PREEMPTIVE, |_, sharing| {
        ranked(sharing, Ranks::Equal, Spinning::NonPreemptive)
    });

/// FIFO spin locks with preemptable spinning.
pub(crate) const FIFO_PREEMPTABLE: Method = method(
    "spin_fifo_preemptable_program",
    &[LockingClass::SpinFifoPreemptable],
    &[ONE, PLAIN, WHOLE, ONCE, ANEW, FREE],
    |_, sharing| first_come_first_served(sharing, Spinning::Preemptable),
);

/// Spin locks ordered by priority, with preemptable spinning.
pub(crate) const PRIORITY_PREEMPTABLE: Method = method(
    "spin_priority_preemptable_program",
    &[LockingClass::SpinPriorityPreemptable],
    &[ONE, PLAIN, WHOLE, ONCE, ANEW, LONG, FREE],
    |_, sharing| ranked(sharing, Ranks::ByPriority, Spinning::Preemptable),
);

/// Spin locks without order, with preemptable spinning.
pub(crate) const UNORDERED_PREEMPTABLE: Method = method(
    "spin_unordered_preemptable_program",
    &[LockingClass::SpinUnorderedPreemptable],
    &[ONE, PLAIN, WHOLE, ONCE, ANEW, LONG, FREE],
    |_, sharing| ranked(sharing, Ranks::Equal, Spinning::Preemptable),
);

fn first_come_first_served(sharing: &Sharing, spinning: Spinning) -> Judged {
    let mut greedy = Greedy::default();
    greedy.read(sharing);
    without_inflation(sharing, |task, responses| greedy.bound(sharing, responses, task, spinning))
}

fn ranked(sharing: &Sharing, ranks: Ranks, spinning: Spinning) -> Judged {
    let lock = Lock::new(ranks, spinning);
    without_inflation(sharing, |task, responses| PendingJob { sharing, responses, task, lock }.bound())
}
