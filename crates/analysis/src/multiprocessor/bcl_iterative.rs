//! The iterative test of Bertogna, Cirinei and Lipari (BCL with slack).
//!
//! M. Bertogna, M. Cirinei and G. Lipari, *Schedulability analysis of global scheduling algorithms on
//! multiprocessor platforms*, IEEE TPDS 20(4), 2009, the iterative test of EDF. A job that completes at least s_i
//! before its deadline executes less of what it has left within a window that its deadline ends late:
//!
//! ```text
//! I_i = floor(D_k / T_i) C_i + min(C_i, max(0, D_k mod T_i - s_i))
//! s_k = D_k - C_k - floor(sum over i != k of min(I_i, D_k - C_k + 1) / m)
//! ```
//!
//! Slacks begin at 0 and only grow; deadlines are met once all are found to be nonnegative at a time. The order in
//! which tasks are looked at does not matter to the answer: a larger slack never hurts. Assumes D <= T. Quadratic time
//! for a round.

use super::tasks::{judge, Failure, Finding, GlobalTask, GLOBAL_EDF};
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Guarantee, Test};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "bcl_iterative",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_EDF,
    source: "Bertogna, Cirinei and Lipari, IEEE TPDS 20(4), 2009",
    cost: "pseudo-polynomial; O(n^2) for a round",
    applies: System::is_preemptive_edf_multiprocessor,
    run: |system| judge(&TEST, system, find),
};

fn find(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> Finding {
    slacks(tasks, processors, budget).0
}

/// By task: a lower bound on the time between a job's completion and its deadline, valid if the finding is that the
/// condition holds; 0 where none is found.
pub(super) fn slacks(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> (Finding, Vec<u64>) {
    let mut slacks = vec![0; tasks.len()];
    loop {
        let (mut grew, mut failed) = (false, None);
        for k in 0..tasks.len() {
            if !budget.spend(tasks.len()) {
                return (Finding::Spent, slacks);
            }
            match slack(k, tasks, &slacks, processors) {
                Ok(slack) if slack > slacks[k] => (slacks[k], grew) = (slack, true),
                Ok(_) => {}
                Err(delay) => failed = failed.or(Some((k, delay))),
            }
        }
        match failed {
            None => return (Finding::Holds, slacks),
            Some((task, delay)) if !grew => {
                let room = tasks[task].relative_deadline - tasks[task].cost;
                return (Finding::Fails(Failure::Delay { task, delay, room }), slacks);
            }
            Some(_) => {}
        }
    }
}

/// Returns the time before its deadline at which each job of task k completes, or an error with its delay if it may be
/// late.
fn slack(k: usize, tasks: &[GlobalTask], slacks: &[u64], processors: u64) -> Result<u64, u64> {
    let room = tasks[k].relative_deadline - tasks[k].cost;
    let mut sum = 0;
    for (i, task) in tasks.iter().enumerate() {
        if i != k {
            sum += due_within(task, tasks[k].relative_deadline, slacks[i]).min(room + 1);
        }
    }
    room.checked_sub(sum / processors).ok_or(sum / processors)
}

/// Returns the work of jobs within a window at whose end one is due, if they complete `slack` before they are due.
pub(super) fn due_within(task: &GlobalTask, window: u64, slack: u64) -> u64 {
    let (jobs, rest) = (window / task.period, window % task.period);
    jobs * task.cost + rest.saturating_sub(slack).min(task.cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_shrinks_what_is_carried_in() {
        let task = GlobalTask { cost: 3, period: 10, relative_deadline: 10 };
        let of = |window, slack| due_within(&task, window, slack);
        assert_eq!([of(22, 0), of(22, 1), of(22, 2), of(22, 3), of(29, 6), of(29, 7)], [8, 7, 6, 6, 9, 8]);
    }

    /// Two tasks that each leave the third exactly as much as it needs, and one unit less.
    #[test]
    fn interference_is_rounded_down_and_capped_one_above_the_room() {
        let of = |cost, others: u64| {
            let task = |cost| GlobalTask { cost, period: 100, relative_deadline: 10 };
            let tasks = [task(cost), task(others), task(others)];
            slack(0, &tasks, &[0; 3], 2)
        };
        assert_eq!(of(5, 5), Ok(0));
        assert_eq!(of(5, 6), Err(6));
        assert_eq!(of(4, 5), Ok(1));
        let task = |cost| GlobalTask { cost, period: 100, relative_deadline: 10 };
        // One other fills a processor: however much it executes, it leaves the other one free.
        assert_eq!(slack(0, &[task(9), task(10)], &[0; 2], 2), Ok(0));
    }
}
