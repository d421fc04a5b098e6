//! The reduction to uniprocessors of RUN: P. Regnier, G. Lima, E. Massa, G. Levin and S. Brandt, *RUN: optimal
//! multiprocessor real-time scheduling via reduction to uniprocessor*, RTSS 2011, section III.
//!
//! *Pack*: servers are put together by first fit decreasing while their rates sum up to at most 1; *dual*: each such
//! server of rate r becomes one of rate 1 - r, which runs exactly when the other does not. Both are repeated until only
//! servers of rate 1 are left: with m processors' rates in all (idle tasks fill up), that ends, since each step at
//! least halves the number of servers less than one (lemma 6, theorem 1). EDF on each server's level then schedules the
//! whole without a miss: the set is feasible exactly if U <= m and no task exceeds 1.
//!
//! With p reductions a job suffers on average at most ceil((3p + 1) / 2) preemptions: without any, those of partitioned
//! EDF, where each arrival preempts at most one job. The reduction itself is the scheduler's
//! ([`schedlab_policy::run::reduction`]), here with exact fractions: O(n log n) per level, times the size of the
//! fractions.

use crate::exact::{compare_sum, Fraction, Pair};
pub use schedlab_policy::run::reduction::Server;
use schedlab_policy::run::reduction::{idle_rates, reduce, Rate};
use std::cmp::Ordering;

impl Rate for Fraction {
    fn plus(&self, other: &Fraction) -> Fraction {
        Fraction::plus(self, other).reduced()
    }

    fn minus(&self, other: &Fraction) -> Fraction {
        Fraction::minus(self, other).reduced()
    }

    fn compare(&self, other: &Fraction) -> Ordering {
        Fraction::compare(self, other)
    }
}

/// The packed servers of each reduction, the lowest first.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The last level holds only servers of rate 1.
    pub levels: Vec<Vec<Server<Fraction>>>,
    /// The rates of the idle tasks that were added.
    pub idle: Vec<Fraction>,
}

impl Reduction {
    /// Returns how often servers were replaced by their duals.
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// Returns the most preemptions of each job, on average.
    pub fn preemptions(&self) -> usize {
        (3 * self.depth() + 1).div_ceil(2)
    }
}

/// Reason why there is no reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infeasible {
    /// The utilization is above m.
    Overload,
    /// A task needs more than a processor.
    TaskAboveOne(usize),
}

/// Reduces tasks of these rates on m processors.
pub fn reduce_rates(rates: &[Pair], processors: u32) -> Result<Reduction, Infeasible> {
    if let Some(index) = rates.iter().position(|&(cost, period)| cost > period) {
        return Err(Infeasible::TaskAboveOne(index));
    }
    if compare_sum(rates, processors.into()).is_gt() {
        return Err(Infeasible::Overload);
    }
    let mut units: Vec<Fraction> = rates.iter().map(|&(cost, period)| Fraction::new(cost, period)).collect();
    let (zero, one) = (Fraction::integer(0), Fraction::integer(1));
    let left = Fraction::integer(processors).minus(&Fraction::sum(rates)).reduced();
    let idle = idle_rates(left, &one, &zero);
    units.extend(idle.iter().cloned());
    Ok(Reduction { levels: reduce(units, &one), idle })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(reduction: &Reduction) -> Vec<Vec<(String, Vec<usize>)>> {
        let level = |servers: &Vec<Server<Fraction>>| {
            servers.iter().map(|s| (s.rate.to_string(), s.clients.clone())).collect()
        };
        reduction.levels.iter().map(level).collect()
    }

    /// Three tasks of 2/3 on two processors (section III's example): no two fit together, their duals of 1/3 fill one
    /// server.
    #[test]
    fn three_of_two_thirds() {
        let reduction = reduce_rates(&[(2, 3); 3], 2).unwrap();
        let third = |index| ("2/3".to_string(), vec![index]);
        assert_eq!(
            shape(&reduction),
            [vec![third(0), third(1), third(2)], vec![("1".into(), vec![0, 1, 2])]]
        );
        assert_eq!((reduction.depth(), reduction.preemptions()), (1, 2));
    }

    /// A partition that holds all tasks needs no reduction.
    #[test]
    fn a_partition_needs_no_reduction() {
        let reduction = reduce_rates(&[(1, 2), (1, 3), (1, 6)], 1).unwrap();
        assert_eq!((reduction.depth(), reduction.preemptions(), reduction.idle.len()), (0, 1, 0));
        assert_eq!(reduce_rates(&[(3, 2)], 4).unwrap_err(), Infeasible::TaskAboveOne(0));
        assert_eq!(reduce_rates(&[(2, 3); 4], 2).unwrap_err(), Infeasible::Overload);
    }

    /// On random rates: idle tasks fill up to m, sums are at most 1, the sum of the duals falls, and few reductions do.
    #[test]
    fn every_level_keeps_its_rules() {
        let mut state = 3u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let mut deepest = 0;
        for _ in 0..200 {
            let rates: Vec<Pair> = (0..2 + below(30))
                .map(|_| {
                    let period = 2 + below(60);
                    (1 + below(period), period)
                })
                .collect();
            let m = crate::exact::ceiling_of_sum(&rates) as u32 + below(2) as u32;
            let reduction = reduce_rates(&rates, m).unwrap();
            let mut units: Vec<Fraction> = rates.iter().map(|&(c, t)| Fraction::new(c, t)).collect();
            units.extend(reduction.idle.iter().cloned());
            assert!(Fraction::sum_of(units.clone()).compare(&Fraction::integer(m)).is_eq());
            for level in &reduction.levels {
                let mut seen = vec![0; units.len()];
                for server in level {
                    let clients = server.clients.iter().map(|&index| units[index].clone()).collect();
                    assert!(Fraction::sum_of(clients).compare(&server.rate).is_eq());
                    assert!(server.rate.compare(&Fraction::integer(1)).is_le());
                    server.clients.iter().for_each(|&index| seen[index] += 1);
                }
                assert!(seen.iter().all(|&times| times == 1));
                units = level.iter().map(|s| Fraction::integer(1).minus(&s.rate)).collect();
            }
            deepest = deepest.max(reduction.depth());
        }
        assert!((1..=5).contains(&deepest), "{deepest}");
    }
}
