//! EKG in groups: what is assigned is schedulable.
//!
//! B. Andersson and E. Tovar, *Multiprocessor scheduling with few preemptions*, RTCSA 2006: periodic tasks that arrive
//! together, with deadlines equal to their periods, meet them if EKG finds an assignment, in which tasks are split
//! within groups of k processors. It finds one where utilizations add up to at most m k/(k+1), or to at most m for k =
//! m, and none is above 1. The test makes the assignment, which the scheduler makes, too, and so accepts more. How
//! shares are whole nanoseconds is in the scheduler's header.

use super::optimal::{above_one, obstacle, pairs};
use crate::assumption::Assumption;
use crate::reason::Reason;
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::Theorem;
use schedlab_policy::ekg::assignment::{assign, Unassigned};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "ekg",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::EkgInGroups,
        Assumption::ImplicitDeadlines,
        Assumption::SynchronousPeriodic,
        Assumption::NoJitter,
        Assumption::NoOverheads,
    ],
    source: "Andersson and Tovar, RTCSA 2006",
    cost: "O(n)",
    applies: |system| groups(system).is_some(),
    run,
};

fn groups(system: &System) -> Option<u16> {
    let Some(Theorem::SplitsWithinGroups(k)) = system.theorem() else { return None };
    Some(k)
}

fn run(system: &System) -> Verdict {
    if let Some(reason) = obstacle(system) {
        return TEST.unknown(reason);
    }
    if let Some(reason) = above_one(system) {
        return TEST.unknown(reason);
    }
    let processors = system.processors as usize;
    let k = groups(system).map_or(processors, |k| usize::from(k).min(processors));
    match assign(&pairs(system), processors, k) {
        Ok(_) => TEST.meets_deadlines(system, Reason::AssignedInGroups { k: k as u32 }),
        Err(Unassigned { task, .. }) => {
            TEST.unknown(Reason::FitsNoGroup { task: system.tasks[task as usize].id, k: k as u32 })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{AnalysedOrder, AnalysedScheduler, Arrivals};
    use crate::verdict::Answer;
    use schedlab_model::{Duration, Task, Work};

    fn answer(tasks: &[(u64, u64)], processors: u32, k: u16, arrivals: Arrivals) -> Answer {
        let order = AnalysedOrder::Theorem(Theorem::SplitsWithinGroups(k));
        let scheduler = AnalysedScheduler { order, arrivals, ..AnalysedScheduler::EDF };
        let task =
            |&(cost, period): &(u64, u64)| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        let tasks: Vec<Task> = tasks.iter().map(task).collect();
        let system = System::global(&tasks, processors, &scheduler).unwrap();
        assert!((TEST.applies)(&system));
        run(&system).answer
    }

    /// Four tasks of 2/3 on three processors exceed neither 3 * 2/3 by the assignment, nor 3; five exceed 3.
    #[test]
    fn what_is_assigned_is_schedulable() {
        let four = [(200, 300); 4];
        assert_eq!(answer(&four, 3, 2, Arrivals::Periodic), Answer::Schedulable);
        assert_eq!(answer(&four, 3, 1, Arrivals::Periodic), Answer::Unknown);
        assert_eq!(answer(&[(200, 300); 5], 3, 9, Arrivals::Periodic), Answer::Unknown);
        assert_eq!(answer(&four, 3, 2, Arrivals::Sporadic), Answer::Unknown);
        assert_eq!(answer(&[(400, 300)], 3, 2, Arrivals::Periodic), Answer::Unknown);
    }
}
