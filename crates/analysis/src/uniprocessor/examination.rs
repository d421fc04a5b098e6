//! What examining demand finds, by whatever way through the deadlines, and how that is put in words.

use super::demand::{Demands, LateAlone};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::system::System;
use crate::verdict::{Answer, Bounds, Test, Verdict};

/// What each examination assumes.
pub(super) const ASSUMPTIONS: &[Assumption] = &[
    Assumption::OneProcessorEdf,
    Assumption::JitterShortensDeadlines,
    Assumption::SuspensionAsExecution,
    Assumption::NoOverheads,
];

/// How an examination of the demand ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The demand never exceeds the time.
    Meets,
    /// Within `t`, `demand` is due.
    Exceeds {
        /// The interval's length.
        t: u64,
        /// h(t).
        demand: u128,
    },
    /// The budget ended first.
    Spent,
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

/// The frame of tests of demand: what can be said before the examination. `demands` is a place for them.
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
            Found::Sections => test.unknown(Reason::SectionsNotCounted),
            Found::Alone(late) => test.refuted(system, late.reason(), Bounds::None),
            Found::Overload => test.refuted(system, Reason::UtilizationAboveOne, Bounds::None),
            Found::Sparse => test.meets_deadlines(system, Reason::DensityAtMostOne),
            Found::Endless => test.unknown(Reason::NoLimit),
            Found::Examined(limit, Ending::Meets) => {
                test.meets_deadlines(system, Reason::DemandFits { limit: Ns(limit) })
            }
            Found::Examined(_, Ending::Exceeds { t, demand }) => {
                let reason = Reason::DemandExceeds { within: Ns(t), demand: Ns(demand) };
                test.refuted(system, reason, Bounds::None)
            }
            Found::Examined(_, Ending::Spent) => test.unknown(Reason::BudgetOfDemandSpent),
        }
    }
}
