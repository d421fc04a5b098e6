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
//! since the interval can be extended to the left to where not all processors are busy: at most m - 1 tasks have a job
//! begun there. Quadratic time for a step of all fixed points.

use super::bertogna_cirinei_fp::{by_priority, judge_by_priority, End, Responses};
use super::carry_in::largest;
use super::rising::{longer, Part, Rises};
use super::tasks::{constrained, GlobalTask, GLOBAL_FP};
use crate::budget::Budget;
use crate::system::System;
use crate::verdict::{Guarantee, Test};

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "guan",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_FP,
    source: "Guan, Stigge, Yi and Yu, RTSS 2009",
    cost: "pseudo-polynomial; O(n^2) for a step of all fixed points",
    applies: System::is_preemptive_fp_multiprocessor,
    run: |system| judge_by_priority(&TEST, system, responses),
};

/// The bounds by falling priority, `None` from the first task on that has none.
pub fn bounds(system: &System) -> Vec<Option<u64>> {
    by_priority(system, responses)
}

/// The bound of `task` of `system.tasks`, and the most work of each task in the window from its arrival on, as the
/// bound counts it: the m - 1 with which that costs most carry in.
pub(crate) fn work_by_task(system: &System, task: usize) -> Option<(u64, Vec<u64>)> {
    let tasks = constrained(system).ok()?;
    let order = system.by_priority();
    let bounds = bounds(system);
    let k = order.iter().position(|&place| place == task)?;
    let response = bounds[k]?;
    let cap = response - tasks[task].cost + 1;
    let more_urgent = order[..k].iter().zip(&bounds);
    let of = |(&place, bound): (&usize, &Option<u64>)| {
        Some(Work::of(&tasks[place], (*bound)?, response).up_to(cap))
    };
    let mut work: Vec<Work> = more_urgent.map(of).collect::<Option<_>>()?;
    carry_in(&mut work, system.processors as usize - 1, &mut Vec::new());
    let mut by_task = vec![0; tasks.len()];
    order.iter().zip(&work).for_each(|(&place, work)| by_task[place] = work.without.now);
    Some((response, by_task))
}

fn responses(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> Responses {
    let mut found = Responses { responses: Vec::with_capacity(tasks.len()), end: End::All };
    let mut scratch = Scratch::default();
    for (k, task) in tasks.iter().enumerate() {
        // What a more urgent, not longer job waits at least, this one does too: in a longer window, for more tasks.
        let before = tasks[..k].iter().zip(&found.responses).filter(|(other, _)| other.cost <= task.cost);
        let least = before.map(|(other, response)| response - other.cost).max().unwrap_or(0);
        let more_urgent = MoreUrgent { tasks: &tasks[..k], responses: &found.responses, processors };
        match more_urgent.wait(task, least, &mut scratch, budget) {
            Some(wait) if wait <= task.relative_deadline - task.cost => {
                found.responses.push(task.cost + wait)
            }
            Some(wait) => {
                found.end = End::Beyond(task.cost + wait);
                return found;
            }
            None => {
                found.end = End::Spent;
                return found;
            }
        }
    }
    found
}

/// More urgent tasks, for whose jobs a job may wait.
struct MoreUrgent<'a> {
    tasks: &'a [GlobalTask],
    /// Bounds on the response times of these tasks.
    responses: &'a [u64],
    processors: u64,
}

/// Working memory, reused for all jobs.
#[derive(Default)]
struct Scratch {
    work: Vec<Work>,
    /// Work that carry-in adds, with the place of the task.
    more: Vec<(u64, usize)>,
    rises: Rises,
}

impl MoreUrgent<'_> {
    /// Returns the least fixed point of a job's wait, or a value beyond its slack if the fixed point is; `None` if the
    /// budget is spent before. The job waits for at least `wait`.
    fn wait(&self, own: &GlobalTask, wait: u64, scratch: &mut Scratch, budget: &mut Budget) -> Option<u64> {
        let mut wait = wait;
        while wait <= own.relative_deadline - own.cost {
            if !budget.spend(self.tasks.len() + 1) {
                return None;
            }
            let of = |(task, &response)| Work::of(task, response, own.cost + wait).up_to(wait + 1);
            scratch.work.clear();
            scratch.work.extend(self.tasks.iter().zip(self.responses).map(of));
            // In a longer window others may carry in, which is more yet.
            carry_in(&mut scratch.work, self.processors as usize - 1, &mut scratch.more);
            let parts = scratch.work.iter().map(|work| work.without);
            match longer(wait, parts, self.processors, &mut scratch.rises) {
                Some(longer) => wait = longer,
                None => break,
            }
        }
        Some(wait)
    }
}

/// Lets at most `most` tasks carry in: those with which that adds most work.
fn carry_in(work: &mut [Work], most: usize, more: &mut Vec<(u64, usize)>) {
    more.clear();
    let adds = |(index, work): (usize, &Work)| (work.with.now.saturating_sub(work.without.now), index);
    more.extend(work.iter().enumerate().map(adds).filter(|(adds, _)| *adds > 0));
    largest(more, most).iter().for_each(|&(_, index)| work[index].without = work[index].with);
}

/// Most work that a more urgent task executes in the present window.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    /// Work if the window begins without a carry-in job.
    without: Part,
    /// Work if the window begins with a carry-in job.
    with: Part,
}

impl Work {
    /// Work of `task` in a window of this length, if its jobs respond within `response`.
    fn of(task: &GlobalTask, response: u64, length: u64) -> Work {
        let (jobs, part) = (length / task.period, length % task.period);
        let without = Part { now: jobs * task.cost + part.min(task.cost), plateau: (jobs + 1) * task.cost };
        // The same two for what the window leaves besides one cost.
        let (jobs, part) = match (part.checked_sub(task.cost), jobs) {
            (Some(part), jobs) => (jobs, part),
            (None, 0) => (0, 0),
            (None, jobs) => (jobs - 1, part + task.period - task.cost),
        };
        let begun = (jobs + 1) * task.cost;
        let with = match ((part + response).checked_sub(task.period), task.cost.saturating_sub(1)) {
            // A window of less than one cost leaves nothing.
            (None | Some(0), _) => Part { now: begun, plateau: begun },
            (Some(left_over), most) => Part { now: begun + left_over.min(most), plateau: begun + most },
        };
        Work { without, with }
    }

    fn up_to(self, most: u64) -> Work {
        Work { without: self.without.up_to(most), with: self.with.up_to(most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task (3, 10) that responds within 5: regular windows begin with an arrival; with a job left over, one job
    /// executes at the window's end and others a period before, the first of which had 5 units of time from its
    /// arrival.
    #[test]
    fn work_with_and_without_carry_in() {
        let task = GlobalTask { cost: 3, period: 10, relative_deadline: 10 };
        let regular: Vec<u64> =
            [0, 2, 3, 9, 10, 12, 13, 20].map(|length| Work::of(&task, 5, length).without.now).to_vec();
        assert_eq!(regular, [0, 2, 3, 3, 3, 5, 6, 6]);
        let carried: Vec<u64> =
            [3, 8, 9, 10, 11, 13, 18, 20].map(|length| Work::of(&task, 5, length).with.now).to_vec();
        // From 9 on, 1 and then 2 units of the job before; of 3, one was executed before the window.
        assert_eq!(carried, [3, 3, 4, 5, 5, 6, 6, 8]);
        assert_eq!(Work::of(&task, 5, 2).with.now, 3);
    }

    /// The work rises unit by unit up to its plateau, and never falls.
    #[test]
    fn work_rises_up_to_its_plateau() {
        for (cost, period) in [(3, 10), (1, 4), (4, 4), (0, 3)] {
            let task = GlobalTask { cost, period, relative_deadline: period };
            for (response, length) in
                (cost..=period).flat_map(|response| (0..40).map(move |longer| (response, longer)))
            {
                let [now, next] = [length, length + 1].map(|length| Work::of(&task, response, length));
                for (now, next) in [(now.without, next.without), (now.with, next.with)] {
                    assert!(next.now >= now.now && next.now - now.now <= 1, "{task:?} {response} {length}");
                    assert!(next.now > now.now || now.now == now.plateau, "{task:?} {response} {length}");
                    assert!(
                        next.plateau == now.plateau || now.now + 1 >= now.plateau,
                        "{task:?} {response} {length}"
                    );
                }
            }
        }
    }

    /// Only one of the two more urgent tasks can be at work already when the window begins, on two processors.
    #[test]
    fn one_task_less_than_processors_carries_in() {
        let part = |now| Part { now, plateau: now };
        let of = |cap, most| {
            let work = [(4, 9), (5, 8), (1, 3)];
            let mut work =
                work.map(|(without, with)| Work { without: part(without), with: part(with) }.up_to(cap));
            carry_in(&mut work, most, &mut Vec::new());
            work.map(|work| work.without.now).iter().sum::<u64>()
        };
        assert_eq!([of(100, 0), of(100, 1), of(100, 2), of(100, 3)], [10, 15, 18, 20]);
        // Capped at 6: (4, 6), (5, 6), (1, 3).
        assert_eq!([of(6, 0), of(6, 1), of(6, 2), of(6, 3)], [10, 12, 14, 15]);
    }
}
