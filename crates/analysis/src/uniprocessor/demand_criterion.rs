//! The processor-demand criterion by enumeration: every absolute deadline below the limit is examined.
//!
//! S. Baruah, A. Mok and L. Rosier, *Preemptively scheduling hard-real-time sporadic tasks on one
//! processor*, RTSS 1990. Exact, pseudo-polynomial, and slow: the yardstick of [`super::qpa`].

use super::demand::{Demands, LateAlone};
use super::qpa::Ending;
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Answer, Bounds, Guarantee, Test, Verdict};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The registry's line.
pub static TEST: Test = Test {
    name: "demand_criterion",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: super::qpa::TEST.assumptions,
    source: "Baruah, Mok and Rosier, RTSS 1990",
    cost: "pseudo-polynomial; O(n) at each deadline up to a limit",
    applies: System::is_preemptive_edf_uniprocessor,
    // Without the shortcut that this is the yardstick of.
    run: |system| find(system, &mut Demands::default(), |_| false, enumerate).verdict(&TEST, system),
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

/// What is found of the demand, before it is put in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Requests and non-preemptive sections are not accounted for.
    Sections,
    /// A job is late even alone.
    Alone(LateAlone),
    /// The utilization is above 1.
    Overload,
    /// The densities add up to at most 1.
    Sparse,
    /// It is not known how far to look.
    Endless,
    /// Demand was examined below this limit.
    Examined(u64, Ending),
}

/// The frame of both tests of demand: what can be said before the examination. `demands` is a place for them.
pub(super) fn find(
    system: &System,
    demands: &mut Demands,
    is_sparse: impl FnOnce(&Demands) -> bool,
    how: impl FnOnce(&Demands, u64, &mut Budget) -> Ending,
) -> Found {
    if system.needs_blocking() {
        return Found::Sections;
    }
    if let Err(late) = demands.refill(system) {
        return Found::Alone(late);
    }
    if demands.load().is_gt() {
        return Found::Overload;
    }
    if is_sparse(demands) {
        return Found::Sparse;
    }
    let mut budget = Budget::default();
    match demands.limit(&mut budget).shortest() {
        Some(limit) => Found::Examined(limit, how(demands, limit, &mut budget)),
        None => Found::Endless,
    }
}

impl Found {
    /// What it answers.
    pub(crate) fn answer(self, system: &System) -> Answer {
        match self {
            Found::Sections | Found::Endless | Found::Examined(_, Ending::Spent) => Answer::Unknown,
            Found::Sparse | Found::Examined(_, Ending::Meets) => Answer::Schedulable,
            Found::Alone(_) | Found::Overload | Found::Examined(_, Ending::Exceeds { .. }) => {
                match system.worst_case_doubt() {
                    None => Answer::Unschedulable,
                    Some(_) => Answer::Unknown,
                }
            }
        }
    }

    /// The same with its reason.
    pub(super) fn verdict(self, test: &'static Test, system: &System) -> Verdict {
        match self {
            Found::Sections => test.unknown("requests and non-preemptive sections are not accounted for"),
            Found::Alone(late) => test.refuted(system, late.to_string(), Bounds::None),
            Found::Overload => test.refuted(system, "the utilization is above 1".into(), Bounds::None),
            Found::Sparse => test.meets_deadlines(system, "the density is at most 1"),
            Found::Endless => {
                test.unknown("no limit of the intervals to examine was found within the budget")
            }
            Found::Examined(limit, Ending::Meets) => {
                test.meets_deadlines(system, format!("no demand exceeds its time below {limit} ns"))
            }
            Found::Examined(_, Ending::Exceeds { t, demand }) => {
                let reason = format!("within {t} ns, {demand} ns of work may be due");
                test.refuted(system, reason, Bounds::None)
            }
            Found::Examined(_, Ending::Spent) => test.unknown("the budget for examining demand is spent"),
        }
    }
}
