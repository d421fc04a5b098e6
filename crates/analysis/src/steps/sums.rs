//! Sums that a test compares with a bound.

use super::Computation;
use crate::exact::Pair;
use crate::sides::{Quantity, Sides};
use crate::system::System;
use schedlab_model::TaskId;

/// What fractions are added or multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatioKind {
    /// Utilizations, added.
    Utilizations,
    /// Densities, added.
    Densities,
    /// Utilizations and 1, multiplied.
    Successors,
}

/// One fraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatioTerm {
    /// The task whose fraction it is.
    pub task: TaskId,
    /// The fraction; of a [`RatioKind::Successors`] without the 1.
    pub value: Quantity,
}

/// A sum or a product of fractions beside the most that it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatioSum {
    /// The kind of the fractions.
    pub kind: RatioKind,
    /// The fractions, of all tasks.
    pub terms: Vec<RatioTerm>,
    /// Sum or product, and the bound.
    pub sides: Sides,
}

/// The sum of one fraction of each task of `system`, in their order, as a step.
pub(crate) fn sum_of_all(
    kind: RatioKind,
    system: &System,
    fractions: Vec<Pair>,
    sides: &Sides,
) -> Computation {
    sum_shown(kind, system.tasks.iter().map(|task| task.id).zip(fractions), sides.clone())
}

/// The sum of these tasks' fractions, as a step.
pub(crate) fn sum_shown(
    kind: RatioKind,
    fractions: impl Iterator<Item = (TaskId, Pair)>,
    sides: Sides,
) -> Computation {
    let term = |(task, fraction)| RatioTerm { task, value: Quantity::quotient(fraction) };
    Computation::Ratio(RatioSum { kind, terms: fractions.map(term).collect(), sides })
}

/// Share of the time before a job's deadline that a task may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadTerm {
    /// The task.
    pub task: TaskId,
    /// Cost in ns, with what counts as execution.
    pub cost: u64,
    /// Period in ns.
    pub period: u64,
    /// Relative deadline in ns.
    pub relative_deadline: u64,
    /// The share, at most 1.
    pub value: Quantity,
}

/// Shares of the time before a job's deadline, added, beside the most that they may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadSum {
    /// The task whose deadline is examined.
    pub of: TaskId,
    /// Its cost in ns, with what counts as execution.
    pub cost: u64,
    /// Its relative deadline in ns.
    pub relative_deadline: u64,
    /// The shares.
    pub terms: Vec<LoadTerm>,
    /// Sum and bound.
    pub sides: Sides,
}

/// Work of one task in an interval, of which no more than a cap counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CappedWork {
    /// The task.
    pub task: TaskId,
    /// Number of its jobs that arrive and are due in the interval.
    pub jobs: u64,
    /// Cost of each, in ns.
    pub cost: u64,
    /// Work of the job that is carried in, in ns.
    pub carried: u64,
    /// All of this work, in ns.
    pub work: u64,
    /// The part that counts, in ns.
    pub counted: u64,
}

/// Work of others before the deadline of a job, beside the room that processors have for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkSum {
    /// The task whose deadline is examined.
    pub of: TaskId,
    /// Length of the interval, in ns: the relative deadline.
    pub within: u64,
    /// Most work of one task that counts, in ns: relative deadline less cost.
    pub cap: u64,
    /// Number of processors.
    pub processors: u64,
    /// The others' work.
    pub terms: Vec<CappedWork>,
    /// The work that counts, in ns.
    pub sum: u64,
    /// The room, in ns: the cap on each processor.
    pub room: u64,
    /// True if some work is not cut to the cap: then the sum may be equal to the room.
    pub may_be_equal: bool,
    /// True if the sum is small enough.
    pub holds: bool,
}

/// Work of one task before a deadline of another one, where its own jobs complete some time before their deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlackTerm {
    /// The task.
    pub task: TaskId,
    /// Number of its whole jobs.
    pub jobs: u64,
    /// Cost of each, in ns.
    pub cost: u64,
    /// Period in ns.
    pub period: u64,
    /// Time from a completion to the deadline, in ns, that is known of each job until then.
    pub slack: u64,
    /// Work of the job that is carried in, in ns.
    pub carried: u64,
    /// The part of all this work that counts, in ns.
    pub counted: u64,
}

/// Time that is left between the completion of a job and its deadline, with what was known of the others until then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackSum {
    /// The task whose deadline is examined.
    pub of: TaskId,
    /// Number of the round, from 1.
    pub round: u64,
    /// Length of the interval, in ns: the relative deadline.
    pub within: u64,
    /// Relative deadline less cost, in ns; of each other task, one nanosecond more counts at most.
    pub room: u64,
    /// Number of processors.
    pub processors: u64,
    /// The others' work.
    pub terms: Vec<SlackTerm>,
    /// The work that counts, in ns.
    pub sum: u64,
    /// Longest delay, in ns: the sum over the processors, rounded down.
    pub delay: u64,
    /// The room less the delay, in ns; `None` if the delay is longer, so that the job may be late.
    pub slack: Option<u64>,
}
