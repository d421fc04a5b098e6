//! The test of Bertogna, Cirinei and Lipari (BCL).
//!
//! M. Bertogna, M. Cirinei and G. Lipari, *Improved schedulability analysis of EDF on multiprocessor
//! platforms*, ECRTS 2005. Between a job's arrival and its deadline, a job that misses it is kept waiting
//! for more than D_k - C_k, by jobs due no later. Task i executes at most
//!
//! ```text
//! W_i = N C_i + min(C_i, max(0, D_k - N T_i)),  N = max(0, floor((D_k - D_i) / T_i) + 1)
//! ```
//!
//! there, if its own jobs are in time. Deadlines are met if for every task k the sum over the others of
//! min(W_i, D_k - C_k) is below m (D_k - C_k), or equal to it while some W_i is positive and at most D_k - C_k.
//! (If m tasks exceeded D_k - C_k, that one would make the sum larger.) Assumes D <= T. Quadratic time.

use super::tasks::{judge, Failure, Finding, GlobalTask, GLOBAL_EDF};
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Guarantee, Test};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "bcl",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_EDF,
    source: "Bertogna, Cirinei and Lipari, ECRTS 2005",
    cost: "O(n^2)",
    applies: System::is_preemptive_edf_multiprocessor,
    run: |system| judge(&TEST, system, find),
};

pub(super) fn find(tasks: &[GlobalTask], processors: u64, _: &mut Budget) -> Finding {
    match (0..tasks.len()).find(|&k| !holds_for(k, tasks, processors)) {
        Some(k) => Finding::Fails(failure(k, tasks, processors)),
        None => Finding::Holds,
    }
}

/// Returns the two sides of the condition for a task for which it fails, over the whole sum.
fn failure(k: usize, tasks: &[GlobalTask], processors: u64) -> Failure {
    let within = tasks[k].relative_deadline;
    let cap = within - tasks[k].cost;
    let work = || (0..tasks.len()).filter(|i| *i != k).map(|i| workload(&tasks[i], within));
    let some_small = work().any(|work| 0 < work && work <= cap);
    let demand = work().map(|work| u128::from(work.min(cap))).sum();
    let room = u128::from(processors * cap);
    match some_small {
        true => Failure::Room { task: k, within, demand, room },
        false => Failure::RoomReached { task: k, within, demand, room },
    }
}

fn holds_for(k: usize, tasks: &[GlobalTask], processors: u64) -> bool {
    let window = tasks[k].relative_deadline;
    let room = window - tasks[k].cost;
    let limit = processors * room;
    let (mut sum, mut some_small) = (0, false);
    for (i, task) in tasks.iter().enumerate() {
        if i != k {
            let work = workload(task, window);
            sum += work.min(room);
            some_small |= 0 < work && work <= room;
        }
        if sum > limit {
            return false;
        }
    }
    sum < limit || some_small
}

/// Returns the work within a window of the jobs that are due in it, if they are in time and one may be due at its end.
fn workload(task: &GlobalTask, window: u64) -> u64 {
    let jobs = match window.checked_sub(task.relative_deadline) {
        Some(rest) => rest / task.period + 1,
        None => 0,
    };
    let carried = window.saturating_sub(jobs * task.period).min(task.cost);
    jobs * task.cost + carried
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(rows: &[[u64; 3]], processors: u64) -> bool {
        let task =
            |&[cost, period, relative_deadline]: &[u64; 3]| GlobalTask { cost, period, relative_deadline };
        let tasks: Vec<_> = rows.iter().map(task).collect();
        find(&tasks, processors, &mut Budget::of(0)) == Finding::Holds
    }

    /// `bcl-accepts` and `gedf-all-reject` of the published examples.
    #[test]
    fn accepts_and_rejects_as_published() {
        assert!(holds(&[[20, 30, 30], [20, 30, 30], [5, 30, 30]], 2));
        assert!(!holds(&[[2, 3, 3]; 3], 2));
    }

    /// Two others fill the room exactly; it takes a small third one for the equality to be harmless.
    #[test]
    fn equality_needs_a_small_task() {
        // Room 5; one other executes 10 > 5, one exactly 5: sum 10 = 2 * 5, and the latter is small enough.
        assert!(holds(&[[5, 10, 10], [10, 100, 100], [5, 100, 100]][..1], 2));
        assert!(holds_for(0, &rows(&[[5, 10, 10], [10, 100, 10], [5, 100, 10]]), 2));
        assert!(!holds_for(0, &rows(&[[5, 10, 10], [10, 100, 10], [6, 100, 10]]), 2));
        // One that executes nothing takes nothing from the others.
        assert!(!holds_for(0, &rows(&[[5, 10, 10], [10, 100, 10], [6, 100, 10], [0, 100, 10]]), 2));
    }

    fn rows(rows: &[[u64; 3]]) -> Vec<GlobalTask> {
        let task =
            |&[cost, period, relative_deadline]: &[u64; 3]| GlobalTask { cost, period, relative_deadline };
        rows.iter().map(task).collect()
    }

    #[test]
    fn workload_counts_whole_jobs_and_one_carried_in() {
        let task = GlobalTask { cost: 2, period: 5, relative_deadline: 4 };
        let expected = [0, 1, 2, 2, 2, 2, 3, 4, 4, 4, 4, 5, 6, 6];
        for (window, expected) in expected.into_iter().enumerate() {
            assert_eq!(workload(&task, window as u64), expected, "{window}");
        }
    }
}
