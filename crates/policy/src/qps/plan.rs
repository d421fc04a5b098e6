//! The off-line part of QPS: rates whose budgets are whole nanoseconds, and the execution sets that they make.

use super::hierarchy::{hierarchy, ExecutionSet, SetClient};
use crate::grid::gcd;
use alloc::vec::Vec;

/// A task as the plan reads it, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Bound on the cost of a job, positive.
    pub cost: u64,
    /// Distance of arrivals, the least one if they are sporadic; at least the cost.
    pub period: u64,
    /// First arrival if the task is periodic.
    pub phase: u64,
}

/// Arrivals for which a plan is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// All sets are minor: arrivals at any time, and jobs execute by partitioned EDF.
    Partitioned,
    /// Arrivals at any time. Jobs of major sets begin at multiples of a grid, so that budgets are whole.
    Sporadic,
    /// Periodic arrivals from the phases on.
    Periodic,
}

/// Execution sets, and the numbers that budgets are computed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QpsPlan {
    /// Arrivals for which the plan is proved.
    pub holds: Holds,
    /// Rate of a whole processor.
    pub one: u128,
    /// Nanoseconds of the grid on which jobs of major sets begin and are due.
    pub grid: u64,
    /// Sets, each before the one that serves its master.
    pub sets: Vec<ExecutionSet>,
}

/// Reason why there is no plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPlan {
    /// Utilizations add up to more than the processors.
    OverUtilized,
    /// They do so after they were rounded up so that budgets are whole nanoseconds.
    OverUtilizedRounded,
}

/// Rates of a plan in parts of `one`.
struct Scaled {
    one: u128,
    rates: Vec<u128>,
}

impl Scaled {
    fn sum(&self) -> u128 {
        self.rates.iter().sum()
    }

    fn plan(self, holds: Holds, grid: u64, processors: usize) -> Option<QpsPlan> {
        let sets = hierarchy(&self.rates, self.one, processors)?;
        Some(QpsPlan { holds, one: self.one, grid, sets })
    }
}

/// Plans the tasks on so many processors: a partition if first fit decreasing finds one, else a plan for sporadic
/// arrivals, else one for periodic arrivals. If `all_stay`, no task leaves.
pub fn plan(rows: &[Row], processors: usize, all_stay: bool) -> Result<QpsPlan, NoPlan> {
    let exact = exact(rows);
    let is_exact = exact.is_some();
    let finest = exact.unwrap_or_else(|| fine(rows)).plan(Holds::Partitioned, 1, processors);
    if let Some(partition) = finest.as_ref().filter(|plan| plan.sets.iter().all(|set| set.rate <= plan.one)) {
        return Ok(partition.clone());
    }
    if let Some((grid, scaled)) = coarse(rows) {
        if let Some(plan) = scaled.plan(Holds::Sporadic, grid, processors) {
            return Ok(plan);
        }
    }
    if is_exact {
        let finest = finest.ok_or(NoPlan::OverUtilized)?;
        if all_stay && has_whole_excesses(&finest, rows) {
            return Ok(QpsPlan { holds: Holds::Periodic, ..finest });
        }
    }
    let rounded = rounded(rows).plan(Holds::Periodic, 1, processors);
    rounded.ok_or(NoPlan::OverUtilizedRounded)
}

/// Rates over the least common multiple of the periods; `None` if that is 2^63 or more.
fn exact(rows: &[Row]) -> Option<Scaled> {
    let multiple = |all: u128, row: &Row| {
        let period = u128::from(row.period);
        // A budget is a rate times a length of 64 bits, and is computed in 128 bits.
        (all / gcd(all, period)).checked_mul(period).filter(|all| *all < 1 << 63)
    };
    let one = rows.iter().try_fold(1, multiple)?;
    let rate = |row: &Row| u128::from(row.cost) * (one / u128::from(row.period));
    Some(Scaled { one, rates: rows.iter().map(rate).collect() })
}

/// Rates rounded up to parts of 2^-62, for periods without a common multiple in sight.
fn fine(rows: &[Row]) -> Scaled {
    let one = 1 << 62;
    let rate = |row: &Row| (u128::from(row.cost) * one).div_ceil(row.period.into());
    Scaled { one, rates: rows.iter().map(rate).collect() }
}

/// Rates rounded up to parts of the greatest common divisor of periods and phases.
fn rounded(rows: &[Row]) -> Scaled {
    let one = divisor(rows.iter()).max(1);
    let rate = |row: &Row| u128::from(row.cost).div_ceil(u128::from(row.period) / one);
    Scaled { one, rates: rows.iter().map(rate).collect() }
}

/// The grid on which sporadic tasks need the least rates, and these.
///
/// From an arrival rounded up to a multiple of the grid to a deadline rounded down there are at least a - 1 lengths of
/// the grid, where a is the number of whole ones in the period. Rates are parts of 1/grid.
fn coarse(rows: &[Row]) -> Option<(u64, Scaled)> {
    let shortest = rows.iter().map(|row| row.period).min()?;
    let mut best: Option<(u64, Scaled)> = None;
    for grid in GRIDS.into_iter().take_while(|grid| *grid <= shortest / 2) {
        let rate = |row: &Row| u128::from(row.cost.div_ceil(row.period / grid - 1));
        let one = u128::from(grid);
        let scaled = Scaled { one, rates: rows.iter().map(rate).collect() };
        let is_less = |best: &(u64, Scaled)| scaled.sum() * best.1.one < best.1.sum() * scaled.one;
        if scaled.rates.iter().all(|rate| *rate <= one) && best.as_ref().is_none_or(is_less) {
            best = Some((grid, scaled));
        }
    }
    best
}

/// Grids that are tried: up to a tenth of a second.
const GRIDS: [u64; 24] = [
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
];

/// The greatest common divisor of periods and phases: all arrivals of periodic tasks are multiples of it.
fn divisor<'a>(rows: impl Iterator<Item = &'a Row>) -> u128 {
    rows.fold(0, |all, row| gcd(gcd(all, row.period.into()), row.phase.into()))
}

/// True if the budgets of all masters are whole: between two deadlines of tasks below them there are multiples of the
/// divisor of these tasks.
fn has_whole_excesses(plan: &QpsPlan, rows: &[Row]) -> bool {
    let mut divisors: Vec<u128> = Vec::with_capacity(plan.sets.len());
    for set in &plan.sets {
        let below = set.clients.iter().map(|&(client, _)| match client {
            SetClient::Task(task) => divisor(rows[task..=task].iter()),
            SetClient::Master(set) => divisors[set],
        });
        divisors.push(below.fold(0, gcd));
    }
    let is_whole = |(set, divisor): (&ExecutionSet, &u128)| set.excess(plan.one) * divisor % plan.one == 0;
    plan.sets.iter().zip(&divisors).all(is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(pairs: &[(u64, u64)]) -> Vec<Row> {
        pairs.iter().map(|&(cost, period)| Row { cost, period, phase: 0 }).collect()
    }

    fn kind(pairs: &[(u64, u64)], processors: usize) -> Result<(Holds, u64, u128), NoPlan> {
        plan(&rows(pairs), processors, true).map(|plan| (plan.holds, plan.grid, plan.one))
    }

    #[test]
    fn a_partition_goes_first_then_sporadic_arrivals() {
        assert_eq!(kind(&[(1, 2), (1, 2), (3, 4)], 2), Ok((Holds::Partitioned, 1, 4)));
        assert_eq!(kind(&[(2, 3); 3], 2), Ok((Holds::Periodic, 1, 3)));
        assert_eq!(kind(&[(2, 3); 4], 2), Err(NoPlan::OverUtilized));
        let sixty = [(6_000_000, 10_000_000); 3];
        assert_eq!(kind(&sixty, 2), Ok((Holds::Sporadic, 5_000, 5_000)));
        let two_thirds = [(6_666_666, 10_000_000), (6_666_666, 10_000_000), (6_666_668, 10_000_000)];
        assert_eq!(kind(&two_thirds, 2), Ok((Holds::Periodic, 1, 10_000_000)));
    }

    /// Half a nanosecond is no budget. Phases count as periods do.
    #[test]
    fn excesses_are_whole_or_rates_are_rounded() {
        let quarters = [(3, 4), (3, 4), (2, 4)];
        assert_eq!(kind(&quarters, 2), Ok((Holds::Periodic, 1, 4)));
        assert_eq!(kind(&[(3, 4), (3, 4), (1, 2)], 2), Err(NoPlan::OverUtilizedRounded));
        let mut late = rows(&quarters);
        late[0].phase = 1;
        assert_eq!(plan(&late, 2, true), Err(NoPlan::OverUtilizedRounded));
        assert_eq!(kind(&[(3, 5), (3, 5), (1, 3), (1, 3), (2, 15)], 2), Err(NoPlan::OverUtilizedRounded));
        // The least common multiple of these periods exceeds all numbers here.
        let primes = [59, 53, 47, 43, 41, 37, 31, 29, 23, 19, 17, 13, 11].map(|prime| 100_000 * prime);
        let mut awkward = primes.map(|period| (period * 2 / 10, period)).to_vec();
        awkward.extend([(70_000, 100_000); 2]);
        assert_eq!(kind(&awkward, 4), Ok((Holds::Periodic, 1, 100_000)));
    }
}
