//! Baker and Baruah's test by load, for arbitrary deadlines (LOAD).
//!
//! T. Baker and S. Baruah, *An analysis of global EDF schedulability for arbitrary-deadline sporadic task systems*,
//! Real-Time Systems 43(1), 2009: with d the largest C_i / min(D_i, T_i), M = m - (m - 1) d, and
//!
//! ```text
//! LOAD = sup over t > 0 of sum of max(0, floor((t - D_i) / T_i) + 1) C_i / t
//! ```
//!
//! deadlines are met if LOAD is at most max(M - (ceil(M) - 1) d, ceil(M) - 1 - (ceil(M) - 2) d).
//!
//! LOAD itself is not computed, nor approximated: whether it is at most a number p/q is a question of processor demand
//! against time that runs at p/q, which Zhang and Burns' walk from a horizon downwards answers (see
//! [`crate::uniprocessor::qpa`]). Pseudo-polynomial.

use super::tasks::{conclude, feasible, Failure, Finding, GlobalTask, LARGEST_SUM, TERMS};
use crate::assumption::Assumption;
use crate::budget::Budget;
use crate::exact::{compare, compare_sum_to, filter, Pair};
use crate::reason::Reason;
use crate::sides::{Quantity, Share};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "load",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[Assumption::GlobalEdf, Assumption::DelaysAsExecution, Assumption::NoOverheads],
    source: "Baker and Baruah, RTS 43(1), 2009",
    cost: "pseudo-polynomial; usually a handful of steps of O(n)",
    applies: System::is_preemptive_edf_multiprocessor,
    run,
};

fn run(system: &System) -> Verdict {
    match feasible(system) {
        Err(reason) => TEST.unknown(reason),
        Ok(tasks) => match find(&tasks, system.processors.into(), &mut Budget::of(TERMS)) {
            Finding::Holds => {
                let bound = limit(&tasks, system.processors.into()).unwrap_or((1, 1));
                let bound = Share(Quantity::quotient(bound));
                TEST.meets_deadlines(system, Reason::LoadFits { bound })
            }
            finding @ (Finding::Fails(_) | Finding::Spent) => conclude(&TEST, system, &tasks, finding),
        },
    }
}

pub(super) fn find(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> Finding {
    let Some(limit) = limit(tasks, processors) else { return Finding::Holds };
    at_most(tasks, limit, budget)
}

/// The bound on the load; `None` without tasks.
fn limit(tasks: &[GlobalTask], processors: u64) -> Option<Pair> {
    let densities = tasks.iter().map(|task| (task.cost, task.relative_deadline.min(task.period)));
    densities.max_by(|&a, &b| compare(a, b)).map(|largest| bound(largest, processors))
}

/// The bound on the load for this largest density, at most 1.
pub(crate) fn bound((cost, window): Pair, processors: u64) -> Pair {
    let whole = processors * window - (processors - 1) * cost;
    // ceil(M) - 1 processors are sure to be busy.
    let busy = whole.div_ceil(window) - 1;
    let first = whole - busy * cost;
    // With busy = 0: d itself, which is at most M.
    let second = (busy * window + cost).saturating_sub(busy * cost);
    (first.max(second), window)
}

/// Returns whether the load is at most `limit`. If no horizon is known, the budget counts as spent.
fn at_most(tasks: &[GlobalTask], limit: Pair, budget: &mut Budget) -> Finding {
    let utilizations: Vec<Pair> = tasks.iter().map(|task| (task.cost, task.period)).collect();
    let load = compare_sum_to(&utilizations, limit);
    if load.is_gt() {
        return Finding::Fails(Failure::LoadOfUtilization { bound: limit });
    }
    // Without a relative deadline below its period, demand is never above t U.
    if tasks.iter().all(|task| task.relative_deadline >= task.period) {
        return Finding::Holds;
    }
    let Some(mut length) = horizon(tasks, limit) else { return Finding::Spent };
    while length > 0 {
        if !budget.spend(tasks.len()) {
            return Finding::Spent;
        }
        let demand: u64 = tasks.iter().map(|task| demand(task, length)).sum();
        let at_rate = u128::from(demand) * u128::from(limit.1);
        if at_rate > u128::from(limit.0) * u128::from(length) {
            return Finding::Fails(Failure::Load { within: length, demand: demand.into(), bound: limit });
        }
        // Of all above, demand is at most that of `length`.
        length = ((at_rate / u128::from(limit.0)) as u64).min(length - 1);
    }
    Finding::Holds
}

/// Returns the length beyond which demand is below the line: it is at most t U + sum of U_i max(0, T_i - D_i).
fn horizon(tasks: &[GlobalTask], limit: Pair) -> Option<u64> {
    let (mut load, mut constant) = (0.0, 0.0);
    for task in tasks {
        let utilization = filter::quotient((task.cost, task.period));
        load += utilization;
        constant += utilization * task.period.saturating_sub(task.relative_deadline) as f64;
    }
    let limit = filter::quotient(limit);
    let spare = limit - load - 4.0 * limit * filter::relative_error(tasks.len());
    let horizon = constant / spare * (1.0 + 1e-9) + 1.0;
    let most = LARGEST_SUM as f64 / (tasks.len() as f64 + 1.0);
    (spare > 0.0 && horizon < most).then_some(horizon as u64)
}

fn demand(task: &GlobalTask, length: u64) -> u64 {
    match length.checked_sub(task.relative_deadline) {
        Some(rest) => (rest / task.period + 1) * task.cost,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// m = 4: d = 1/2 leaves M = 5/2, so max(5/2 - 2/2, 2 - 1/2) = 3/2; d = 1 leaves 1; d = 1/3: M = 3, max(3 - 2/3,
    /// 2 - 1/3); m = 1: 1.
    #[test]
    fn bounds_by_hand() {
        let of = |density, processors| {
            let (numerator, denominator) = bound(density, processors);
            numerator as f64 / denominator as f64
        };
        assert_eq!(of((1, 2), 4), 1.5);
        assert_eq!(of((7, 7), 4), 1.0);
        assert!((of((1, 3), 4) - 7.0 / 3.0).abs() < 1e-12);
        assert_eq!(of((3, 7), 1), 1.0);
    }

    /// The load compares as by its definition, up to a common multiple of the periods; limits all around the load.
    #[test]
    fn load_is_compared_exactly() {
        let task = |cost, period, relative_deadline| GlobalTask { cost, period, relative_deadline };
        let sets = [
            vec![task(2, 6, 4), task(3, 8, 8), task(1, 4, 3)],
            vec![task(2, 6, 9), task(3, 8, 5), task(1, 4, 12)],
            vec![task(1, 2, 2), task(5, 24, 20)],
        ];
        for tasks in sets {
            let points = (1..=480u64).map(|t| (tasks.iter().map(|task| demand(task, t)).sum::<u64>(), t));
            let utilization = (tasks.iter().map(|task| task.cost * 24 / task.period).sum::<u64>(), 24);
            let load = points.chain([utilization]).max_by(|&a, &b| compare(a, b)).unwrap();
            let of = |limit| at_most(&tasks, limit, &mut Budget::of(TERMS));
            let fails = |limit| matches!(of(limit), Finding::Fails(_));
            assert!(!fails(load), "{load:?}");
            assert!(fails((load.0 * 1000 - 1, load.1 * 1000)), "{load:?}");
            assert_eq!(of((load.0 * 1000 + 1, load.1 * 1000)), Finding::Holds, "{load:?}");
        }
    }
}
