//! QPS: what has a plan is schedulable.
//!
//! E. Massa, G. Lima, P. Regnier, G. Levin and S. Brandt, *Quasi-partitioned scheduling*, RTS 52(5), 2016: sporadic
//! tasks with deadlines equal to their periods meet them if utilizations add up to at most m and none is above 1. The
//! theorem is about rational time. The scheduler plans in whole nanoseconds, and this test makes the plan, too: with a
//! partition or on a grid for sporadic arrivals, which takes a little more than utilizations, else for periodic
//! arrivals alone. The proof is in the scheduler's header.

use super::optimal::{above_one, obstacle_of_sporadic, pairs};
use crate::assumption::Assumption;
use crate::exact::compare_sum;
use crate::reason::Reason;
use crate::sides::Sides;
use crate::system::{Arrivals, System};
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::Theorem;
use schedlab_policy::qps::plan::{plan, Holds, NoPlan, Row};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "qps",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::Qps,
        Assumption::ImplicitDeadlines,
        Assumption::NoSelfSuspension,
        Assumption::NoJitter,
        Assumption::NoOverheads,
    ],
    source: "Massa et al., RTS 52(5), 2016",
    cost: "O(n m + n log n)",
    applies: |system| system.theorem() == Some(Theorem::QuasiPartitions),
    run,
};

fn run(system: &System) -> Verdict {
    if let Some(reason) = obstacle_of_sporadic(system) {
        return TEST.unknown(reason);
    }
    if let Some(reason) = above_one(system) {
        return TEST.unknown(reason);
    }
    let row = |((cost, period), phase)| Row { cost, period, phase };
    let phases = system.tasks.iter().map(|task| task.offset);
    let rows: Vec<Row> = pairs(system).into_iter().zip(phases).map(row).collect();
    let rates: Vec<(u64, u64)> = system.tasks.iter().map(|task| (task.cost, task.period)).collect();
    let utilization = |rates| {
        let fits = compare_sum(rates, u64::from(system.processors)).is_le();
        Reason::Utilization(Sides::of_processors(rates.to_vec(), system.processors, fits))
    };
    match plan(&rows, system.processors as usize, system.all_stay()) {
        Ok(plan) => {
            let needs_periodic = plan.holds == Holds::Periodic && system.arrivals != Arrivals::Periodic;
            match needs_periodic {
                true => TEST.unknown(Reason::NotPeriodicAtTheLimit),
                false => TEST.meets_deadlines(system, utilization(&rates)),
            }
        }
        Err(NoPlan::OverUtilized) => TEST.unknown(utilization(&rates)),
        Err(NoPlan::OverUtilizedRounded) => TEST.unknown(Reason::RoundedUpDoNotFit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{AnalysedOrder, AnalysedScheduler};
    use crate::verdict::Answer;
    use schedlab_model::{Duration, Instant, Task, Work};

    fn answer(tasks: &[Task], processors: u32, arrivals: Arrivals) -> Answer {
        let order = AnalysedOrder::Theorem(Theorem::QuasiPartitions);
        let scheduler = AnalysedScheduler { order, arrivals, ..AnalysedScheduler::EDF };
        let system = System::global(tasks, processors, &scheduler).unwrap();
        assert!((TEST.applies)(&system));
        run(&system).answer
    }

    fn tasks(cost: u64, period: u64, count: usize) -> Vec<Task> {
        vec![Task::implicit(Work::from_ns(cost), Duration::from_ns(period)); count]
    }

    #[test]
    fn sporadic_tasks_fit_but_for_what_rounding_takes() {
        let (sporadic, periodic) = (Arrivals::Sporadic, Arrivals::Periodic);
        let full = tasks(2_000_000, 3_000_000, 3);
        assert_eq!(answer(&full, 2, periodic), Answer::Schedulable);
        assert_eq!(answer(&full, 2, sporadic), Answer::Unknown);
        let mut staggered = full.clone();
        staggered[0].offset = Instant::from_ns(300_000);
        assert_eq!(answer(&staggered, 2, periodic), Answer::Schedulable);
        staggered[0].offset = Instant::from_ns(300_001);
        assert_eq!(answer(&staggered, 2, periodic), Answer::Unknown);
        assert_eq!(answer(&tasks(1_990_000, 3_000_000, 3), 2, sporadic), Answer::Schedulable);
        assert_eq!(answer(&tasks(2_000_000, 4_000_000, 4), 2, sporadic), Answer::Schedulable);
        assert_eq!(answer(&tasks(2_000_000, 3_000_000, 4), 2, periodic), Answer::Unknown);
    }
}
