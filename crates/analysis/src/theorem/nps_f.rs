//! NPS-F: what fits into slots is schedulable.
//!
//! K. Bletsas and B. Andersson, *Preemption-light multiprocessor scheduling of sporadic tasks with high utilisation
//! bound*, RTSS 2009: sporadic tasks with deadlines equal to their periods meet them if the inflated utilizations of
//! their notional processors add up to at most m. With d slots in the shortest period these are all sets whose
//! utilizations add up to at most m (2d + 1) / (2d + 2), none above 1. The test makes the assignment, in whole
//! nanoseconds, which the scheduler makes, too, and so accepts more. The proof is in the scheduler's header.

use super::optimal::{above_one, obstacle_of_sporadic, pairs};
use crate::assumption::Assumption;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::Theorem;
use schedlab_policy::nps_f::assignment::{assign, Unassigned};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "nps_f",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::NpsF,
        Assumption::ImplicitDeadlines,
        Assumption::NoSelfSuspension,
        Assumption::NoJitter,
        Assumption::NoOverheads,
    ],
    source: "Bletsas and Andersson, RTSS 2009",
    cost: "O(n^2)",
    applies: |system| slots(system).is_some(),
    run,
};

fn slots(system: &System) -> Option<u16> {
    let Some(Theorem::ReservesInSlots(slots)) = system.theorem() else { return None };
    Some(slots)
}

fn run(system: &System) -> Verdict {
    let Some(slots) = slots(system) else { return TEST.unknown(Reason::NoConditionViolated) };
    if let Some(reason) = obstacle_of_sporadic(system) {
        return TEST.unknown(reason);
    }
    if let Some(reason) = above_one(system) {
        return TEST.unknown(reason);
    }
    match assign(&pairs(system), system.processors as usize, slots) {
        Ok(found) => {
            let needed = found.notional.iter().map(|its| u128::from(its.reserve)).sum();
            let available = u128::from(found.slot) * u128::from(system.processors);
            let (needed, available) = (Ns(needed), Ns(available));
            let notional = found.notional.len();
            TEST.meets_deadlines(system, Reason::ReservesFit { notional, needed, available })
        }
        Err(Unassigned::Reserves { needed, available }) => {
            TEST.unknown(Reason::ReservesExceed { needed: Ns(needed), available: Ns(available) })
        }
        Err(Unassigned::ShortPeriod { task }) => {
            TEST.unknown(Reason::SlotsTooShort { task: system.tasks[task as usize].id })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{AnalysedOrder, AnalysedScheduler, Arrivals};
    use crate::verdict::Answer;
    use schedlab_model::{Duration, Task, Work};

    fn answer(tasks: &[(u64, u64)], processors: u32, slots: u16, arrivals: Arrivals) -> Answer {
        let order = AnalysedOrder::Theorem(Theorem::ReservesInSlots(slots));
        let scheduler = AnalysedScheduler { order, arrivals, ..AnalysedScheduler::EDF };
        let task =
            |&(cost, period): &(u64, u64)| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        let tasks: Vec<Task> = tasks.iter().map(task).collect();
        let system = System::global(&tasks, processors, &scheduler).unwrap();
        assert!((TEST.applies)(&system));
        run(&system).answer
    }

    /// Tasks of 2/3: with one slot in the period each is inflated to 4/5, with twelve to 13/19.
    #[test]
    fn more_slots_prove_more() {
        let three = [(20_000, 30_000); 3];
        let (sporadic, periodic) = (Arrivals::Sporadic, Arrivals::Periodic);
        assert_eq!(answer(&three, 3, 1, sporadic), Answer::Schedulable);
        assert_eq!(answer(&three, 2, 100, periodic), Answer::Unknown);
        let seven = [(20_000, 30_000); 7];
        assert_eq!(answer(&seven, 5, 1, sporadic), Answer::Unknown);
        assert_eq!(answer(&seven, 5, 12, sporadic), Answer::Schedulable);
        assert_eq!(answer(&[(400, 300)], 3, 2, sporadic), Answer::Unknown);
    }
}
