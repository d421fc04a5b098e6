//! Response-time analysis of global fixed priorities by Bertogna and Cirinei.
//!
//! M. Bertogna and M. Cirinei, *Response-time analysis for globally scheduled symmetric multiprocessor
//! platforms*, RTSS 2007, the test of fixed priorities. By falling priority, the response time of task k is at most the
//! least R with
//!
//! ```text
//! R = C_k + floor(sum over more urgent tasks i of min(W_i(R), R - C_k + 1) / m)
//! ```
//!
//! where W_i (see [`super::bertogna_cirinei_edf`]) rests on R_i, or without slack on D_i. What a task gets does not
//! depend on less urgent ones, so the bounds of those before the first failure hold. Assumes D <= T. Quadratic time for
//! a step of all fixed points.
//!
//! A version without the term R - C_k + 1 circulates, in which the m most urgent tasks have R = C; its bounds are
//! larger (see docs/peers.md). [`bounds`] computes both.

use super::bertogna_cirinei_edf::within;
use super::rising::{longer, Rises};
use super::tasks::{constrained, response_may_be_long, responses_short, GlobalTask, GLOBAL_FP, TERMS};
use crate::budget::Budget;
use crate::reason::Reason;
use crate::system::System;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::Duration;

/// Entry of this test in the registry, with slacks.
pub static TEST: Test = Test {
    name: "bertogna_cirinei_fp",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_FP,
    source: "Bertogna and Cirinei, RTSS 2007, with slacks",
    cost: "pseudo-polynomial; O(n^2) for a step of all fixed points",
    applies: System::is_preemptive_fp_multiprocessor,
    run: |system| judge_by_priority(&TEST, system, |t, m, b| responses(t, m, Carry::Response, true, b)),
};

/// Entry of this test in the registry, without slacks.
pub(crate) static NO_SLACK: Test = Test {
    name: "bertogna_cirinei_fp_no_slack",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_FP,
    source: "Bertogna and Cirinei, RTSS 2007",
    cost: "pseudo-polynomial; O(n^2) for a step of all fixed points",
    applies: System::is_preemptive_fp_multiprocessor,
    run: |system| judge_by_priority(&NO_SLACK, system, |t, m, b| responses(t, m, Carry::Deadline, true, b)),
};

/// Latest time at which a carry-in job of another task executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carry {
    /// Up to the response time found for it.
    Response,
    /// Up to its deadline, as if it had no slack.
    Deadline,
}

/// The bounds by falling priority, `None` from the first task on that has none. `capped` selects the test as published;
/// without, it is the variant without the cap, which other tools use.
pub fn bounds(system: &System, carry: Carry, capped: bool) -> Vec<Option<u64>> {
    by_priority(system, |tasks, processors, budget| responses(tasks, processors, carry, capped, budget))
}

/// Result of a test of fixed priorities for tasks by falling priority: bounds up to the first failure.
pub(super) struct Responses {
    pub responses: Vec<u64>,
    /// Reason for the end of the bounds.
    pub end: End,
}

/// End of a search for response times by falling priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Each task has a bound.
    All,
    /// The bound of the next task is at least this, and beyond its deadline.
    Beyond(u64),
    /// The budget was spent.
    Spent,
}

/// Returns the places of tasks by falling priority and the result of `find`, or an error if the test does not apply to
/// the system.
fn found_by_priority(
    system: &System,
    find: impl Fn(&[GlobalTask], u64, &mut Budget) -> Responses,
) -> Result<(Vec<usize>, Responses), Reason> {
    let (order, tasks) = (system.by_priority(), constrained(system)?);
    let ordered: Vec<GlobalTask> = order.iter().map(|&task| tasks[task]).collect();
    let found = find(&ordered, system.processors.into(), &mut Budget::of(TERMS));
    Ok((order, found))
}

pub(super) fn by_priority(
    system: &System,
    find: impl Fn(&[GlobalTask], u64, &mut Budget) -> Responses,
) -> Vec<Option<u64>> {
    let found = found_by_priority(system, find).map_or(Vec::new(), |(_, found)| found.responses);
    let mut bounds: Vec<Option<u64>> = found.into_iter().map(Some).collect();
    bounds.resize(system.tasks.len(), None);
    bounds
}

/// The verdict of a test that bounds response times by falling priority.
pub(super) fn judge_by_priority(
    test: &Test,
    system: &System,
    find: impl Fn(&[GlobalTask], u64, &mut Budget) -> Responses,
) -> Verdict {
    let (order, found) = match found_by_priority(system, find) {
        Ok(found) => found,
        Err(reason) => return test.unknown(reason),
    };
    let mut bounds = vec![None; order.len()];
    for (&task, &response) in order.iter().zip(&found.responses) {
        bounds[task] = Some(response);
    }
    let known = bounds.iter().map(|bound| bound.map(Duration::from_ns)).collect();
    let known = Bounds::ResponseTime(known);
    match (found.end, order.get(found.responses.len())) {
        (End::Beyond(response), Some(&task)) => {
            test.unknown_with(response_may_be_long(system, task, response), known)
        }
        (End::Spent, Some(_)) => test.unknown_with(Reason::BudgetSpent, known),
        (End::All, _) | (_, None) => {
            let bounds: Vec<u64> = bounds.into_iter().flatten().collect();
            test.schedulable(responses_short(system, &bounds), known)
        }
    }
}

fn responses(
    tasks: &[GlobalTask],
    processors: u64,
    carry: Carry,
    capped: bool,
    budget: &mut Budget,
) -> Responses {
    let mut found = Responses { responses: Vec::with_capacity(tasks.len()), end: End::All };
    let mut rises = Rises::new();
    for (k, own) in tasks.iter().enumerate() {
        // Without the cap, this is what makes the first few tasks wait for no other task.
        let alone = !capped && (k as u64) < processors;
        let more_urgent = if alone { &[] } else { &tasks[..k] };
        let mut waits = 0;
        while waits <= own.relative_deadline - own.cost {
            if !budget.spend(k + 1) {
                found.end = End::Spent;
                return found;
            }
            let work = |(task, &response): (&GlobalTask, &u64)| {
                let until = if carry == Carry::Response { response } else { task.relative_deadline };
                let work = within(task, own.cost + waits, until);
                if capped {
                    work.up_to(waits + 1)
                } else {
                    work
                }
            };
            let parts = more_urgent.iter().zip(&found.responses).map(work);
            match longer(waits, parts, processors, &mut rises) {
                Some(longer) => waits = longer,
                None => break,
            }
        }
        if waits > own.relative_deadline - own.cost {
            found.end = End::Beyond(own.cost + waits);
            return found;
        }
        found.responses.push(own.cost + waits);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of docs/peers.md: the cap matters once there are as many more urgent tasks as processors.
    #[test]
    fn the_cap_lets_a_job_wait_only_while_it_waits() {
        let tasks = [(10, 20), (1, 20), (1, 20)];
        let tasks = tasks.map(|(cost, period)| GlobalTask { cost, period, relative_deadline: period });
        let of = |capped| responses(&tasks, 2, Carry::Deadline, capped, &mut Budget::of(TERMS)).responses;
        assert_eq!(of(true), [10, 1, 3]);
        assert_eq!(of(false), [10, 1, 7]);
        // Four tasks on one processor: no other processor shares the delay.
        let tasks = [4, 3, 2, 20].map(|cost| GlobalTask { cost, period: 100, relative_deadline: 28 });
        let found = responses(&tasks, 1, Carry::Response, true, &mut Budget::of(TERMS));
        assert_eq!((found.responses, found.end), (vec![4, 7, 9], End::Beyond(29)));
    }
}
