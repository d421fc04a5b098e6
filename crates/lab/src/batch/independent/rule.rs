//! The rule by which the scheduler of a question orders jobs.

use super::QuestionError;
use crate::prepare::scheduler::breaks_ties;
use schedlab_analysis::{Guarantee, Quanta};
use schedlab_model::{Alignment, Duration, OrderClass, Platform};
use schedlab_policy::{Make, Needs, Scheduler, ALL_ORDERS};

/// The rule that orders jobs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// The order of a scheduler that is not Pfair.
    Ordered(OrderClass),
    Pfair(Quanta),
}

impl Rule {
    /// Returns the rule of a scheduler.
    pub(super) fn of(scheduler: &Scheduler, guarantee: Guarantee) -> Rule {
        match scheduler.class().is_pfair() {
            true => Rule::Pfair(Quanta {
                length: Platform::DEFAULT_QUANTUM,
                staggered: scheduler.quanta == Some(Alignment::Staggered),
                guaranteed: guarantee == Guarantee::Hard,
                breaks_ties: breaks_ties(scheduler.class()),
            }),
            false => Rule::Ordered(scheduler.class()),
        }
    }

    /// True if the scheduler plans with time that overheads would take.
    pub(super) fn plans(&self) -> bool {
        matches!(self, Rule::Ordered(OrderClass::Theorem(its)) if !its.bears_overheads())
    }

    /// Takes the published rule for staggered quanta, by which every period is shorter by a quantum, in place of what
    /// each task's own numbers demand.
    pub(super) fn shorten_all(&mut self) -> Result<(), QuestionError> {
        match self {
            Rule::Pfair(quanta) if quanta.staggered && quanta.guaranteed => {
                quanta.guaranteed = false;
                Ok(())
            }
            Rule::Pfair(_) | Rule::Ordered(_) => Err(QuestionError::LessAQuantum),
        }
    }

    /// Returns the time between two ticks: under Pfair the quantum.
    pub(super) fn quantum(&self) -> Duration {
        match self {
            Rule::Pfair(quanta) => quanta.length,
            Rule::Ordered(_) => Platform::DEFAULT_QUANTUM,
        }
    }
}

/// True if the task set alone determines the order of jobs: drawn tasks state no priorities and no pieces.
pub(super) fn is_for_batches(scheduler: &Scheduler) -> bool {
    // No test is about schedulers that give jobs up.
    let is_ordered = scheduler.needs() == Needs::Nothing && !scheduler.accrues_utility();
    scheduler.class().is_pfair() || is_ordered && !scheduler.keeps_pieces()
}

/// True if the scheduler's name is the name of a listed order with letters before it.
pub(super) fn is_of_shipped_order(scheduler: &Scheduler) -> bool {
    match scheduler.make {
        Make::Clustered { order, .. } => ALL_ORDERS.iter().any(|known| known.name == order.name),
        Make::Pfair { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => false,
    }
}
