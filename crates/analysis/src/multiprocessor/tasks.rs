//! Tasks as tests of global scheduling read them, and the findings of such tests.

use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::exact::Pair;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::sides::{Quantity, Sides};
use crate::system::{SporadicTask, System};
use crate::verdict::{Test, Verdict};

/// One task, whose cost includes jitter and self-suspension, see [`super`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalTask {
    /// Cost with self-suspension and jitter: C + S + J.
    pub cost: u64,
    /// Period T.
    pub period: u64,
    /// Relative deadline D.
    pub relative_deadline: u64,
}

/// Assumptions of most tests of global EDF.
pub(super) const GLOBAL_EDF: &[Assumption] = &[
    Assumption::GlobalEdf,
    Assumption::ConstrainedDeadlines,
    Assumption::DelaysAsExecution,
    Assumption::NoOverheads,
];

/// Assumptions of most tests of global fixed priorities.
pub(super) const GLOBAL_FP: &[Assumption] = &[
    Assumption::GlobalFixedPriorities,
    Assumption::ConstrainedDeadlines,
    Assumption::DelaysAsExecution,
    Assumption::NoOverheads,
];

/// Upper limit of sums over all tasks and processors of lengths up to the longest period.
pub(super) const LARGEST_SUM: u128 = 1 << 62;

/// Terms that an iterative test evaluates before it gives up: a fraction of a second.
pub(super) const TERMS: u64 = 1 << 25;

/// Result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// The condition holds for every task.
    Holds,
    /// The condition fails.
    Fails(Failure),
    /// The budget was spent before the condition was evaluated.
    Spent,
}

/// Values that the test compared where its condition fails. `task` is a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Within a length of time up to a deadline of the task, more work may go before it than there is room for.
    Room { task: usize, within: u64, demand: u128, room: u128 },
    /// Some work before a deadline of the task has to be less than the room, and is not.
    RoomReached { task: usize, within: u64, demand: u128, room: u128 },
    /// Within a length of time, more work may be due than there is room for.
    RoomForAll { within: u64, demand: u128, room: u128 },
    /// A job of the task may be delayed for longer than its cost leaves until its deadline.
    Delay { task: usize, delay: u64, room: u64 },
    /// The bound on the task's response is at least this, and beyond its deadline.
    Response { task: usize, response: u64 },
    /// The demand within this length is above this load times the length.
    Load { within: u64, demand: u128, bound: Pair },
    /// The utilization is above this load.
    LoadOfUtilization { bound: Pair },
    /// At this least speed, the utilization is above m - (m - 1) times it.
    Speed { speed: Pair },
}

impl Failure {
    /// Returns the failure as a reason.
    fn reason(self, tasks: &[GlobalTask], system: &System) -> Reason {
        let id = |task: usize| system.tasks[task].id;
        let utilization = || Quantity::Sum(tasks.iter().map(|task| (task.cost, task.period)).collect());
        match self {
            Failure::Room { task, within, demand, room } => Reason::RoomExceeded {
                task: id(task),
                within: Ns(within),
                demand: Ns(demand),
                room: Ns(room),
            },
            Failure::RoomReached { task, within, demand, room } => {
                Reason::RoomReached { task: id(task), within: Ns(within), demand: Ns(demand), room: Ns(room) }
            }
            Failure::RoomForAll { within, demand, room } => {
                Reason::RoomForAllExceeded { within: Ns(within), demand: Ns(demand), room: Ns(room) }
            }
            Failure::Delay { task, delay, room } => {
                Reason::DelayExceeds { task: id(task), delay: Ns(delay), room: Ns(room) }
            }
            Failure::Response { task, response } => response_may_be_long(system, task, response),
            Failure::Load { within, demand, bound } => {
                let load = Quantity::Quotient(demand, within);
                let sides = Sides::percent(load, Quantity::quotient(bound), false);
                system.with_delays(Reason::LoadExceeds { within: Ns(within), demand: Ns(demand), sides })
            }
            Failure::LoadOfUtilization { bound } => {
                let sides = Sides::percent(utilization(), Quantity::quotient(bound), false);
                system.with_delays(Reason::LoadOfUtilization(sides))
            }
            Failure::Speed { speed } => {
                let left = Quantity::Rest { processors: system.processors, of: speed };
                let sides = Sides::percent(utilization(), left, false);
                system.with_delays(Reason::SpeedTooHigh(sides))
            }
        }
    }
}

/// Reason: the bound on a response time of the task at place `task` is at least `response`, which is beyond its
/// deadline.
pub(super) fn response_may_be_long(system: &System, task: usize, response: u64) -> Reason {
    let task = &system.tasks[task];
    let relative_deadline = Ns(task.relative_deadline);
    Reason::ResponseMayBeLong { task: task.id, response: Ns(response), relative_deadline }
}

/// Reason: no response time is above its relative deadline, by `bounds` in the order of `system.tasks`.
pub(super) fn responses_short(system: &System, bounds: &[u64]) -> Reason {
    let left = |(task, bound): &(&SporadicTask, &u64)| task.relative_deadline.saturating_sub(**bound);
    match system.tasks.iter().zip(bounds).min_by_key(left) {
        None => Reason::ResponsesShort,
        Some((task, &response)) => Reason::Closest {
            task: task.id,
            response: Ns(response.into()),
            relative_deadline: Ns(task.relative_deadline.into()),
        },
    }
}

/// The tasks of a preemptive global system with C <= D <= T, or the reason why a test does not apply.
pub(super) fn constrained(system: &System) -> Result<Vec<GlobalTask>, Reason> {
    if !system.has_constrained_deadlines() {
        return Err(Reason::DeadlineBeyondPeriod);
    }
    feasible(system)
}

/// The tasks of a preemptive global system with C <= min(D, T), or the reason why a test does not apply.
pub(super) fn feasible(system: &System) -> Result<Vec<GlobalTask>, Reason> {
    if system.needs_blocking() {
        return Err(Reason::SectionsNotCounted);
    }
    let mut longest = 0;
    let mut tasks = Vec::with_capacity(system.tasks.len());
    for task in &system.tasks {
        let (cost, period, relative_deadline) = (task.pending_cost(), task.period, task.relative_deadline);
        let has = relative_deadline.min(period);
        if cost > has {
            return Err(Reason::LateAlone { task: task.id, needs: Ns(cost), has: Ns(has) });
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

/// Runs `find` on the tasks if they are `constrained`, and turns the finding into a verdict.
pub(super) fn judge(
    test: &Test,
    system: &System,
    find: impl FnOnce(&[GlobalTask], u64, &mut Budget) -> Finding,
) -> Verdict {
    let tasks = match constrained(system) {
        Ok(tasks) => tasks,
        Err(reason) => return test.unknown(reason),
    };
    let finding = find(&tasks, system.processors.into(), &mut Budget::of(TERMS));
    conclude(test, system, &tasks, finding)
}

/// Returns the verdict of a test that gives no bounds of its own, with its finding for `tasks`.
pub(super) fn conclude(test: &Test, system: &System, tasks: &[GlobalTask], finding: Finding) -> Verdict {
    match finding {
        Finding::Holds => test.meets_deadlines(system, Reason::ConditionHolds),
        Finding::Fails(failure) => test.unknown(failure.reason(tasks, system)),
        Finding::Spent => test.unknown(Reason::BudgetSpent),
    }
}
