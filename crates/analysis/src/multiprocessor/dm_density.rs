//! The density test of global deadline-monotonic priorities, also with heavy tasks first.
//!
//! M. Bertogna, M. Cirinei and G. Lipari, *New schedulability tests for real-time task sets scheduled by deadline
//! monotonic on multiprocessors*, OPODIS 2005: under deadline-monotonic priorities, tasks with relative deadlines of at
//! most their periods meet them on m processors if
//!
//! ```text
//! sum of d_i <= m/2 (1 - max d_i) + max d_i,   d_i = C_i / D_i
//! ```
//!
//! Let now any h tasks go first, less than m, as heavy ones do under RM-US and DM-US. None of them ever waits. The
//! others are at no time worse off than on m - h processors of their own, because longer jobs of more urgent tasks
//! delay no job less (S. Ha and J. Liu, ICDCS 1994); there the condition proves them, if their order is
//! deadline-monotonic. The test tries each h from the least one on that leaves such an order. The bound of RM-US
//! follows for m > 1 (B. Andersson, S. Baruah and J. Jonsson, *Static-priority scheduling on multiprocessors*, RTSS
//! 2001): with heavy tasks above m/(3m - 2) and deadlines equal to periods, all sets are accepted whose utilizations
//! add up to at most m^2/(3m - 2). h heavy tasks leave less than m(m - h)/(3m - 2) to the others, which is at most
//! what the condition allows for densities up to m/(3m - 2).
//!
//! A job released up to J late is one of a sporadic task with the relative deadline D - J and the period T - J;
//! priorities have to be in the order of D - J. Self-suspension counts as execution, see [`super`].

use crate::assumption::Assumption;
use crate::exact::{compare, filter, Fraction, Pair};
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::sides::{Quantity, Sides};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use std::cmp::Ordering;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "dm_density",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::GlobalFixedPriorities,
        Assumption::DeadlineMonotonicBelowHeavy,
        Assumption::ConstrainedDeadlines,
        Assumption::JitterShortensDeadlines,
        Assumption::SuspensionAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Bertogna, Cirinei and Lipari, OPODIS 2005; Andersson, Baruah and Jonsson, RTSS 2001",
    cost: "O(n log n + m n)",
    applies: System::is_preemptive_fp_multiprocessor,
    run,
};

fn run(system: &System) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    if !system.has_constrained_deadlines() {
        return TEST.unknown(Reason::DeadlineBeyondPeriod);
    }
    let mut tasks: Vec<_> = system.tasks.iter().collect();
    tasks.sort_unstable_by_key(|task| (task.rank, task.id));
    let mut densities = Vec::with_capacity(tasks.len());
    for task in tasks {
        let cost = task.oblivious_cost();
        match task.relative_deadline.checked_sub(task.jitter) {
            Some(window) if cost <= window && window > 0 => densities.push((cost, window)),
            window => {
                let (needs, has) = (Ns(cost), Ns(window.unwrap_or(0)));
                return TEST.unknown(Reason::LateAlone { task: task.id, needs, has });
            }
        }
    }
    let is_rising = |pair: &[Pair]| pair[0].1 <= pair[1].1;
    let ordered = densities.windows(2).rev().take_while(|pair| is_rising(pair)).count() + 1;
    let least = densities.len().saturating_sub(ordered);
    let processors = system.processors as usize;
    if least >= processors {
        return TEST.unknown(Reason::NotDeadlineMonotonic);
    }
    let most = densities.len().min(processors - 1);
    let judged = |first: usize| holds(&densities[first..], system.processors - first as u32);
    let (heavy, is_met) = match (least..=most).find(|first| judged(*first)) {
        Some(first) => (first, true),
        None => (least, false),
    };
    let left = system.processors - heavy as u32;
    let sides = sides(densities.split_off(heavy), left, is_met);
    let reason = match heavy {
        0 => Reason::DensitiesOfMonotonic(sides),
        _ => Reason::LightDensitiesOfMonotonic { heavy, left, sides },
    };
    let reason = system.with_suspension(reason);
    match is_met {
        true => TEST.meets_deadlines(system, reason),
        false => TEST.unknown(reason),
    }
}

/// The largest density.
fn largest(densities: &[Pair]) -> Pair {
    densities.iter().copied().max_by(|a, b| compare(*a, *b)).unwrap_or((0, 1))
}

/// m/2 (1 - d) + d, for the largest density d.
fn bound(largest: Pair, processors: u32) -> Fraction {
    let d = Fraction::new(largest.0, largest.1);
    let rest = Fraction::integer(1).minus(&d);
    Fraction::new(processors, 2).times(&rest).plus(&d)
}

fn sides(densities: Vec<Pair>, processors: u32, is_met: bool) -> Sides {
    let right = Quantity::Fraction(bound(largest(&densities), processors));
    Sides::percent(Quantity::Sum(densities), right, is_met)
}

/// Returns whether the sum of the densities is at most m/2 (1 - d) + d for the largest one, d.
fn holds(densities: &[Pair], processors: u32) -> bool {
    let (mut sum, mut most) = (0.0, 0.0f64);
    for &density in densities {
        let value = filter::quotient(density);
        (sum, most) = (sum + value, most.max(value));
    }
    // Twice both sides: 2 sum + (m - 2) d <= m, where (m - 2) d is taken to the right for m = 1.
    let (m, others) = (f64::from(processors), f64::from(processors) - 2.0);
    let error = (2.0 * sum + others.abs() * most) * filter::relative_error(densities.len() + 2);
    filter::compare(2.0 * sum + others * most, error, m)
        .unwrap_or_else(|| exactly(densities, processors))
        .is_le()
}

fn exactly(densities: &[Pair], processors: u32) -> Ordering {
    Fraction::sum(densities).compare(&bound(largest(densities), processors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::compare_sum;
    use crate::{AnalysedOrder, AnalysedScheduler, Answer};
    use schedlab_model::{Duration, Task, Work};

    /// The answer for tasks (cost, period) with these ranks.
    fn answer(rows: &[(u64, u64)], ranks: &[u32], processors: u32) -> Answer {
        let order = AnalysedOrder::FixedPriority;
        let scheduler = AnalysedScheduler { order, ranks, ..AnalysedScheduler::EDF };
        let task =
            |&(cost, period): &(u64, u64)| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        let tasks: Vec<Task> = rows.iter().map(task).collect();
        let system = System::global(&tasks, processors, &scheduler).unwrap();
        assert!((TEST.applies)(&system));
        run(&system).answer
    }

    /// Four tasks (2, 5) on three processors add up to the bound, 3/2 * 3/5 + 2/5 = 1.3 less 0.3: 1.6 is above it, and
    /// three tasks and a light one of 1/10 reach it.
    #[test]
    fn holds_with_equality_and_not_beyond() {
        let tenths = |rows: &[u64], processors| {
            holds(&rows.iter().map(|cost| (*cost, 10)).collect::<Vec<_>>(), processors)
        };
        assert!(tenths(&[4, 4, 4, 1], 3) && !tenths(&[4, 4, 4, 2], 3) && !tenths(&[4; 4], 3));
        assert!(tenths(&[4, 3], 1) && !tenths(&[4, 4], 1), "(1 + d)/2 on one processor");
        assert!(tenths(&[10], 2) && tenths(&[5, 5], 2) && !tenths(&[5, 5, 1], 2), "1 on two");
    }

    /// Dhall's effect: with the heavy task first, it is proved; in rate-monotonic order, it is not.
    #[test]
    fn a_heavy_task_beside_light_ones() {
        let rows = [(2, 10), (2, 10), (10, 11)];
        assert_eq!(answer(&rows, &[1, 1, 0], 2), Answer::Schedulable);
        assert_eq!(answer(&rows, &[0, 0, 2], 2), Answer::Unknown);
        let opposite = answer(&[(1, 30), (1, 20), (1, 10)], &[0, 1, 2], 2);
        assert_eq!(opposite, Answer::Unknown, "no order that the theorem knows");
    }

    /// The bound of Andersson, Baruah and Jonsson: all sets up to m^2/(3m - 2), at random.
    #[test]
    fn the_published_bound_of_rm_us_is_accepted() {
        let mut state = 5u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for round in 0..3_000u64 {
            let m = 2 + round % 7;
            let mut rows = Vec::new();
            let mut left = 1_000 * m * m / (3 * m - 2);
            while left > 0 {
                let (rate, scale) = ((1 + below(1_000)).min(left), 1 + below(50));
                rows.push((rate * scale, 1_000 * scale));
                left -= rate;
            }
            assert!(compare_sum(&rows, m).is_le());
            let is_heavy = |row: &(u64, u64)| row.0 * (3 * m - 2) > row.1 * m;
            let key = |row: &(u64, u64)| if is_heavy(row) { 0 } else { row.1 };
            let rank = |row| rows.iter().filter(|other| key(other) < key(row)).count() as u32;
            let ranks: Vec<u32> = rows.iter().map(rank).collect();
            assert_eq!(answer(&rows, &ranks, m as u32), Answer::Schedulable, "{rows:?} on {m}");
        }
    }
}
