//! Least room of EDF on one processor: the interval that is filled most, and the demand of each task in it.
//!
//! S. Baruah, A. Mok and L. Rosier, RTSS 1990: deadlines are met exactly if no interval demands more than its length
//! (see [`crate::uniprocessor::demand`]). Intervals that end at absolute deadlines are looked at in rising order: to
//! the first that demands too much, or to where demand has to be examined, the end of the longest busy period and the
//! second deadline of every task, or to the end of the budget.

use crate::budget::Budget;
use crate::system::System;
use crate::uniprocessor::demand::Demands;
use schedlab_model::TaskId;

/// Budget: intervals that are examined, times tasks.
const TERMS: u64 = 1 << 24;

/// An interval, and the work that is due within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tightest {
    /// Length of the interval in ns.
    pub within: u64,
    /// Work that may be due within the interval; more than its length if some deadline is missed.
    pub demand: u128,
    /// Demand of each task in the interval, without tasks whose demand is zero.
    pub by: Vec<(TaskId, u128)>,
}

/// Returns the interval whose length is exhausted most. `None` unless the scheduler is preemptive EDF on one processor;
/// also `None` if there are sections, if a job is late even alone, or if the budget does not suffice to examine all
/// intervals.
pub fn tightest(system: &System) -> Option<Tightest> {
    if !system.is_preemptive_edf_uniprocessor() || system.needs_blocking() {
        return None;
    }
    let demands = Demands::new(system).ok()?;
    let budget = &mut Budget::of(TERMS);
    let limit = if demands.load().is_gt() { Some(u64::MAX) } else { demands.examined(budget) };
    let mut best: Option<(u64, u128)> = None;
    let mut next = demands.first();
    while let Some(t) = next.filter(|t| *t <= limit.unwrap_or(u64::MAX)) {
        // A longer interval may be fuller.
        if !budget.spend(2 * demands.len()) {
            return None;
        }
        let demand = demands.within(t);
        let is_fuller = |(length, most): (u64, u128)| demand * u128::from(length) > most * u128::from(t);
        if best.is_none_or(is_fuller) {
            best = Some((t, demand));
        }
        if demand > u128::from(t) {
            break;
        }
        next = demands.first_after(t);
    }
    let (within, demand) = best?;
    let by = system.tasks.iter().zip(demands.of_each(within)).map(|(task, demand)| (task.id, demand));
    Some(Tightest { within, demand, by: by.filter(|(_, demand)| *demand > 0).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::AnalysedScheduler;
    use schedlab_model::{Duration, Task, Work};

    fn of(tasks: &[(u64, u64, u64)]) -> Option<Tightest> {
        let task = |&(cost, period, relative_deadline): &(u64, u64, u64)| {
            Task::constrained(
                Work::from_ns(cost),
                Duration::from_ns(period),
                Duration::from_ns(relative_deadline),
            )
        };
        let tasks: Vec<Task> = tasks.iter().map(task).collect();
        tightest(&System::global(&tasks, 1, &AnalysedScheduler::EDF).unwrap())
    }

    /// Two jobs of 2 due at 3 and one of 3 due at 9 beside them: 4 of 3 is too much.
    #[test]
    fn the_first_excess_is_named() {
        let found = of(&[(2, 10, 3), (2, 10, 3), (3, 20, 9)]).unwrap();
        assert_eq!((found.within, found.demand), (3, 4));
        assert_eq!(found.by, [(TaskId(0), 2), (TaskId(1), 2)]);
    }

    /// (1, 4, 2) and (2, 8, 5): 1 of 2, 3 of 5, 4 of 6; from there on there is more room.
    #[test]
    fn the_fullest_interval_is_named() {
        let found = of(&[(1, 4, 2), (2, 8, 5)]).unwrap();
        assert_eq!((found.within, found.demand), (6, 4));
        assert_eq!(found.by, [(TaskId(0), 2), (TaskId(1), 2)]);
        let overload = of(&[(3, 4, 4), (3, 5, 5)]).unwrap();
        assert_eq!((overload.within, overload.demand), (5, 6));
        assert_eq!(of(&[(3, 4, 2)]), None);
    }
}
