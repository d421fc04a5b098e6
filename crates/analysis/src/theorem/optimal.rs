//! Optimal schedulers: what fits is schedulable.
//!
//! G. Levin, S. Funk, C. Sadowski, I. Pye and S. Brandt, *DP-FAIR*, ECRTS 2010 (DP-WRAP); H. Cho, B. Ravindran and E.
//! D. Jensen, RTSS 2006 (LLREF); S. Funk, Real-Time Systems 46(3), 2010 (LRE-TL); D. Zhu, D. Mossé and R. Melhem, RTSS
//! 2003 (BF); P. Regnier et al., RTSS 2011 (RUN); G. Nelissen et al., ECRTS 2012 (U-EDF); B. Andersson and E. Tovar,
//! RTCSA 2006 (EKG): periodic tasks that arrive together, with deadlines equal to their periods, meet them if
//! utilizations add up to at most m and none is above 1. No other scheduler can do better (Baruah et al. 1996). The
//! theorems are about rational time; how whole nanoseconds keep to them is in the header of each scheduler, which
//! refuses what it cannot. The policies count time on the processor, and overheads take some of it: nothing is proved
//! for a machine with overheads. Jobs that need less than their WCET are met, too, because each task's time is its own.

use crate::assumption::Assumption;
use crate::exact::compare_sum;
use crate::reason::Reason;
use crate::sides::Sides;
use crate::system::{Arrivals, System};
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::Theorem;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "optimal",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::OptimalScheduler,
        Assumption::ImplicitDeadlines,
        Assumption::SynchronousPeriodic,
        Assumption::NoJitter,
        Assumption::NoOverheads,
    ],
    source: "Levin et al., ECRTS 2010; Cho et al., RTSS 2006; Funk, RTS 46(3), 2010; Zhu et al., RTSS 2003; Regnier et \
             al., RTSS 2011; Nelissen et al., ECRTS 2012; Andersson and Tovar, RTCSA 2006",
    cost: "O(n)",
    applies: |system| system.theorem() == Some(Theorem::OptimalForPeriodic),
    run,
};

fn run(system: &System) -> Verdict {
    if let Some(reason) = obstacle(system) {
        return TEST.unknown(reason);
    }
    let rates: Vec<(u64, u64)> = system.tasks.iter().map(|task| (task.cost, task.period)).collect();
    if let Some(reason) = above_one(system) {
        return TEST.unknown(reason);
    }
    let fits = compare_sum(&rates, u64::from(system.processors)).is_le();
    let reason = Reason::Utilization(Sides::of_processors(rates, system.processors, fits));
    match fits {
        true => TEST.meets_deadlines(system, reason),
        false => TEST.unknown(reason),
    }
}

/// Returns the reason why the theorem does not speak of these tasks.
pub(super) fn obstacle(system: &System) -> Option<Reason> {
    let is_synchronous = system.tasks.iter().all(|task| task.offset == 0);
    let other =
        (system.arrivals != Arrivals::Periodic || !is_synchronous).then_some(Reason::NotSynchronousPeriodic);
    obstacle_of_sporadic(system).or(other)
}

/// Returns the reason why some jobs do more than execute, or are not due with their periods.
pub(super) fn obstacle_of_sporadic(system: &System) -> Option<Reason> {
    if system.needs_blocking() {
        return Some(Reason::SectionsNotCounted);
    }
    if system.has_suspension() || system.has_jitter() {
        return Some(Reason::JitterOrSuspension);
    }
    (!system.has_implicit_deadlines()).then_some(Reason::DeadlineNotPeriod)
}

/// Returns the utilization of a task that is above 1, if there is one.
pub(super) fn above_one(system: &System) -> Option<Reason> {
    let task = system.tasks.iter().find(|task| task.cost > task.period)?;
    Some(Reason::Utilization(Sides::of_processors(vec![(task.cost, task.period)], 1, false)))
}

/// Cost and period of each task. A job without cost needs a processor to complete, as the schedulers have it.
pub(super) fn pairs(system: &System) -> Vec<(u64, u64)> {
    system.tasks.iter().map(|task| (task.cost.max(1), task.period)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{AnalysedOrder, AnalysedScheduler};
    use crate::verdict::Answer;
    use schedlab_model::{Duration, Instant, Task, Work};

    fn answer(tasks: &[Task], processors: u32, arrivals: Arrivals) -> Answer {
        let order = AnalysedOrder::Theorem(Theorem::OptimalForPeriodic);
        let scheduler = AnalysedScheduler { order, arrivals, ..AnalysedScheduler::EDF };
        TEST.run_on(&System::global(tasks, processors, &scheduler).unwrap())
    }

    impl Test {
        fn run_on(&self, system: &System) -> Answer {
            assert!((self.applies)(system));
            (self.run)(system).answer
        }
    }

    fn task(cost: u64, period: u64) -> Task {
        Task::implicit(Work::from_ns(cost), Duration::from_ns(period))
    }

    #[test]
    fn what_fits_is_schedulable_and_nothing_else_is_judged() {
        let full = || vec![task(2, 3), task(2, 3), task(2, 3)];
        assert_eq!(answer(&full(), 2, Arrivals::Periodic), Answer::Schedulable);
        assert_eq!(answer(&full(), 2, Arrivals::Sporadic), Answer::Unknown);
        let mut over = full();
        over.push(task(1, 1_000_000));
        assert_eq!(answer(&over, 2, Arrivals::Periodic), Answer::Unknown);
        let mut late = full();
        late[0].offset = Instant::from_ns(1);
        assert_eq!(answer(&late, 2, Arrivals::Periodic), Answer::Unknown);
        let mut constrained = full();
        constrained[0].relative_deadline = Duration::from_ns(2);
        assert_eq!(answer(&constrained, 2, Arrivals::Periodic), Answer::Unknown);
    }
}
