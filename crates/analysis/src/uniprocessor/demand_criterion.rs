//! The processor-demand criterion by enumeration: every absolute deadline below the limit is examined.
//!
//! S. Baruah, A. Mok and L. Rosier, *Preemptively scheduling hard-real-time sporadic tasks on one
//! processor*, RTSS 1990. Exact, pseudo-polynomial, and slow: the yardstick of [`super::qpa`].

use super::demand::Demands;
use super::qpa::Ending;
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The registry's line.
pub static TEST: Test = Test {
    name: "demand_criterion",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: super::qpa::TEST.assumptions,
    source: "Baruah, Mok and Rosier, RTSS 1990",
    applies: System::is_preemptive_edf_uniprocessor,
    run: |system| examine(&TEST, system, enumerate),
};

/// Examines each deadline below `limit` in rising order.
pub fn enumerate(demands: &Demands, limit: u64, budget: &mut Budget) -> Ending {
    let streams: Vec<_> = demands.streams().collect();
    let mut due: BinaryHeap<_> = streams.iter().enumerate().map(|(at, s)| Reverse((s.0, at))).collect();
    let mut demand = 0u128;
    while let Some(Reverse((t, at))) = due.pop() {
        if t >= limit {
            break;
        }
        if !budget.spend(1) {
            return Ending::Spent;
        }
        let (_, period, cost) = streams[at];
        demand += u128::from(cost);
        due.push(Reverse((t + period, at)));
        let more_at_once = due.peek().is_some_and(|Reverse((next, _))| *next == t);
        if !more_at_once && demand > u128::from(t) {
            return Ending::Exceeds { t, demand };
        }
    }
    Ending::Meets
}

/// The frame of both tests of demand: what can be said before and after the examination.
pub(super) fn examine(
    test: &'static Test,
    system: &System,
    how: impl FnOnce(&Demands, u64, &mut Budget) -> Ending,
) -> Verdict {
    if system.needs_blocking() {
        return test.unknown("requests and non-preemptive sections are not accounted for");
    }
    let demands = match Demands::new(system) {
        Ok(demands) => demands,
        Err(reason) => return test.refuted(system, reason, Bounds::None),
    };
    if demands.load().is_gt() {
        return test.refuted(system, "the utilization is above 1".into(), Bounds::None);
    }
    let mut budget = Budget::default();
    let Some(limit) = demands.limit(&mut budget).shortest() else {
        return test.unknown("no limit of the intervals to examine was found within the budget");
    };
    match how(&demands, limit, &mut budget) {
        Ending::Meets => test.meets_deadlines(system, format!("no demand exceeds its time below {limit} ns")),
        Ending::Exceeds { t, demand } => {
            let reason = format!("within {t} ns, {demand} ns of work may be due");
            test.refuted(system, reason, Bounds::None)
        }
        Ending::Spent => test.unknown("the budget for examining demand is spent"),
    }
}
