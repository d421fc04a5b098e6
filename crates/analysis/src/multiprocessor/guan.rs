//! Response-time analysis of global fixed priorities by Guan, Stigge, Yi and Yu: at most m - 1 tasks carry in.
//!
//! N. Guan, M. Stigge, W. Yi and G. Yu, *New response time bounds for fixed priority multiprocessor
//! scheduling*, RTSS 2009, the case D <= T. By falling priority, the response time of task
//! k is at most the least x with
//!
//! ```text
//! x = C_k + floor(O_k(x) / m),  O_k(x) = sum of all min(NC_i, x - C_k + 1) + sum of the m - 1 largest of
//!                                        min(CI_i, x - C_k + 1) - min(NC_i, x - C_k + 1), more urgent tasks i
//! NC_i(x) = floor(x / T_i) C_i + min(C_i, x mod T_i)
//! CI_i(x) = floor(y / T_i) C_i + C_i + min(C_i - 1, max(0, y mod T_i - (T_i - R_i))),  y = max(0, x - C_i)
//! ```
//!
//! since the interval can be extended to the left to where not all processors are busy: at most m - 1 tasks have a job begun there.
//! Quadratic time for a step of all fixed points.

use super::bertogna_cirinei_fp::{by_priority, judge_by_priority, Found};
use super::carry_in::sum_of_largest;
use super::tasks::{constrained, GlobalTask};
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Guarantee, Test};

/// The registry's line.
pub static TEST: Test = Test {
    name: "guan",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: &[
        "preemptive global fixed priorities on identical processors",
        "relative deadlines at most the periods",
        "self-suspension and jitter count as execution",
        "no overheads",
    ],
    source: "Guan, Stigge, Yi and Yu, RTSS 2009",
    cost: "pseudo-polynomial; O(n^2) for a step of all fixed points",
    applies: System::is_preemptive_fp_multiprocessor,
    run: |system| judge_by_priority(&TEST, system, responses),
};

/// The bounds by falling priority, `None` from the first task on that has none.
pub fn bounds(system: &System) -> Vec<Option<u64>> {
    by_priority(system, responses)
}

/// The bound of the task at place `at` of `system.tasks`, and what each task executes at most in the window from its arrival on, as the bound
/// counts it: the m - 1 with which that costs most carry in.
pub(crate) fn work_by_task(system: &System, at: usize) -> Option<(u64, Vec<u64>)> {
    let tasks = constrained(system).ok()?;
    let order = system.by_priority();
    let bounds = bounds(system);
    let k = order.iter().position(|&place| place == at)?;
    let response = bounds[k]?;
    let cap = response - tasks[at].cost + 1;
    let mut work = vec![0; tasks.len()];
    let mut more = Vec::new();
    for (&place, bound) in order[..k].iter().zip(&bounds) {
        let found = Work::of(&tasks[place], (*bound)?, response);
        work[place] = found.no_carry_in.min(cap);
        more.push((found.carry_in.min(cap).saturating_sub(work[place]), place));
    }
    more.sort_unstable_by(|a, b| b.cmp(a));
    more.iter().take(system.processors as usize - 1).for_each(|(extra, place)| work[*place] += extra);
    Some((response, work))
}

/// What a more urgent task executes at most in the window at hand.
#[derive(Clone, Copy, Default)]
struct Work {
    /// If it begins with no job left over.
    no_carry_in: u64,
    /// If it begins with one.
    carry_in: u64,
}

fn responses(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> Found {
    let mut found = Found { responses: Vec::with_capacity(tasks.len()), spent: false };
    let mut scratch =
        Scratch { work: vec![Work::default(); tasks.len()], more: Vec::with_capacity(tasks.len()) };
    for k in 0..tasks.len() {
        // What a more urgent, not longer job waits at least, this one does too: in a longer window, for more tasks.
        let before = tasks[..k].iter().zip(&found.responses).filter(|(task, _)| task.cost <= tasks[k].cost);
        let least = before.map(|(task, response)| response - task.cost).max().unwrap_or(0);
        match response(k, tasks, &found.responses, processors, least, &mut scratch, budget) {
            Some(response) if response <= tasks[k].relative_deadline => found.responses.push(response),
            Some(_) => return found,
            None => {
                found.spent = true;
                return found;
            }
        }
    }
    found
}

struct Scratch {
    work: Vec<Work>,
    more: Vec<u64>,
}

/// The least fixed point or something beyond the relative deadline, `None` if the budget ends before. The job waits for at
/// `least` so long. Between two evaluations of the work, the wait grows by the last one alone, where every step is below the least fixed point
/// too.
fn response(
    k: usize,
    tasks: &[GlobalTask],
    responses: &[u64],
    processors: u64,
    least: u64,
    scratch: &mut Scratch,
    budget: &mut Budget,
) -> Option<u64> {
    let own = tasks[k];
    let work = &mut scratch.work[..k];
    let mut waits = least;
    loop {
        let length = own.cost + waits;
        if length > own.relative_deadline {
            return Some(length);
        }
        for (work, (task, &response)) in work.iter_mut().zip(tasks[..k].iter().zip(responses)) {
            *work = Work::of(task, response, length);
        }
        let before = waits;
        loop {
            if !budget.spend(k + 1) {
                return None;
            }
            let next = interference(work, waits + 1, processors, &mut scratch.more) / processors;
            if next <= waits {
                break;
            }
            waits = next;
            if own.cost + waits > own.relative_deadline {
                return Some(own.cost + waits);
            }
        }
        if waits == before {
            return Some(length);
        }
    }
}

fn interference(work: &[Work], cap: u64, processors: u64, more: &mut Vec<u64>) -> u64 {
    let mut sum = 0;
    more.clear();
    for work in work {
        let regular = work.no_carry_in.min(cap);
        sum += regular;
        let with = work.carry_in.min(cap);
        if with > regular {
            more.push(with - regular);
        }
    }
    sum + sum_of_largest(more, processors as usize - 1)
}

impl Work {
    /// In a window of this length, if the task's jobs respond within `response`.
    fn of(task: &GlobalTask, response: u64, length: u64) -> Work {
        let (jobs, part) = (length / task.period, length % task.period);
        let no_carry_in = jobs * task.cost + part.min(task.cost);
        // The same two for what the window leaves besides one cost.
        let (jobs, part) = match (part.checked_sub(task.cost), jobs) {
            (Some(part), jobs) => (jobs, part),
            (None, 0) => (0, 0),
            (None, jobs) => (jobs - 1, part + task.period - task.cost),
        };
        let left_over = (part + response).saturating_sub(task.period).min(task.cost.saturating_sub(1));
        Work { no_carry_in, carry_in: (jobs + 1) * task.cost + left_over }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task (3, 10) that responds within 5: regular windows begin with an arrival; with a job left over, one job executes at the
    /// window's end and others a period before, the first of which had 5 units of time from its arrival.
    #[test]
    fn work_with_and_without_carry_in() {
        let task = GlobalTask { cost: 3, period: 10, relative_deadline: 10 };
        let regular: Vec<u64> =
            [0, 2, 3, 9, 10, 12, 13, 20].map(|length| Work::of(&task, 5, length).no_carry_in).to_vec();
        assert_eq!(regular, [0, 2, 3, 3, 3, 5, 6, 6]);
        let carried: Vec<u64> =
            [3, 8, 9, 10, 11, 13, 18, 20].map(|length| Work::of(&task, 5, length).carry_in).to_vec();
        // From 9 on, 1 and then 2 units of the job before; of 3, one was executed before the window.
        assert_eq!(carried, [3, 3, 4, 5, 5, 6, 6, 8]);
        assert_eq!(Work::of(&task, 5, 2).carry_in, 3);
    }

    /// Only one of the two more urgent tasks can be at work already when the window begins, on two processors.
    #[test]
    fn one_task_less_than_processors_carries_in() {
        let work = [(4, 9), (5, 8), (1, 3)].map(|(no_carry_in, carry_in)| Work { no_carry_in, carry_in });
        let of = |cap, processors| interference(&work, cap, processors, &mut Vec::new());
        assert_eq!([of(100, 1), of(100, 2), of(100, 3), of(100, 4)], [10, 15, 18, 20]);
        // Capped at 6: (4, 6), (5, 6), (1, 3).
        assert_eq!([of(6, 1), of(6, 2), of(6, 3), of(6, 4)], [10, 12, 14, 15]);
    }
}
