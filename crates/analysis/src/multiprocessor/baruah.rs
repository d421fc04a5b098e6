//! Baruah's test (BAR).
//!
//! S. Baruah, *Techniques for multiprocessor global schedulability analysis*, RTSS 2007, main theorem: at most m - 1
//! tasks carry work into the interval before a missed deadline in which all processors are busy.
//! [`super::busy_interval`] states the condition and decides it for every length of the interval, not only for those
//! where demand changes.
//!
//! **Correction.** The published condition caps each task's contribution at A_k + D_k - C_k and accepts sums up to m
//! times that. So m tasks that each exceed the cap are let through. A job that misses waits for longer, so the cap is
//! one unit more here. Assumes D <= T. Pseudo-polynomial for utilizations below a constant under m; in practice a few
//! evaluations of linear time.

pub use super::busy_interval::Reading;
use super::busy_interval::{self, Contender};
use super::tasks::{constrained, judge, Finding, GlobalTask, GLOBAL_EDF, TERMS};
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Guarantee, Test};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "baruah",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_EDF,
    source: "Baruah, RTSS 2007, with the cap one unit higher",
    cost: "pseudo-polynomial for utilizations below a constant under m; O(n) for a step",
    applies: System::is_preemptive_edf_multiprocessor,
    run: |system| judge(&TEST, system, find),
};

/// Returns whether the condition holds under this reading; `None` if that is not known.
pub fn holds_as(reading: Reading, system: &System) -> Option<bool> {
    let tasks = contenders(&constrained(system).ok()?);
    match busy_interval::find_as(reading, &tasks, system.processors.into(), &mut Budget::of(TERMS)) {
        Finding::Holds => Some(true),
        Finding::Fails(_) => Some(false),
        Finding::Spent => None,
    }
}

pub(super) fn find(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> Finding {
    busy_interval::find(&contenders(tasks), processors, budget)
}

fn contenders(tasks: &[GlobalTask]) -> Vec<Contender> {
    tasks.iter().map(|&task| Contender { task, suspension: 0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{AnalysedOrder, AnalysedScheduler, Arrivals};
    use crate::verdict::Answer;
    use schedlab_model::{Duration, Task, Work};

    /// Rows of cost, period, relative deadline: by the test, by the published reading, by SchedCAT's.
    fn read(processors: u32, rows: &[(u64, u64, u64)]) -> (bool, Option<bool>, Option<bool>) {
        let ns = Duration::from_ns;
        let task = |&(cost, period, due): &(u64, u64, u64)| {
            Task::constrained(Work::from_ns(cost), ns(period), ns(due))
        };
        let tasks: Vec<Task> = rows.iter().map(task).collect();
        let ranks: Vec<u32> = (0..rows.len() as u32).collect();
        let scheduler = AnalysedScheduler {
            order: AnalysedOrder::Edf,
            preemptive: true,
            ranks: &ranks,
            points: &[],
            arrivals: Arrivals::Sporadic,
        };
        let system = System::global(&tasks, processors, &scheduler).unwrap();
        let holds = (TEST.run)(&system).answer == Answer::Schedulable;
        (holds, holds_as(Reading::PUBLISHED, &system), holds_as(Reading::OF_SCHEDCAT, &system))
    }

    /// The first example of docs/peers.md: the third task waits for both others.
    #[test]
    fn the_published_cap_lets_a_miss_through() {
        assert_eq!(read(2, &[(10, 20, 10), (10, 20, 10), (1, 20, 10)]), (false, Some(true), Some(false)));
    }

    /// The second: no demand changes at 24 units, where alone the condition fails.
    #[test]
    fn the_condition_may_fail_between_changes_of_demand() {
        let rows = [(13, 42, 23), (17, 26, 20), (1, 23, 23), (3, 23, 23), (8, 50, 23)];
        assert_eq!(read(3, &rows), (false, Some(true), Some(true)));
    }
}
