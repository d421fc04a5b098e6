//! Baker's test of global EDF (BAK).
//!
//! T. Baker, *Multiprocessor EDF and deadline monotonic schedulability analysis*, RTSS 2003, Theorem 12:
//! deadlines are met on m processors if for every task k, with lambda = C_k / D_k,
//!
//! ```text
//! sum over all i of min(1, b_i) <= m (1 - lambda) + lambda
//! b_i = U_i (1 + (T_i - D_i) / D_k) + max(0, C_i - lambda T_i) / D_k
//! ```
//!
//! The theorem assumes D_i <= T_i. Applying the formula beyond is unsound: (C, T, D) = (1,10,10)
//! (4,15,120) (4,6,6) (3,5,5) (11,12,11) on three processors would pass and misses. Here it refuses.
//!
//! Jitter and self-suspension count as execution, sound for the reason given in [`super::gfb`]: the
//! proof only asks that m processors execute jobs of higher priority whenever a pending job neither
//! executes nor suspends itself. Quadratic time.

use super::tasks::{GlobalTask, GLOBAL_EDF};
use crate::budget::Budget;
use crate::exact::{filter, Fraction};
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::sides::{Quantity, Sides};
use crate::steps::{Computation, LoadSum, LoadTerm, Unwatched, Watch};
use crate::system::{SporadicTask, System};
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::TaskId;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "baker",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_EDF,
    source: "Baker, RTSS 2003, Theorem 12",
    cost: "O(n^2)",
    applies: System::is_preemptive_edf,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    if !system.has_constrained_deadlines() {
        return TEST.unknown(Reason::DeadlineBeyondPeriod);
    }
    if let Some(task) = system.tasks.iter().find(|task| task.pending_cost() > task.relative_deadline) {
        let (needs, has) = (Ns(task.pending_cost()), Ns(task.relative_deadline));
        return TEST.unknown(Reason::LateAlone { task: task.id, needs, has });
    }
    let tasks: Vec<Terms> = system.tasks.iter().map(Terms::of).collect();
    match first_failure(&tasks, system.processors, &|place| system.tasks[place].id, watch) {
        Ok(None) => TEST.meets_deadlines(system, Reason::ConditionHolds),
        Ok(Some(k)) => {
            let sum = Fraction::sum_of(shares(&tasks[k], &tasks));
            let sides = sides(&tasks[k], sum, system.processors, false);
            TEST.unknown(Reason::LoadsBefore { task: system.tasks[k].id, sides })
        }
        Err(TooClose) => TEST.unknown(Reason::TooClose),
    }
}

/// Returns whether the test answers `Schedulable`, as [`run`] does, but without the reason, whose exact numbers cost
/// more than the test.
pub(crate) fn accepts(system: &System) -> bool {
    let is_in_time = |task: &SporadicTask| task.pending_cost() <= task.relative_deadline;
    if system.needs_blocking() || !system.has_constrained_deadlines() || !system.tasks.iter().all(is_in_time)
    {
        return false;
    }
    let tasks: Vec<Terms> = system.tasks.iter().map(Terms::of).collect();
    matches!(first_failure(&tasks, system.processors, &|_| TaskId(0), &mut Unwatched), Ok(None))
}

/// Returns whether the condition holds for tasks with C <= D <= T; false if it is not known.
pub(super) fn holds(tasks: &[GlobalTask], processors: u32) -> bool {
    let tasks: Vec<Terms> =
        tasks.iter().map(|task| Terms::new(task.cost, task.period, task.relative_deadline)).collect();
    matches!(first_failure(&tasks, processors, &|_| TaskId(0), &mut Unwatched), Ok(None))
}

/// The budget for exact evaluation is spent.
struct TooClose;

fn first_failure(
    tasks: &[Terms],
    processors: u32,
    id: &impl Fn(usize) -> TaskId,
    watch: &mut impl Watch,
) -> Result<Option<usize>, TooClose> {
    let mut budget = Budget::of(EXACT_TERMS);
    let mut seen = BTreeSet::new();
    for (place, k) in tasks.iter().enumerate() {
        // Of k only its cost and its relative deadline matter. Remembering them pays among many.
        if tasks.len() > FEW && !seen.insert((k.cost, k.relative_deadline)) && !watch.wants(Some(id(place))) {
            continue;
        }
        match holds_for(place, tasks, processors, id, &mut budget, watch) {
            Some(true) => {}
            Some(false) => {
                watch.end_with(id(place));
                return Ok(Some(place));
            }
            None => return Err(TooClose),
        }
    }
    Ok(None)
}

/// Number of tasks up to which searching for equal tasks takes longer than evaluating each of them.
const FEW: usize = 256;

/// Terms that may be evaluated exactly, where floating point cannot tell.
const EXACT_TERMS: u64 = 1 << 18;

/// Parameters of one task, as integers and as floating point.
struct Terms {
    cost: u64,
    period: u64,
    relative_deadline: u64,
    cost_float: f64,
    period_float: f64,
    utilization: f64,
    /// Difference T - D of period and relative deadline.
    gap: f64,
}

impl Terms {
    fn of(task: &SporadicTask) -> Self {
        Terms::new(task.pending_cost(), task.period, task.relative_deadline)
    }

    fn new(cost: u64, period: u64, relative_deadline: u64) -> Self {
        Terms {
            cost,
            period,
            relative_deadline,
            cost_float: cost as f64,
            period_float: period as f64,
            utilization: filter::quotient((cost, period)),
            gap: (period - relative_deadline) as f64,
        }
    }
}

/// Returns whether the condition holds for the task at `place`, or `None` if the budget for exact evaluation is spent.
/// Sums that are shown are evaluated exactly, and decide, without taking from the budget where floating point would do.
fn holds_for(
    place: usize,
    tasks: &[Terms],
    processors: u32,
    id: &impl Fn(usize) -> TaskId,
    budget: &mut Budget,
    watch: &mut impl Watch,
) -> Option<bool> {
    let k = &tasks[place];
    let scale = 1.0 / k.relative_deadline as f64;
    let lambda = k.cost_float * scale;
    let (mut sum, mut size) = (0.0, 0.0);
    for i in tasks {
        let carried = (i.cost_float - lambda * i.period_float).max(0.0) * scale;
        let regular = i.utilization * (1.0 + i.gap * scale);
        sum += (regular + carried).min(1.0);
        size += regular + i.cost_float * scale;
    }
    // Moving lambda (m - 1) to the left: the right side is the integer m. A term is off by at most ten
    // roundings of `regular` and, as subtracting cancels digits, of C_i / D_k.
    let others = f64::from(processors - 1) * lambda;
    let left = sum + others;
    let error = (left + 10.0 * size + 10.0 * others) * filter::relative_error(tasks.len());
    match filter::compare(left, error, f64::from(processors)) {
        Some(_) if watch.wants(Some(id(place))) => Some(exactly(place, tasks, processors, id, watch).is_le()),
        Some(ordering) => Some(ordering.is_le()),
        None => budget.spend(tasks.len()).then(|| exactly(place, tasks, processors, id, watch).is_le()),
    }
}

/// Compares the sum, plus (m - 1) lambda, with m.
fn exactly(
    place: usize,
    tasks: &[Terms],
    processors: u32,
    id: &impl Fn(usize) -> TaskId,
    watch: &mut impl Watch,
) -> Ordering {
    let k = &tasks[place];
    let others = Fraction::new(k.cost, k.relative_deadline).times(&Fraction::integer(processors - 1));
    let terms = shares(k, tasks);
    let shown = watch.wants(Some(id(place))).then(|| terms.clone());
    let sum = Fraction::sum_of(terms);
    let found = sum.plus(&others).compare(&Fraction::integer(processors));
    if let Some(terms) = shown {
        let term = |(place, share): (usize, Fraction)| {
            let Terms { cost, period, relative_deadline, .. } = tasks[place];
            let value = Quantity::Fraction(share.reduced());
            LoadTerm { task: id(place), cost, period, relative_deadline, value }
        };
        let terms = terms.into_iter().enumerate().map(term).collect();
        let sides = sides(k, sum, processors, found.is_le());
        let Terms { cost, relative_deadline, .. } = *k;
        let of = id(place);
        watch.add(Computation::Load(LoadSum { of, cost, relative_deadline, terms, sides }));
    }
    found
}

/// Returns both sides of the condition for k, of which `sum` is the left one.
fn sides(k: &Terms, sum: Fraction, processors: u32, holds: bool) -> Sides {
    let most = Quantity::Rest { processors, of: (k.cost, k.relative_deadline) };
    Sides::percent(Quantity::Fraction(sum), most, holds)
}

/// By task: min(1, b_i).
fn shares(k: &Terms, tasks: &[Terms]) -> Vec<Fraction> {
    let due = Fraction::integer(k.relative_deadline);
    let lambda = Fraction::new(k.cost, k.relative_deadline);
    let one = Fraction::integer(1);
    let term = |i: &Terms| {
        let stretch = u128::from(k.relative_deadline) + u128::from(i.period - i.relative_deadline);
        let regular = Fraction::new(i.cost, i.period).times(&Fraction::integer(stretch));
        let carried = Fraction::integer(i.cost).minus(&lambda.times(&Fraction::integer(i.period)));
        let both = if carried.is_positive() { regular.plus(&carried) } else { regular };
        let beta = both.over(&due);
        if beta.compare(&one).is_gt() {
            one.clone()
        } else {
            beta
        }
    };
    tasks.iter().map(term).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tasks of C = D / 2 and T = 3 D / 2 on one processor: lambda = 1/2, b = 1/3 (1 + 1/2) = 1/2 each. They meet
    /// the bound; a nanosecond more is beyond it, however long the periods are.
    #[test]
    fn equality_with_short_deadlines_is_decided_exactly() {
        for unit in [1, 1 << 47] {
            let of = |cost| GlobalTask { cost, period: 6 * unit, relative_deadline: 4 * unit };
            assert!(holds(&[of(2 * unit); 2], 1));
            assert!(!holds(&[of(2 * unit), of(2 * unit + 1)], 1));
        }
    }

    /// By hand: in an interval of 5, (9, 10) counts with 5, not with 9/10 5 + 7.
    #[test]
    fn no_task_takes_more_than_the_interval() {
        let tasks = [
            GlobalTask { cost: 9, period: 10, relative_deadline: 10 },
            GlobalTask { cost: 1, period: 5, relative_deadline: 5 },
        ];
        // For the second, lambda = 1/5: min(1, 9/10 + 7/5) + 1/5 = 6/5, at most 2 (1 - 1/5) + 1/5 = 9/5.
        // For the first, lambda = 9/10: 9/10 + 1/5 = 11/10, at most 2/10 + 9/10 = 11/10.
        assert!(holds(&tasks, 2));
    }
}
