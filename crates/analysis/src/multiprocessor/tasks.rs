//! Tasks as tests of global scheduling read them, and what such a test finds.

use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::reason::Reason;
use crate::system::System;
use crate::verdict::{Test, Verdict};

/// One task; its cost includes jitter and self-suspension, see [`super`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalTask {
    /// C + S + J.
    pub cost: u64,
    /// T.
    pub period: u64,
    /// D.
    pub relative_deadline: u64,
}

/// What most tests of global EDF rest on.
pub(super) const GLOBAL_EDF: &[Assumption] = &[
    Assumption::GlobalEdf,
    Assumption::ConstrainedDeadlines,
    Assumption::DelaysAsExecution,
    Assumption::NoOverheads,
];

/// The same of global fixed priorities.
pub(super) const GLOBAL_FP: &[Assumption] = &[
    Assumption::GlobalFixedPriorities,
    Assumption::ConstrainedDeadlines,
    Assumption::DelaysAsExecution,
    Assumption::NoOverheads,
];

/// Sums over all tasks and processors of lengths up to the longest period stay below this.
pub(super) const LARGEST_SUM: u128 = 1 << 62;

/// Terms that an iterative test evaluates before it gives up: a fraction of a second.
pub(super) const TERMS: u64 = 1 << 25;

/// What a test found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// The condition holds for every task.
    Holds,
    /// It fails for the task at this place.
    Fails(usize),
    /// The budget ended first.
    Spent,
}

/// The tasks of a preemptive global system with C <= D <= T, or why a test says nothing.
pub(super) fn constrained(system: &System) -> Result<Vec<GlobalTask>, Reason> {
    if !system.has_constrained_deadlines() {
        return Err(Reason::DeadlineBeyondPeriod);
    }
    feasible(system)
}

/// The tasks of a preemptive global system with C <= min(D, T), or why a test says nothing.
pub(super) fn feasible(system: &System) -> Result<Vec<GlobalTask>, Reason> {
    if system.needs_blocking() {
        return Err(Reason::SectionsNotCounted);
    }
    let mut longest = 0;
    let mut tasks = Vec::with_capacity(system.tasks.len());
    for task in &system.tasks {
        let (cost, period, relative_deadline) = (task.pending_cost(), task.period, task.relative_deadline);
        if cost > relative_deadline.min(period) {
            return Err(Reason::LateAlone(task.id));
        }
        longest = longest.max(period).max(relative_deadline);
        tasks.push(GlobalTask { cost, period, relative_deadline });
    }
    let most = tasks.len() as u128 + u128::from(system.processors) + 2;
    if 2 * u128::from(longest) * most >= LARGEST_SUM {
        return Err(Reason::TooLong);
    }
    Ok(tasks)
}

/// Runs `find` on the tasks if they are `constrained`, and makes a verdict of what it finds.
pub(super) fn judge(
    test: &Test,
    system: &System,
    find: fn(&[GlobalTask], u64, &mut Budget) -> Finding,
) -> Verdict {
    let tasks = match constrained(system) {
        Ok(tasks) => tasks,
        Err(reason) => return test.unknown(reason),
    };
    let finding = find(&tasks, system.processors.into(), &mut Budget::of(TERMS));
    conclude(test, system, finding)
}

/// The verdict of a test that gives no bounds of its own.
pub(super) fn conclude(test: &Test, system: &System, finding: Finding) -> Verdict {
    match finding {
        Finding::Holds => test.meets_deadlines(system, Reason::ConditionHolds),
        Finding::Fails(task) => test.unknown(Reason::ConditionFails(system.tasks[task].id)),
        Finding::Spent => test.unknown(Reason::BudgetSpent),
    }
}
