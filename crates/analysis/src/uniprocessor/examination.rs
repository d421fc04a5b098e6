//! Results of examining demand, whatever the order of the examined deadlines, and their reasons.

use super::demand::{Demands, LateAlone};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::steps::{Computation, DemandEnd, DemandSteps, Limit, Watch};
use crate::system::System;
use crate::verdict::{Answer, Bounds, Test, Verdict};

/// Assumptions of each examination.
pub(super) const ASSUMPTIONS: &[Assumption] = &[
    Assumption::OneProcessorEdf,
    Assumption::JitterShortensDeadlines,
    Assumption::SuspensionAsExecution,
    Assumption::NoOverheads,
];

/// End of an examination of the demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExaminationEnd {
    /// The demand never exceeds the time.
    Meets,
    /// Work `demand` is due within `t`, which is more than `t`.
    Exceeds {
        /// The interval's length.
        t: u64,
        /// Demand h(t).
        demand: u128,
    },
    /// The budget was spent before the demand was examined.
    Spent,
}

/// Result of an examination of the demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Examination {
    /// Jobs have requests or non-preemptive sections, for which the examination does not account.
    Sections,
    /// A job is late even alone.
    Alone(LateAlone),
    /// The utilization is above 1.
    Overload,
    /// The densities add up to at most 1.
    Sparse,
    /// No length is known up to which the demand must be examined.
    Endless,
    /// Demand was examined below this limit.
    Examined(u64, ExaminationEnd),
}

/// Common frame of tests of demand: handles the cases that need no examination, and examines the others. `demands` is
/// working memory.
pub(super) fn find<W: Watch>(
    system: &System,
    demands: &mut Demands,
    is_sparse: impl FnOnce(&Demands) -> bool,
    how: impl FnOnce(&Demands, u64, Limit, &mut Budget, &mut W) -> ExaminationEnd,
    watch: &mut W,
) -> Examination {
    if system.needs_blocking() {
        return Examination::Sections;
    }
    if let Err(late) = demands.refill(system) {
        return Examination::Alone(late);
    }
    if demands.load().is_gt() {
        if watch.wants(None) {
            watch.add(demands.utilization_shown());
        }
        return Examination::Overload;
    }
    if is_sparse(demands) {
        if watch.wants(None) {
            watch.add(demands.densities_shown());
        }
        return Examination::Sparse;
    }
    let mut budget = Budget::default();
    let known = demands.limit(&mut budget);
    match known.shortest() {
        Some(limit) => Examination::Examined(limit, how(demands, limit, known, &mut budget, watch)),
        None => Examination::Endless,
    }
}

/// Examines the demand below `limit`, which follows from what is `known`, by `how`, which gets the steps to fill
/// if they
/// are wanted.
pub(crate) fn shown(
    demands: &Demands,
    limit: u64,
    known: Limit,
    watch: &mut impl Watch,
    how: impl FnOnce(Option<&mut DemandSteps>) -> ExaminationEnd,
) -> ExaminationEnd {
    if !watch.wants(None) {
        return how(None);
    }
    let mut steps = DemandSteps::new(demands.shown(), limit, known);
    let end = how(Some(&mut steps));
    steps.end = match end {
        ExaminationEnd::Meets => DemandEnd::Fits,
        ExaminationEnd::Exceeds { .. } => DemandEnd::Exceeds,
        ExaminationEnd::Spent => DemandEnd::Spent,
    };
    watch.add(Computation::Demand(steps));
    end
}

impl Examination {
    /// Returns the answer that follows from the examination.
    pub(crate) fn answer(self, system: &System) -> Answer {
        match self {
            Examination::Sections
            | Examination::Endless
            | Examination::Examined(_, ExaminationEnd::Spent) => Answer::Unknown,
            Examination::Sparse | Examination::Examined(_, ExaminationEnd::Meets) => Answer::Schedulable,
            Examination::Alone(_)
            | Examination::Overload
            | Examination::Examined(_, ExaminationEnd::Exceeds { .. }) => match system.worst_case_doubt() {
                None => Answer::Unschedulable,
                Some(_) => Answer::Unknown,
            },
        }
    }

    /// The verdict of this examination with its reason; `demands` are those examined.
    pub(super) fn verdict(self, test: &'static Test, system: &System, demands: &Demands) -> Verdict {
        match self {
            Examination::Sections => test.unknown(Reason::SectionsNotCounted),
            Examination::Alone(late) => test.refuted(system, late.reason(), Bounds::None),
            Examination::Overload => {
                let reason = system.with_suspension(Reason::Utilization(demands.utilization()));
                test.refuted(system, reason, Bounds::None)
            }
            Examination::Sparse => {
                let reason = Reason::Density(demands.densities());
                test.meets_deadlines(system, system.with_suspension(reason))
            }
            Examination::Endless => test.unknown(Reason::NoLimit),
            Examination::Examined(limit, ExaminationEnd::Meets) => {
                test.meets_deadlines(system, Reason::DemandFits { limit: Ns(limit) })
            }
            Examination::Examined(_, ExaminationEnd::Exceeds { t, demand }) => {
                let reason = Reason::DemandExceeds { within: Ns(t), demand: Ns(demand) };
                test.refuted(system, reason, Bounds::None)
            }
            Examination::Examined(_, ExaminationEnd::Spent) => test.unknown(Reason::BudgetOfDemandSpent),
        }
    }
}
