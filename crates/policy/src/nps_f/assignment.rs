//! The off-line part of NPS-F: which tasks share a notional processor, and how much of each slot does it need?

use crate::grid::{Periodic, Rates};
use alloc::vec;
use alloc::vec::Vec;

/// A notional processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notional {
    /// Indices of its tasks.
    pub tasks: Vec<u32>,
    /// Nanoseconds that it has of each slot.
    pub reserve: u64,
}

/// An assignment of tasks to notional processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Length of a slot in nanoseconds, at least 1.
    pub slot: u64,
    /// The notional processors, in the order of their reserves. All of them fit.
    pub notional: Vec<Notional>,
}

/// Reason why there is no assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unassigned {
    /// The slots of the task's period are shorter than a nanosecond.
    ShortPeriod {
        /// Index of the task.
        task: u32,
    },
    /// The reserves exceed the slots of all processors.
    Reserves {
        /// Nanoseconds of all reserves.
        needed: u128,
        /// Nanoseconds of a slot of all processors.
        available: u128,
    },
}

/// Parts of a processor in which rates are counted where their common denominator is too large.
const FINE: u128 = 1 << 62;

/// No slot is longer, so that products of a slot's length and a rate have at most 128 bits.
const LONGEST_SLOT: u64 = 1 << 52;

/// Assigns tasks, given by cost and period in nanoseconds, to `processors` with `slots` slots, at least 1, in the
/// shortest period. No cost is above its period.
pub fn assign(pairs: &[(u64, u64)], processors: usize, slots: u16) -> Result<Assignment, Unassigned> {
    let Some((task, shortest)) = (0..).zip(pairs.iter().map(|pair| pair.1)).min_by_key(|(_, period)| *period)
    else {
        return Ok(Assignment { slot: LONGEST_SLOT, notional: Vec::new() });
    };
    let slot = (shortest / u64::from(slots)).min(LONGEST_SLOT);
    if slot == 0 {
        return Err(Unassigned::ShortPeriod { task });
    }
    let Rates { one, rates } = rates(pairs);
    let reserve = |(tasks, used): (Vec<u32>, u128)| {
        let (slots, length) = (u128::from(slots), u128::from(slot));
        // A task has a cost of at least a nanosecond, so that no notional processor is without use.
        let reserve = (used * (slots + 1) * length).div_ceil(used + slots * one);
        Notional { tasks, reserve: reserve as u64 }
    };
    let notional: Vec<Notional> = pack(&rates, one).into_iter().map(reserve).collect();
    let needed = notional.iter().map(|its| u128::from(its.reserve)).sum();
    let available = u128::from(slot) * processors as u128;
    match needed <= available {
        true => Ok(Assignment { slot, notional }),
        false => Err(Unassigned::Reserves { needed, available }),
    }
}

/// Utilizations, none of them too small.
fn rates(pairs: &[(u64, u64)]) -> Rates {
    let tasks = Periodic { members: Vec::new(), pairs: pairs.to_vec() };
    let above = |&(cost, period): &(u64, u64)| (u128::from(cost) * FINE).div_ceil(period.into());
    tasks.exact().unwrap_or_else(|| Rates { one: FINE, rates: pairs.iter().map(above).collect() })
}

/// Packs tasks first fit. Returns the tasks and the utilization of each notional processor.
fn pack(rates: &[u128], one: u128) -> Vec<(Vec<u32>, u128)> {
    let mut packed: Vec<(Vec<u32>, u128)> = Vec::new();
    for (task, &rate) in (0..).zip(rates) {
        match packed.iter_mut().find(|(_, used)| used + rate <= one) {
            Some((tasks, used)) => {
                tasks.push(task);
                *used += rate;
            }
            None => packed.push((vec![task], rate)),
        }
    }
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_packed_first_fit_and_utilizations_are_inflated() {
        let found = assign(&[(2, 4), (2, 4), (2, 4)], 2, 1).unwrap();
        let notional = |tasks: &[u32], reserve| Notional { tasks: tasks.to_vec(), reserve };
        assert_eq!(found.slot, 4);
        assert_eq!(found.notional, [notional(&[0, 1], 4), notional(&[2], 3)]);
        // With four slots in the period, 1/2 becomes 5/9.
        let found = assign(&[(450, 900), (600, 900), (300, 900)], 2, 4).unwrap();
        assert_eq!(found.slot, 225);
        assert_eq!(found.notional, [notional(&[0, 2], 194), notional(&[1], 161)]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let needs = |needed, available| Err(Unassigned::Reserves { needed, available });
        assert_eq!(assign(&[(6, 10); 3], 2, 1), needs(24, 20));
        assert!(assign(&[(6, 10); 3], 3, 1).is_ok());
        assert_eq!(assign(&[(1, 9), (1, 3)], 2, 4), Err(Unassigned::ShortPeriod { task: 1 }));
        assert!(assign(&[], 1, 4).unwrap().notional.is_empty());
    }

    /// Periods without a small common multiple: utilizations are rounded up, and reserves hardly.
    #[test]
    fn awkward_periods_are_rounded_up() {
        let periods = [(1u64 << 40) + 1, (1 << 40) - 1, (1 << 40) + 15];
        let tasks = periods.map(|period| (period / 2, period));
        assert!(Periodic { members: vec![], pairs: tasks.to_vec() }.exact().is_none());
        let found = assign(&tasks, 2, 1).unwrap();
        assert_eq!(found.notional.iter().map(|its| its.tasks.len()).collect::<Vec<_>>(), [2, 1]);
        let [full, half] = [&found.notional[0], &found.notional[1]];
        assert!(full.reserve <= found.slot && full.reserve + 2 > found.slot);
        let wanted = 2 * found.slot / 3;
        assert!((wanted..=wanted + 2).contains(&half.reserve));
    }

    /// The bound m (2d + 1) / (2d + 2), by tasks of random utilizations whose sum is just below it.
    #[test]
    fn all_up_to_the_bound_are_taken() {
        let mut state = 5u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for round in 0..4_000u64 {
            let processors = 1 + round % 6;
            let d = 1 + below(6);
            let mut left = 10_000 * processors * (2 * d + 1) / (2 * d + 2) - 1;
            let mut tasks = Vec::new();
            while left > 0 {
                let rate = (1 + below(10_000)).min(left);
                tasks.push((rate * 1_000_000, 10_000_000_000));
                left -= rate;
            }
            let found = assign(&tasks, processors as usize, d as u16);
            assert!(found.is_ok(), "{tasks:?}, {processors}, {d}: {found:?}");
        }
    }
}
