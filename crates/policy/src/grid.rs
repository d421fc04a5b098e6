//! Shares whose budgets are whole nanoseconds: rates in parts of the greatest common divisor of periods.
//!
//! Let g be the greatest common divisor of all periods in nanoseconds. Tasks that arrive together at time zero and then
//! periodically have all arrivals and deadlines at multiples of g. A rate that is a multiple of 1/g times the distance
//! of two of them is whole. Other rates are rounded up, by less than 1/g: by less than a nanosecond in each g.

use crate::only_execute;
use crate::setup::{ClusterSetup, SetupError, WeightError};
use alloc::vec::Vec;
use schedlab_model::TaskId;

/// Tasks of a cluster, synchronous, periodic ones with implicit deadlines.
#[derive(Clone, Debug)]
pub(crate) struct Periodic {
    /// Tasks that ever arrive.
    pub(crate) members: Vec<TaskId>,
    /// Cost and period of each, at least a nanosecond: a job without cost completes as soon as it has a processor.
    pub(crate) pairs: Vec<(u64, u64)>,
}

/// Rates in parts of `one`.
#[derive(Clone, Debug)]
pub(crate) struct Rates {
    pub(crate) one: u128,
    pub(crate) rates: Vec<u128>,
}

impl Periodic {
    /// The tasks of the cluster, or an error if they are of another kind or need more than a processor.
    pub(crate) fn new(setup: &ClusterSetup<'_>) -> Result<Periodic, SetupError> {
        only_execute::plain_and_synchronous(setup)?;
        Periodic::members_of(setup)
    }

    /// The tasks of the cluster, sporadic ones included, or an error if one needs more than a processor. The caller has
    /// refused tasks of other kinds.
    pub(crate) fn members_of(setup: &ClusterSetup<'_>) -> Result<Periodic, SetupError> {
        if setup.cpus.is_empty() {
            return Err(SetupError::NoProcessor);
        }
        let (mut members, mut pairs) = (Vec::new(), Vec::new());
        for (index, task) in (0..).zip(setup.tasks) {
            if task.cluster != setup.cluster || !task.arrives() {
                continue;
            }
            let (cost, period) = (task.wcet.as_ns().max(1), task.period.as_ns());
            if cost > period {
                let error = WeightError::AboveOne { quanta: cost, slots: period };
                return Err(SetupError::Weight { task: TaskId(index), error });
            }
            members.push(TaskId(index));
            pairs.push((cost, period));
        }
        Ok(Periodic { members, pairs })
    }

    /// The member of each of `tasks` tasks; [`u32::MAX`] for tasks that are none.
    pub(crate) fn member_of(&self, tasks: usize) -> Vec<u32> {
        let mut member_of = alloc::vec![u32::MAX; tasks];
        (0..).zip(&self.members).for_each(|(member, task)| member_of[task.index()] = member);
        member_of
    }

    /// The rates rounded up to multiples of 1/g.
    pub(crate) fn rounded(&self) -> Rates {
        let one = self.pairs.iter().fold(0, |all, &(_, period)| gcd(all, period.into())).max(1);
        let rate = |&(cost, period): &(u64, u64)| u128::from(cost).div_ceil(u128::from(period) / one);
        Rates { one, rates: self.pairs.iter().map(rate).collect() }
    }

    /// The rates over the least common multiple of the periods; `None` if that is 2^63 or more.
    pub(crate) fn exact(&self) -> Option<Rates> {
        let multiple = |all: u128, &(_, period): &(u64, u64)| {
            let period = u128::from(period);
            // A budget is a rate times a length of 64 bits, and is computed in 128 bits.
            (all / gcd(all, period)).checked_mul(period).filter(|all| *all < 1 << 63)
        };
        let one = self.pairs.iter().try_fold(1, multiple)?;
        let rate = |&(cost, period): &(u64, u64)| u128::from(cost) * (one / u128::from(period));
        Some(Rates { one, rates: self.pairs.iter().map(rate).collect() })
    }
}

/// The greatest common divisor, of which 0 is the neutral element.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn rates_are_rounded_up_to_parts_of_the_common_divisor() {
        let tasks = Periodic { members: vec![], pairs: vec![(3, 10), (7, 20), (1, 30)] };
        let Rates { one, rates } = tasks.rounded();
        assert_eq!((one, rates), (10, vec![3, 4, 1]));
        let Rates { one, rates } = tasks.exact().unwrap();
        assert_eq!((one, rates), (60, vec![18, 21, 2]));
        let awkward = Periodic { members: vec![], pairs: vec![(1, (1 << 40) + 1), (1, (1 << 40) - 1)] };
        assert!(awkward.exact().is_none());
    }
}
