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
use crate::steps::{Computation, SlackSum, SlackTerm, Unwatched, Watch};
use crate::system::System;
use crate::verdict::{Guarantee, Test, Verdict};
use schedlab_model::TaskId;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "bcl_iterative",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_EDF,
    source: "Bertogna, Cirinei and Lipari, IEEE TPDS 20(4), 2009",
    cost: "pseudo-polynomial; O(n^2) for a round",
    applies: System::is_preemptive_edf_multiprocessor,
    run: |system| run(system, &mut Unwatched),
};

/// Runs the test while `watch` watches.
pub(crate) fn run(system: &System, watch: &mut impl Watch) -> Verdict {
    judge(&TEST, system, |tasks, processors, budget| {
        slacks_watched(tasks, processors, budget, &|place| system.tasks[place].id, watch).0
    })
}

/// By task: a lower bound on the time between a job's completion and its deadline, valid if the finding is that the
/// condition holds; 0 where none is found.
pub(super) fn slacks(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> (Finding, Vec<u64>) {
    slacks_watched(tasks, processors, budget, &|_| TaskId(0), &mut Unwatched)
}

/// Returns what [`slacks`] does while `watch` watches tasks whose ids are given by place.
fn slacks_watched(
    tasks: &[GlobalTask],
    processors: u64,
    budget: &mut Budget,
    id: &impl Fn(usize) -> TaskId,
    watch: &mut impl Watch,
) -> (Finding, Vec<u64>) {
    let mut slacks = vec![0; tasks.len()];
    for round in 1.. {
        let (mut grew, mut failed) = (false, None);
        for k in 0..tasks.len() {
            if !budget.spend(tasks.len()) {
                return (Finding::Spent, slacks);
            }
            let found = match watch.wants(Some(id(k))) {
                true => shown(k, tasks, &slacks, processors, round, id, watch),
                false => slack(k, tasks, &slacks, processors, |_, _| {}),
            };
            match found {
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
    unreachable!("slacks are bounded, so that the rounds end")
}

/// Returns what [`slack`] does in this round, and shows the sum.
fn shown(
    k: usize,
    tasks: &[GlobalTask],
    slacks: &[u64],
    processors: u64,
    round: u64,
    id: &impl Fn(usize) -> TaskId,
    watch: &mut impl Watch,
) -> Result<u64, u64> {
    let GlobalTask { cost, relative_deadline: within, .. } = tasks[k];
    let mut terms = Vec::with_capacity(tasks.len());
    let found = slack(k, tasks, slacks, processors, |i, Due { jobs, carried, counted }| {
        let GlobalTask { cost, period, .. } = tasks[i];
        terms.push(SlackTerm { task: id(i), jobs, cost, period, slack: slacks[i], carried, counted });
    });
    let room = within - cost;
    let (delay, slack) = match found {
        Ok(slack) => (room - slack, Some(slack)),
        Err(delay) => (delay, None),
    };
    let sum = terms.iter().map(|term| term.counted).sum();
    let of = id(k);
    watch.add(Computation::Slack(SlackSum { of, round, within, room, processors, terms, sum, delay, slack }));
    found
}

/// Work of a task within a window at whose end one of its jobs is due.
struct Due {
    jobs: u64,
    carried: u64,
    /// The part that counts.
    counted: u64,
}

/// Returns the time before its deadline at which each job of task k completes, or an error with its delay if it may be
/// late; gives `each` other task's work.
#[inline(always)]
fn slack(
    k: usize,
    tasks: &[GlobalTask],
    slacks: &[u64],
    processors: u64,
    mut each: impl FnMut(usize, Due),
) -> Result<u64, u64> {
    let room = tasks[k].relative_deadline - tasks[k].cost;
    let mut sum = 0;
    for (i, task) in tasks.iter().enumerate() {
        if i != k {
            let (jobs, carried) = jobs_within(task, tasks[k].relative_deadline, slacks[i]);
            let counted = (jobs * task.cost + carried).min(room + 1);
            sum += counted;
            each(i, Due { jobs, carried, counted });
        }
    }
    room.checked_sub(sum / processors).ok_or(sum / processors)
}

/// Returns the work of jobs within a window at whose end one is due, if they complete `slack` before they are due.
pub(super) fn due_within(task: &GlobalTask, window: u64, slack: u64) -> u64 {
    let (jobs, carried) = jobs_within(task, window, slack);
    jobs * task.cost + carried
}

/// Returns how many whole jobs there are in such a window, and the work of the job that is carried in.
#[inline(always)]
fn jobs_within(task: &GlobalTask, window: u64, slack: u64) -> (u64, u64) {
    let (jobs, rest) = (window / task.period, window % task.period);
    (jobs, rest.saturating_sub(slack).min(task.cost))
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
            slack(0, &tasks, &[0; 3], 2, |_, _| {})
        };
        assert_eq!(of(5, 5), Ok(0));
        assert_eq!(of(5, 6), Err(6));
        assert_eq!(of(4, 5), Ok(1));
        let task = |cost| GlobalTask { cost, period: 100, relative_deadline: 10 };
        // One other fills a processor: however much it executes, it leaves the other one free.
        assert_eq!(slack(0, &[task(9), task(10)], &[0; 2], 2, |_, _| {}), Ok(0));
    }
}
