//! The load of a task set, approximated from above.
//!
//! N. Fisher, T. Baker and S. Baruah, *Algorithms for determining the demand-based load of a sporadic task system*,
//! RTCSA 2006: the demand of task i is exact up to the deadline of its k_i-th further job, k_i = ceil(max(0, U_i n /
//! e - D_i / T_i)), and then replaced by a line above it, so that the largest quotient of demand and time among these
//! deadlines is less than e too large; with U + e as a lower end, and the sum of C_i / D_i as an upper one. Tests that
//! use it accept less than [`super::load`], which does not approximate. This is how a peer decides (see docs/peers.md);
//! it exists to be compared with.

use super::load::bound;
use super::tasks::{feasible, GlobalTask};
use crate::exact::{compare, compare_sum_to, Fraction, Pair};
use crate::system::System;

/// Returns whether the load, approximated within 1 / `precision`, is at most Baker and Baruah's bound, with densities
/// C_i / D_i as in the compared tool; `None` if the system cannot be judged.
pub fn holds(system: &System, precision: u64) -> Option<bool> {
    let tasks = feasible(system).ok()?;
    let densities: Vec<Pair> = tasks.iter().map(|task| (task.cost, task.relative_deadline)).collect();
    let utilizations: Vec<Pair> = tasks.iter().map(|task| (task.cost, task.period)).collect();
    let limit = bound(densities.iter().copied().max_by(|&a, &b| compare(a, b))?, system.processors.into());
    let density = Fraction::sum(&densities);
    if density.compare(&Fraction::sum(&utilizations)).is_le() {
        return Some(compare_sum_to(&utilizations, limit).is_le());
    }
    let mut within = utilizations;
    within.push((1, precision));
    let mut below = compare_sum_to(&within, limit).is_le();
    for (demand, length) in loads(&tasks, precision) {
        // Above the sum of densities there is no load: it is then taken for the load.
        if Fraction::new(demand, length).compare(&density).is_gt() {
            return Some(compare_sum_to(&densities, limit).is_le());
        }
        below &= compare((demand, length), limit).is_le();
    }
    Some(below)
}

/// Demand, and the length in which it arises, at every deadline that counts.
fn loads(tasks: &[GlobalTask], precision: u64) -> Vec<Pair> {
    let lines: Vec<u64> = tasks.iter().map(|task| jobs_before_line(task, tasks.len(), precision)).collect();
    let deadlines = |(task, &jobs): (&GlobalTask, &u64)| {
        let task = *task;
        (0..=jobs).map(move |job| task.relative_deadline + job * task.period)
    };
    let mut lengths: Vec<u64> = tasks.iter().zip(&lines).flat_map(deadlines).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let demand = |length| tasks.iter().zip(&lines).map(|(task, &jobs)| demand(task, jobs, length)).sum();
    lengths.into_iter().map(|length| (demand(length), length)).collect()
}

fn jobs_before_line(task: &GlobalTask, count: usize, precision: u64) -> u64 {
    let jobs = u128::from(task.cost) * count as u128 * u128::from(precision);
    jobs.saturating_sub(task.relative_deadline.into()).div_ceil(task.period.into()) as u64
}

fn demand(task: &GlobalTask, jobs: u64, length: u64) -> u64 {
    let Some(rest) = length.checked_sub(task.relative_deadline) else { return 0 };
    if rest < jobs * task.period {
        return (rest / task.period + 1) * task.cost;
    }
    let line = (u128::from(rest) * u128::from(task.cost)).div_ceil(task.period.into());
    task.cost + line as u64
}
