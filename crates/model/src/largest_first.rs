//! Which tasks go first under EDF(k) and PriD: those of the largest utilizations.
//!
//! J. Goossens, S. Funk and S. Baruah, *Priority-driven scheduling of periodic task systems on multiprocessors*,
//! Real-Time Systems 25, 2003. Let tasks be sorted by falling utilization. Under EDF(k), the first k - 1 go before all
//! others, which go by EDF. Deadlines that are the ends of periods are met on m processors if
//!
//! ```text
//! m >= k - 1 + ceil((U_(k+1) + ... + U_n) / (1 - U_k))
//! ```
//!
//! where at least one processor is left to the n - k + 1 tasks that go by EDF. PriD takes the k for which that is the
//! least. Ties: of two tasks with equal utilizations, the one with the smaller id counts as the larger; of two numbers
//! k, the smaller one is taken. Sums are exact. PriD takes O(n^2 log n) operations on words of 64 bits for n tasks.

use crate::natural::Natural;
use crate::task::Task;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The tasks of the largest utilizations go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LargestFirst {
    /// The number k of EDF(k) is given, at least 1: k - 1 tasks go first.
    Given {
        /// The number k.
        k: u32,
    },
    /// The number k is the one that asks for the fewest processors, as under PriD.
    FewestProcessors,
}

impl LargestFirst {
    /// Returns for each task whether it goes before all tasks that go by EDF.
    pub fn choose(self, tasks: &[Task]) -> Vec<bool> {
        let rates: Vec<(u64, u64)> =
            tasks.iter().map(|task| (task.wcet.as_ns(), task.period.as_ns().max(1))).collect();
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        order.sort_by(|&a, &b| larger_first(rates[a], rates[b]));
        let k = match self {
            LargestFirst::Given { k } => k as usize,
            LargestFirst::FewestProcessors => {
                let sorted: Vec<(u64, u64)> = order.iter().map(|&task| rates[task]).collect();
                fewest(&sorted).0
            }
        };
        let mut first = vec![false; tasks.len()];
        order.iter().take(k.saturating_sub(1)).for_each(|&task| first[task] = true);
        first
    }
}

fn larger_first(a: (u64, u64), b: (u64, u64)) -> Ordering {
    let scaled = |cost: u64, period: u64| u128::from(cost) * u128::from(period);
    scaled(b.0, a.1).cmp(&scaled(a.0, b.1))
}

/// Returns the number k that asks for the fewest processors, and how many these are. Costs and periods of the tasks are
/// by falling utilization.
fn fewest(sorted: &[(u64, u64)]) -> (usize, usize) {
    let mut rest = Rest { numerator: Natural::new(0), denominator: Natural::new(1) };
    // With as many processors as tasks, the last task has one of its own.
    let mut best = (sorted.len().max(1), sorted.len());
    for (before, &rate) in sorted.iter().enumerate().rev() {
        // A smaller k is taken where it asks for as few processors.
        let most = best.1.saturating_sub(before);
        if most > 0 && rest.fits(rate, most) {
            let enough = (1..most).collect::<Vec<_>>().partition_point(|left| !rest.fits(rate, *left)) + 1;
            best = (before + 1, before + enough);
        }
        rest.add(rate);
    }
    best
}

/// The sum of the utilizations of some tasks.
struct Rest {
    numerator: Natural,
    denominator: Natural,
}

impl Rest {
    fn add(&mut self, (cost, period): (u64, u64)) {
        let share = self.denominator.times(cost);
        self.numerator.multiply(period);
        self.numerator.add(&share);
        self.denominator.multiply(period);
    }

    /// Returns whether the sum is at most `left` (1 - C/T), for a task of cost C and period T.
    fn fits(&self, (cost, period): (u64, u64), left: usize) -> bool {
        let spare = self.denominator.times(period.saturating_sub(cost)).times(left as u64);
        !self.numerator.times(period).is_above(&spare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the formula in floating point, for all k, at random, with numbers far from integers.
    #[test]
    fn the_fewest_processors_are_those_of_the_formula() {
        let mut state = 7u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let mut heavy = 0;
        for _ in 0..2_000 {
            let mut tasks: Vec<(u64, u64)> = (0..1 + below(9)).map(|_| (1 + below(96), 97)).collect();
            tasks.sort_by_key(|task| core::cmp::Reverse(task.0));
            let needed = |k: usize| {
                let rest: u64 = tasks[k..].iter().map(|task| task.0).sum();
                k - 1 + rest.div_ceil(97 - tasks[k - 1].0).max(1) as usize
            };
            let best = (1..=tasks.len()).map(|k| (needed(k), k)).min().unwrap();
            assert_eq!(fewest(&tasks), (best.1, best.0), "{tasks:?}");
            heavy += usize::from(best.1 > 1);
        }
        assert!(heavy > 500, "{heavy}");
    }

    /// Utilizations of 1 leave room only for nothing; equal ones go by id; sums are exact at the bound.
    #[test]
    fn limits() {
        assert_eq!(fewest(&[]), (1, 0));
        assert_eq!(fewest(&[(1, 1)]), (1, 1));
        assert_eq!(fewest(&[(1, 1), (1, 1), (1, 3)]), (3, 3));
        // 1/3 + 1/3 fill one processor less 1/3, and a little more does not.
        assert_eq!(fewest(&[(1, 3), (1, 3), (1, 3)]), (1, 1));
        let nearly = u64::MAX / 3;
        assert_eq!(fewest(&[(1, 3), (1, 3), (nearly, u64::MAX)]), (1, 1));
        assert_eq!(fewest(&[(nearly + 1, u64::MAX), (1, 3), (1, 3)]), (1, 2));
    }
}
