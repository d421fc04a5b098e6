//! Is one processor enough?

pub mod c_equals_d;
pub mod demand;
pub mod demand_criterion;
pub mod edf_response_time;
pub mod edf_utilization;
pub mod examination;
pub mod hyperbolic;
pub mod liu_layland;
pub mod nonpreemptive_edf;
pub mod nonpreemptive_fp;
pub mod open_ties;
pub mod qpa;
pub mod response_time;
pub mod suspension_aware;

use crate::exact::Pair;
use crate::reason::Reason;
use crate::sides::Sides;
use crate::steps::{sum_of_all, RatioKind, Watch};
use crate::system::{Arrivals, System};
use crate::verdict::{Bounds, Test, Verdict};

/// The tests of one processor.
pub(crate) const TESTS: &[&Test] = &[
    &edf_utilization::TEST,
    &qpa::TEST,
    &edf_response_time::TEST,
    &nonpreemptive_edf::DEMAND,
    &nonpreemptive_edf::RESPONSE_TIME,
    &liu_layland::TEST,
    &hyperbolic::TEST,
    &response_time::TEST,
    &open_ties::TEST,
    &suspension_aware::TEST,
    &nonpreemptive_fp::TEST,
];

/// Returns the reason why a utilization bound for rate-monotonic priorities does not apply to `system`, if there is
/// one.
fn unlike_liu_and_layland(system: &System) -> Option<Reason> {
    if system.needs_blocking() {
        return Some(Reason::SectionsNotCounted);
    }
    if !system.has_implicit_deadlines() {
        return Some(Reason::DeadlineNotPeriod);
    }
    let order = system.by_priority();
    let rises = |pair: &[usize]| system.tasks[pair[0]].period <= system.tasks[pair[1]].period;
    (!order.windows(2).all(rises)).then_some(Reason::NotRateMonotonic)
}

/// A bound on utilizations under rate-monotonic priorities.
struct UtilizationBound {
    test: &'static Test,
    kind: RatioKind,
    holds: fn(&[Pair]) -> bool,
    /// Returns the two sides for utilizations for which the bound holds, or does not.
    sides: fn(Vec<Pair>, bool) -> Sides,
    /// Returns the reason with the sides and the number of tasks.
    reason: fn(Sides, usize) -> Reason,
}

/// Returns the verdict of a bound on utilizations under rate-monotonic priorities.
fn by_utilizations(bound: &UtilizationBound, system: &System, watch: &mut impl Watch) -> Verdict {
    let test = bound.test;
    if let Some(obstacle) = unlike_liu_and_layland(system) {
        return test.unknown(obstacle);
    }
    let utilizations = system.pending_utilizations();
    let holds = (bound.holds)(&utilizations);
    let tasks = utilizations.len();
    let sides = (bound.sides)(utilizations, holds);
    if watch.wants(None) {
        watch.add(sum_of_all(bound.kind, system, system.pending_utilizations(), &sides));
    }
    let reason = system.with_delays((bound.reason)(sides, tasks));
    match holds {
        true => test.meets_deadlines(system, reason),
        false => test.unknown(reason),
    }
}

/// Returns the reason why an analysis of non-preemptive jobs does not apply to `system`, if there is one.
fn unlike_nonpreemptive(system: &System) -> Option<Reason> {
    if system.needs_blocking() {
        return Some(Reason::RequestsNotCounted);
    }
    system.has_suspension().then_some(Reason::BlockedAfterSuspension)
}

/// Returns the verdict if the exact condition fails for sporadic arrivals. The worst case needs a job that begins just
/// before others arrive, which periodic arrivals may prevent.
fn refuted_by_sporadic_arrivals(test: &Test, system: &System, reason: Reason, bounds: Bounds) -> Verdict {
    match system.arrivals {
        Arrivals::Sporadic | Arrivals::Listed => test.refuted(system, reason, bounds),
        Arrivals::Periodic => test.unknown_with(reason.but(Reason::PeriodsMayPrevent), bounds),
    }
}
