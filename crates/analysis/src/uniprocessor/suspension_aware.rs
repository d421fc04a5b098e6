//! Response times of tasks that suspend themselves, under preemptive fixed priorities on one processor.
//!
//! J.-J. Chen, G. Nelissen and W.-H. Huang, *A unifying response time analysis framework for dynamic self-suspending
//! tasks*, ECRTS 2016, Theorem 3, which contains the correct form of suspension as jitter (J.-J. Chen et al., *Many
//! suspensions, many problems*, Real-Time Systems 55(1), 2019, section 4): for any choice of x_i in {0, 1}, the
//! response time of task k is at most the least
//!
//! ```text
//! R = C_k + S_k + sum over higher priorities i of ceil((R + Q_i + (1 - x_i) (R_i - C_i)) / T_i) C_i
//! Q_i = sum of x_j S_j over j from i to just above k
//! ```
//!
//! if no R, R_i is beyond its period. Own suspension is execution. With all x_i = 0, a task's suspension delays its own
//! execution (a jitter of R_i - C_i; the published S_i as jitter is unsound); with x_i = 1 it delays those below it.
//! Tried are all x_i = 0 and the paper's linear rule, x_i = 1 where U_i (R_i - C_i) > S_i times the utilization from i
//! upwards; the smaller result counts. A task that does not suspend itself has x_i = 1, for nothing.
//!
//! A job that is not yet released is one that suspends itself first: S contains J, and R counts from the arrival.
//! Sustainable: shorter costs, suspensions and longer periods are included. Pseudo-polynomial.

use super::response_time::{conclude, LongestResponse};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::steps::{
    Computation, GoesBefore, JitterCause, JobsOf, ResponseSteps, Unwatched, Watch, WindowRule, Windows,
};
use crate::system::System;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::{Duration, TaskId};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "suspension_aware",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::OneProcessorFixedPriorities,
        Assumption::ResponsesWithinPeriods,
        Assumption::JitterAsFirstSuspension,
        Assumption::NoOverheads,
    ],
    source: "Chen, Nelissen and Huang, ECRTS 2016; Chen et al., RTS 55(1), 2019",
    cost: "pseudo-polynomial; O(n^2) for a step of all fixed points",
    applies: |system| {
        system.is_preemptive_fp_uniprocessor() && (system.has_suspension() || system.has_jitter())
    },
    run: |system| run(system, &mut Unwatched),
};

/// Terms that the registry's test may evaluate: some milliseconds.
const TERMS: u64 = 1 << 20;

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    let none = vec![0; system.tasks.len()];
    let bounds = bounds_watched(system, &none, Choice::Best, &mut Budget::of(TERMS), watch);
    let order = system.by_priority();
    if let Some(place) = bounds.iter().position(Option::is_none) {
        let mut known = vec![None; bounds.len()];
        order.iter().zip(bounds).for_each(|(&index, bound)| known[index] = bound.map(Duration::from_ns));
        let task = &system.tasks[order[place]];
        let reason = Reason::ResponseNotKnown { task: task.id, period: Ns(task.period) };
        return TEST.unknown_with(reason, Bounds::ResponseTime(known));
    }
    let mut outcomes = vec![LongestResponse::Unbounded; bounds.len()];
    for (&index, bound) in order.iter().zip(bounds.into_iter().flatten()) {
        outcomes[index] = LongestResponse::Bounded(bound.into());
    }
    conclude(&TEST, system, &outcomes, |reason, bounds| TEST.unknown_with(reason, bounds))
}

/// Choices of the x_i that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// All x_i are zero: suspension as jitter.
    Jitter,
    /// All x_i are zero, or as the linear rule chooses them, whichever gives the smaller bound.
    Best,
}

/// A task of higher priority.
struct Higher {
    task: TaskId,
    cost: u64,
    period: u64,
    suspension: u64,
    /// Response time less cost, R - C: how much later than its release a job may execute.
    carried: u64,
    /// True if the linear rule chooses x_i = 1: the task delays those below by its suspension rather than by jitter.
    delays_those_below: bool,
}

/// Bounds by falling priority, `None` from the first task on whose bound is beyond its period or the budget. `blocking`
/// by task of `system` is added to each job.
pub fn bounds(system: &System, blocking: &[u64], choice: Choice, budget: &mut Budget) -> Vec<Option<u64>> {
    bounds_watched(system, blocking, choice, budget, &mut Unwatched)
}

/// Returns the bounds as [`bounds`] does while `watch` watches.
fn bounds_watched(
    system: &System,
    blocking: &[u64],
    choice: Choice,
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> Vec<Option<u64>> {
    let order = system.by_priority();
    let mut bounds = vec![None; order.len()];
    let mut higher: Vec<Higher> = Vec::with_capacity(order.len());
    let mut load = 0.0;
    for (place, &index) in order.iter().enumerate() {
        let task = &system.tasks[index];
        let own = Own {
            task: task.id,
            cost: task.pending_cost(),
            blocking: blocking[index],
            period: task.period,
            relative_deadline: task.relative_deadline,
        };
        let by_jitter = response(&own, &higher, WindowRule::SuspensionAsJitter, budget, watch);
        let by_rule = match choice {
            Choice::Jitter => None,
            Choice::Best => response(&own, &higher, WindowRule::SuspensionByRule, budget, watch),
        };
        let Some(response) = [by_jitter, by_rule].into_iter().flatten().min() else {
            watch.end_with(task.id);
            break;
        };
        bounds[place] = Some(response);
        let suspension = task.suspension + task.jitter;
        let carried = if suspension > 0 { response - task.cost } else { 0 };
        let share = task.cost as f64 / task.period as f64;
        load += share;
        // Any choice is sound, so that rounding does not matter.
        let delays_those_below = share * carried as f64 > suspension as f64 * load;
        let (task, cost, period) = (task.id, task.cost, task.period);
        higher.push(Higher { task, cost, period, suspension, carried, delays_those_below });
    }
    bounds
}

/// The task whose response time is bounded.
struct Own {
    task: TaskId,
    cost: u64,
    blocking: u64,
    period: u64,
    relative_deadline: u64,
}

impl Own {
    /// Cost and blocking.
    fn all(&self) -> u64 {
        self.cost.saturating_add(self.blocking)
    }
}

/// Returns the least response time by `rule`; `None` if it is beyond the period or the budget.
fn response(
    own: &Own,
    higher: &[Higher],
    rule: WindowRule,
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> Option<u64> {
    match (watch.wants(Some(own.task)), rule == WindowRule::SuspensionByRule) {
        (true, by_rule) => {
            let delays = |level: &Higher| by_rule && level.delays_those_below;
            shown(own, higher, rule, delays, budget, watch)
        }
        (false, true) => {
            let delays = |level: &Higher| level.delays_those_below;
            fixed_point(own.all(), higher, delays, own.period, budget, &mut Unwatched)
        }
        (false, false) => fixed_point(own.all(), higher, |_| false, own.period, budget, &mut Unwatched),
    }
}

/// Returns what [`fixed_point`] does, and shows its steps.
fn shown(
    own: &Own,
    higher: &[Higher],
    rule: WindowRule,
    by_rule: impl Fn(&Higher) -> bool,
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> Option<u64> {
    let shown_own = GoesBefore {
        task: own.task,
        cost: own.cost,
        spinning: 0,
        period: own.period,
        jitter: 0,
        jitter_cause: JitterCause::Jitter,
    };
    let mut below = 0;
    // The nearest task first, as the sum goes.
    let of = |level: &Higher| {
        let delays = by_rule(level);
        below += if delays { level.suspension } else { 0 };
        let carried = if delays { 0 } else { level.carried };
        let jitter_cause = JitterCause::Suspension { below, carried };
        let (task, cost, period) = (level.task, level.cost, level.period);
        GoesBefore { task, cost, spinning: 0, period, jitter: below + carried, jitter_cause }
    };
    let before = higher.iter().rev().map(of).collect();
    let mut steps = ResponseSteps::new(rule, shown_own, own.blocking, own.relative_deadline, before);
    steps.begin(1, own.all().into());
    let found = fixed_point(own.all(), higher, by_rule, own.period, budget, &mut steps);
    if let Some(response) = found {
        steps.respond(response.into());
    }
    steps.bound = found.map(u128::from);
    watch.add(Computation::Response(steps));
    found
}

fn fixed_point(
    own: u64,
    higher: &[Higher],
    delays: impl Fn(&Higher) -> bool,
    limit: u64,
    budget: &mut Budget,
    rows: &mut impl Windows,
) -> Option<u64> {
    let own = u128::from(own);
    let next = |response: u128| {
        let (mut next, mut below) = (own, 0u128);
        for level in higher.iter().rev() {
            let carried = if delays(level) {
                below += u128::from(level.suspension);
                0
            } else {
                u128::from(level.carried)
            };
            let jobs = (response + below + carried).div_ceil(u128::from(level.period));
            let work = jobs * u128::from(level.cost);
            rows.jobs(JobsOf { jobs: jobs as u64, work });
            next += work;
        }
        rows.row(response, next);
        next
    };
    let found = budget.least_fixed_point(own.max(1), limit.into(), higher.len() + 1, next);
    found.map(|response| response as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnalysedOrder, AnalysedScheduler, Arrivals};
    use schedlab_model::{Duration, Suspension, Task, Work};

    fn system(rows: &[(u64, u64, u64)]) -> System {
        let task = |&(cost, period, suspension): &(u64, u64, u64)| Task {
            suspension: Suspension::Dynamic(Duration::from_ns(suspension)),
            ..Task::implicit(Work::from_ns(cost), Duration::from_ns(period))
        };
        let tasks: Vec<Task> = rows.iter().map(task).collect();
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let arrivals = Arrivals::Sporadic;
        let fp = AnalysedScheduler {
            order: AnalysedOrder::FixedPriority,
            preemptive: true,
            ranks: &ranks,
            points: &[],
            arrivals,
        };
        System::global(&tasks, 1, &fp).unwrap()
    }

    /// The second task responds within 10 + 10 = 20, hence a jitter of 15; the third within 1 + 11 + 2 * 5 = 22. With
    /// the suspension of 5 itself as jitter, it would be 12.
    #[test]
    fn suspension_itself_is_not_the_jitter() {
        let system = system(&[(1, 2, 0), (5, 20, 5), (1, 50, 0)]);
        let by_jitter = bounds(&system, &[0; 3], Choice::Jitter, &mut Budget::default());
        assert_eq!(by_jitter, [Some(1), Some(20), Some(22)]);
    }

    /// With 20 of its own, the third task meets a second job of the second one if that suspends itself at all: 20 +
    /// 10 + ceil((60 + 1) / 60) 30.
    #[test]
    fn a_suspension_above_counts_in_full() {
        let system = system(&[(10, 100, 0), (30, 60, 1), (20, 200, 0)]);
        let best = bounds(&system, &[0; 3], Choice::Best, &mut Budget::default());
        assert_eq!(best, [Some(10), Some(41), Some(90)]);
    }

    /// To those below, a release that may be late is a suspension: as in the first example, with a jitter in its place.
    #[test]
    fn jitter_is_a_suspension() {
        let mut system = system(&[(1, 2, 0), (5, 20, 0), (1, 50, 0)]);
        system.tasks[1].jitter = 5;
        let by_jitter = bounds(&system, &[0; 3], Choice::Jitter, &mut Budget::default());
        assert_eq!(by_jitter, [Some(1), Some(20), Some(22)]);
    }

    /// The second task suspends itself for 1 but responds late: it carries in a second job as jitter, 12 + 10 + 2 *
    /// 30 = 82, but delays the third by no more than 1: 12 + 10 + ceil((52 + 1) / 60) 30 = 52.
    #[test]
    fn a_short_suspension_delays_those_below_instead() {
        let system = system(&[(10, 100, 0), (30, 60, 1), (12, 200, 0)]);
        let by_jitter = bounds(&system, &[0; 3], Choice::Jitter, &mut Budget::default());
        let best = bounds(&system, &[0; 3], Choice::Best, &mut Budget::default());
        assert_eq!((by_jitter[1], best[1]), (Some(41), Some(41)));
        assert_eq!((by_jitter[2], best[2]), (Some(82), Some(52)));
    }
}
