//! EDF-US and PriD: heavy tasks have processors of their own, and the others pass a test of global EDF on the rest.
//!
//! A. Srinivasan and S. Baruah, *Deadline-based scheduling of periodic task systems on multiprocessors*, Information
//! Processing Letters 84(2), 2002. Let h tasks be heavy, less than m. They go first, so that none of them ever waits.
//! The others are at no time worse off than on m - h processors of their own, because longer jobs of more urgent tasks
//! delay no job less (S. Ha and J. Liu, ICDCS 1994). There the density test of EDF ([`crate::multiprocessor::gfb`])
//! proves them:
//!
//! ```text
//! sum of d_i <= (m - h) - (m - h - 1) max d_i,   d_i = C_i / D_i, over light tasks
//! ```
//!
//! The bound of EDF-US follows: with x = m/(2m - 1) and deadlines equal to periods, all sets are accepted whose
//! utilizations add up to at most m^2/(2m - 1). Under PriD the k - 1 tasks of the largest utilizations are heavy. With
//! deadlines equal to periods, the condition is then the one of J. Goossens, S. Funk and S. Baruah, Real-Time Systems
//! 25, 2003, where some processor is left to the others: m >= k - 1 + ceil((U_(k+1) + ... + U_n) / (1 - U_k)), by
//! falling utilization. The scheduler decides by costs without overheads which tasks are heavy;
//! [`crate::SporadicTask::rank`] has it.

use crate::assumption::Assumption;
use crate::multiprocessor::gfb;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::{LightOrder, Theorem};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "edf_us",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        Assumption::EdfUs,
        Assumption::ConstrainedDeadlines,
        Assumption::JitterShortensDeadlines,
        Assumption::SuspensionAsExecution,
        Assumption::NoOverheads,
    ],
    source: "Srinivasan and Baruah, IPL 84(2), 2002; Goossens, Funk and Baruah, RTS 25, 2003",
    cost: "O(n)",
    applies: |system| match system.theorem() {
        Some(Theorem::HeavyTasksFirst(heavy)) => heavy.others == LightOrder::Deadline,
        theorem => matches!(theorem, Some(Theorem::LargestTasksFirst(_))),
    },
    run,
};

fn run(system: &System) -> Verdict {
    if system.needs_blocking() {
        return TEST.unknown(Reason::SectionsNotCounted);
    }
    if !system.has_constrained_deadlines() {
        return TEST.unknown(Reason::DeadlineBeyondPeriod);
    }
    let mut light = Vec::with_capacity(system.tasks.len());
    for task in &system.tasks {
        let cost = task.oblivious_cost();
        match task.relative_deadline.checked_sub(task.jitter) {
            Some(window) if cost <= window && window > 0 => {
                if task.rank > 0 {
                    light.push((cost, window));
                }
            }
            window => {
                let (needs, has) = (Ns(cost), Ns(window.unwrap_or(0)));
                return TEST.unknown(Reason::LateAlone { task: task.id, needs, has });
            }
        }
    }
    let (tasks, processors) = (system.tasks.len(), system.processors);
    let heavy = tasks - light.len();
    if light.is_empty() && heavy <= processors as usize {
        return TEST.meets_deadlines(system, Reason::EnoughProcessors { tasks, processors });
    }
    let Some(left) = processors.checked_sub(heavy as u32).filter(|left| *left > 0) else {
        return TEST.unknown(Reason::HeavyLeaveNone { heavy, processors });
    };
    let holds = gfb::holds(&light, left);
    let reason = Reason::LightDensities { heavy, left, sides: gfb::sides(light, left, holds) };
    let reason = system.with_suspension(reason);
    match holds {
        true => TEST.meets_deadlines(system, reason),
        false => TEST.unknown(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::compare_sum;
    use crate::system::{AnalysedOrder, AnalysedScheduler};
    use crate::verdict::Answer;
    use schedlab_model::{Duration, HeavyFirst, LargestFirst, Task, Threshold, Work};

    fn answer(rows: &[(u64, u64)], processors: u32, threshold: Threshold) -> Answer {
        let heavy = HeavyFirst { threshold, others: LightOrder::Deadline };
        let ranks: Vec<u32> =
            rows.iter().map(|row| u32::from(!threshold.is_below(*row, processors))).collect();
        answer_of(Theorem::HeavyTasksFirst(heavy), &implicit(rows), &ranks, processors)
    }

    fn implicit(rows: &[(u64, u64)]) -> Vec<Task> {
        let task =
            |&(cost, period): &(u64, u64)| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        rows.iter().map(task).collect()
    }

    fn answer_of(theorem: Theorem, tasks: &[Task], ranks: &[u32], processors: u32) -> Answer {
        let order = AnalysedOrder::Theorem(theorem);
        let scheduler = AnalysedScheduler { order, ranks, ..AnalysedScheduler::EDF };
        let system = System::global(tasks, processors, &scheduler).unwrap();
        assert!((TEST.applies)(&system));
        run(&system).answer
    }

    fn answer_of_prid(largest: LargestFirst, rows: &[(u64, u64)], processors: u32) -> Answer {
        let tasks = implicit(rows);
        let ranks: Vec<u32> = largest.choose(&tasks).into_iter().map(|first| u32::from(!first)).collect();
        answer_of(Theorem::LargestTasksFirst(largest), &tasks, &ranks, processors)
    }

    /// Accepted on m processors, and on no fewer, where the published condition asks for m: for each k, and for the one
    /// of PriD, at random.
    #[test]
    fn the_published_condition_of_prid_is_the_test() {
        let mut state = 11u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for _ in 0..500 {
            let mut rows: Vec<(u64, u64)> = (0..2 + below(6)).map(|_| (1 + below(99), 100)).collect();
            rows.sort_unstable_by_key(|row| core::cmp::Reverse(row.0));
            let needed = |k: usize| {
                let rest: u64 = rows[k..].iter().map(|row| row.0).sum();
                k as u64 - 1 + rest.div_ceil(100 - rows[k - 1].0).max(1)
            };
            let check = |largest: LargestFirst, needed: u64| {
                let answer = |m: u64| answer_of_prid(largest, &rows, m as u32);
                assert_eq!(answer(needed), Answer::Schedulable, "{largest:?} {rows:?} on {needed}");
                assert!(
                    needed == 1 || answer(needed - 1) == Answer::Unknown,
                    "{largest:?} {rows:?} on {needed}"
                );
            };
            (1..=rows.len()).for_each(|k| check(LargestFirst::Given { k: k as u32 }, needed(k)));
            let least = (1..=rows.len()).map(needed).min().unwrap();
            check(LargestFirst::FewestProcessors, least);
        }
    }

    /// Dhall's effect, which makes global EDF late at a utilization just above 1.
    #[test]
    fn a_heavy_task_beside_light_ones() {
        let rows = [(2, 10), (2, 10), (10, 11)];
        assert_eq!(answer(&rows, 2, Threshold::OfProcessors { times: 2 }), Answer::Schedulable);
        let none_is_heavy = Threshold::Given { numerator: 1, denominator: 1 };
        assert_eq!(answer(&rows, 2, none_is_heavy), Answer::Unknown);
        let all_are_heavy = Threshold::Given { numerator: 1, denominator: 10 };
        assert_eq!(answer(&rows, 2, all_are_heavy), Answer::Unknown);
        assert_eq!(answer(&rows, 3, all_are_heavy), Answer::Schedulable);
    }

    /// The paper's bound: all up to m^2/(2m - 1), at random.
    #[test]
    fn the_published_bound_is_accepted() {
        let mut state = 3u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for round in 0..3_000u64 {
            let m = 1 + round % 8;
            let (mut rows, bound) = (Vec::new(), (m * m, 2 * m - 1));
            let mut left = 1_000 * bound.0 / bound.1;
            while left > 0 {
                let rate = (1 + below(1_000)).min(left);
                rows.push((rate, 1_000));
                left -= rate;
            }
            assert!(compare_sum(&rows, m).is_le());
            assert_eq!(
                answer(&rows, m as u32, Threshold::OfProcessors { times: 2 }),
                Answer::Schedulable,
                "{rows:?} on {m}"
            );
        }
    }
}
