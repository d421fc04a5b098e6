//! The utilization test of EDF on one processor.
//!
//! C. L. Liu and J. W. Layland, *Scheduling algorithms for multiprogramming in a hard-real-time
//! environment*, Journal of the ACM 20(1), 1973, Theorem 7: implicit deadlines are met exactly if the
//! utilization is at most 1. Deadlines beyond the periods only help. Linear time.

use crate::assumption::Assumption;
use crate::exact::compare_sum_of;
use crate::reason::Reason;
use crate::sides::Sides;
use crate::steps::{sum_of_all, RatioKind, Unwatched, Watch};
use crate::system::System;
use crate::uniprocessor::qpa;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::{Suspension, Task};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "edf_utilization",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: &[
        Assumption::OneProcessorEdf,
        Assumption::LongDeadlines,
        Assumption::DelaysAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Liu and Layland, JACM 20(1), 1973, Theorem 7",
    cost: "O(n)",
    applies: System::is_preemptive_edf_uniprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    if has_short_deadlines(system) {
        return TEST.unknown(Reason::DeadlineBelowPeriod);
    }
    let fits = fits(system);
    let sides = Sides::of_processors(system.pending_utilizations(), 1, fits);
    if watch.wants(None) {
        watch.add(sum_of_all(RatioKind::Utilizations, system, system.pending_utilizations(), &sides));
    }
    let reason = system.with_delays(Reason::Utilization(sides));
    if fits {
        return TEST.meets_deadlines(system, reason);
    }
    if system.has_jitter() {
        return TEST.unknown(reason);
    }
    TEST.refuted(system, reason, Bounds::None)
}

/// Returns whether the test answers `Schedulable`.
pub(crate) fn accepts(system: &System) -> bool {
    !system.needs_blocking() && !has_short_deadlines(system) && fits(system)
}

/// True if tasks that fit a processor exactly, by utilizations of at most 1, need no further test under preemptive EDF:
/// implicit and longer deadlines are met, and both exact tests prove it. One of them has to be in `tests`.
pub fn fitting_is_enough(tests: &[&Test], tasks: &[Task]) -> bool {
    let answers = |test: &&Test| [TEST.name, qpa::TEST.name].contains(&test.name);
    let is_plain = |task: &Task| {
        task.relative_deadline >= task.period
            && task.relative_deadline <= System::LONGEST
            && task.wcet.as_ns() <= System::LONGEST.as_ns()
            && task.jitter.is_zero()
            && task.suspension == Suspension::None
            && task.program.is_empty()
    };
    tests.iter().any(answers) && tasks.iter().all(is_plain)
}

fn has_short_deadlines(system: &System) -> bool {
    system.tasks.iter().any(|task| task.relative_deadline < task.period)
}

fn fits(system: &System) -> bool {
    compare_sum_of(system.tasks.iter().map(|task| (task.pending_cost(), task.period)), 1).is_le()
}
