//! Response-time analysis of global EDF by Bertogna and Cirinei.
//!
//! M. Bertogna and M. Cirinei, *Response-time analysis for globally scheduled symmetric multiprocessor
//! platforms*, RTSS 2007, the test of EDF with slacks. The response time of task k is at most the least R with
//!
//! ```text
//! R = C_k + floor(sum over i != k of min(W_i(R), I_i, R - C_k + 1) / m)
//! W_i(L) = N C_i + min(C_i, L + R_i - C_i - N T_i),  N = floor((L + R_i - C_i) / T_i)
//! ```
//!
//! if that is at most D_k: W_i bounds what task i executes in any window of length L, and I_i (see
//! [`super::bcl_iterative`]) what it executes before k's absolute deadline with deadlines no later. R_i is the bound
//! found so far, at first D_i. Once all tasks have one at a time, all are proved. Going on makes the bounds smaller,
//! and is allowed: each is derived from proved ones. Assumes D <= T. Each round takes quadratic time for each step of
//! the fixed points.

use super::bcl_iterative::{self, due_within};
use super::rising::{longer, Part, Rises};
use super::tasks::{conclude, constrained, responses_short, Failure, Finding, GlobalTask, GLOBAL_EDF, TERMS};
use crate::budget::Budget;
use crate::exact::compare;
use crate::system::System;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::Duration;

/// Entry of this test in the registry.
pub static TEST: Test = Test {
    name: "bertogna_cirinei_edf",
    guarantee: Guarantee::Hard,
    exact: false,
    assumptions: GLOBAL_EDF,
    source: "Bertogna and Cirinei, RTSS 2007",
    cost: "pseudo-polynomial; O(n^2) for a step of all fixed points",
    applies: System::is_preemptive_edf_multiprocessor,
    run,
};

fn run(system: &System) -> Verdict {
    let tasks = match constrained(system) {
        Ok(tasks) => tasks,
        Err(reason) => return TEST.unknown(reason),
    };
    let mut budget = Budget::of(TERMS);
    let (finding, responses) =
        responses(&tasks, system.processors.into(), Rounds::AsLongAsTheyHelp, &mut budget);
    match finding {
        Finding::Holds => {
            let reason = responses_short(system, &responses);
            let bounds = responses.into_iter().map(|response| Some(Duration::from_ns(response))).collect();
            TEST.schedulable(reason, Bounds::ResponseTime(bounds))
        }
        Finding::Fails(_) | Finding::Spent => conclude(&TEST, system, &tasks, finding),
    }
}

/// Condition for the end of the iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// Stop as soon as every task has a bound.
    UntilProved,
    /// Go on as long as some bound becomes smaller.
    AsLongAsTheyHelp,
}

/// The bound of each task in the order of `system.tasks`, or `None` if some task has none or the test does not apply to
/// the system.
pub fn bounds(system: &System, rounds: Rounds) -> Option<Vec<u64>> {
    let tasks = constrained(system).ok()?;
    let (finding, bounds) = responses(&tasks, system.processors.into(), rounds, &mut Budget::of(TERMS));
    (finding == Finding::Holds).then_some(bounds)
}

/// The bound of `task`, and the most work of each other task in the window from its arrival on, as the bound counts it;
/// `None` if the test does not prove all tasks.
pub(crate) fn work_by_task(system: &System, task: usize) -> Option<(u64, Vec<u64>)> {
    let tasks = constrained(system).ok()?;
    let responses = bounds(system, Rounds::AsLongAsTheyHelp)?;
    let mut scratch = Scratch::new(tasks.len());
    let (processors, budget) = (system.processors.into(), &mut Budget::of(TERMS));
    let mut window =
        Window { k: task, tasks: &tasks, responses: &responses, processors, scratch: &mut scratch, budget };
    window.look_at_deadline();
    window.look_at(responses[task]);
    let cap = responses[task] - tasks[task].cost + 1;
    Some((responses[task], scratch.work.iter().map(|part| part.now.min(cap)).collect()))
}

/// Returns whether the test proves all tasks, without their bounds. It starts from the slacks that
/// [`super::bcl_iterative`] finds, which cannot change the answer, and fails at once if a task fails although all
/// others respond within their costs.
pub(super) fn find(tasks: &[GlobalTask], processors: u64, budget: &mut Budget) -> Finding {
    let shortest: Vec<u64> = tasks.iter().map(|task| task.cost).collect();
    let mut scratch = Scratch::new(tasks.len());
    let mut hopeless = |k: usize, budget: &mut Budget| {
        let mut window = Window { k, tasks, responses: &shortest, processors, scratch: &mut scratch, budget };
        match window.response(0) {
            Response::Beyond(response) => Some(Failure::Response { task: k, response }),
            Response::At(_) | Response::Spent => None,
        }
    };
    if let Some(failure) = densest(tasks).into_iter().find_map(|k| hopeless(k, budget)) {
        return Finding::Fails(failure);
    }
    let (finding, slacks) = bcl_iterative::slacks(tasks, processors, budget);
    if finding == Finding::Holds {
        return finding;
    }
    let begin = tasks.iter().zip(slacks).map(|(task, slack)| task.relative_deadline - slack).collect();
    rounds(tasks, processors, begin, Rounds::UntilProved, budget).0
}

/// The few tasks that are likely to fail if any does.
fn densest(tasks: &[GlobalTask]) -> Vec<usize> {
    const FEW: usize = 6;
    let density = |k: usize| (tasks[k].cost, tasks[k].relative_deadline);
    let mut places: Vec<usize> = (0..tasks.len()).collect();
    if tasks.len() > FEW {
        places.select_nth_unstable_by(FEW - 1, |&a, &b| compare(density(b), density(a)));
        places.truncate(FEW);
    }
    places.sort_unstable_by(|&a, &b| compare(density(b), density(a)));
    places
}

/// Bounds response times. They are proved if the finding is `Holds`.
fn responses(
    tasks: &[GlobalTask],
    processors: u64,
    rounds: Rounds,
    budget: &mut Budget,
) -> (Finding, Vec<u64>) {
    let begin = tasks.iter().map(|task| task.relative_deadline).collect();
    self::rounds(tasks, processors, begin, rounds, budget)
}

fn rounds(
    tasks: &[GlobalTask],
    processors: u64,
    mut responses: Vec<u64>,
    rounds: Rounds,
    budget: &mut Budget,
) -> (Finding, Vec<u64>) {
    let mut scratch = Scratch::new(tasks.len());
    let shortest: Vec<u64> = tasks.iter().map(|task| task.cost).collect();
    let mut looks = vec![Look::default(); tasks.len()];
    let (mut round, mut proved, mut changes) = (0, false, 1);
    loop {
        let (changes_before, mut failed) = (changes, None);
        for k in 0..tasks.len() {
            let look = &mut looks[k];
            if look.changes != changes && !look.hopeless {
                let mut window =
                    Window { k, tasks, responses: &shortest, processors, scratch: &mut scratch, budget };
                // Most tasks are looked at often or once.
                if round == 1 {
                    look.begin_at(window.response(0), tasks[k].cost);
                }
                window.responses = &responses;
                match window.response(look.waits) {
                    Response::At(response) => {
                        look.beyond = None;
                        changes += u64::from(response < responses[k]);
                        responses[k] = responses[k].min(response);
                    }
                    Response::Beyond(response) => look.beyond = Some(response),
                    // Of a proof, whatever was improved before the budget ended remains true.
                    Response::Spent if proved => return (Finding::Holds, responses),
                    Response::Spent => return (Finding::Spent, responses),
                }
                look.changes = changes;
            }
            failed = failed.or(look.beyond.map(|response| Failure::Response { task: k, response }));
        }
        proved |= failed.is_none();
        let shrank = changes > changes_before;
        match failed {
            Some(failure) if !shrank => return (Finding::Fails(failure), responses),
            None if !shrank || rounds == Rounds::UntilProved => return (Finding::Holds, responses),
            _ => round += 1,
        }
    }
}

/// State of a task between one round and the next.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    /// Number of bounds that had shrunk when the task was examined last; its own bound does not count, as it does not
    /// matter to it.
    changes: u64,
    /// Lower limit on the task's bound, if that is above its relative deadline.
    beyond: Option<u64>,
    /// True if the task fails whatever the others' bounds are.
    hopeless: bool,
    /// Time that the task waits even if all others respond within their costs. Its fixed point is no smaller, because W
    /// and I only grow with the bounds.
    waits: u64,
}

impl Look {
    /// Records the response time for the case that all others respond within their costs.
    fn begin_at(&mut self, response: Response, cost: u64) {
        match response {
            Response::At(response) => self.waits = response - cost,
            Response::Beyond(response) => (self.beyond, self.hopeless) = (Some(response), true),
            Response::Spent => {}
        }
    }
}

enum Response {
    At(u64),
    /// The response time is beyond the relative deadline, and at least this.
    Beyond(u64),
    Spent,
}

/// Most work that each task executes in the present window.
struct Scratch {
    /// Work of jobs with deadlines no later than the job's: I_i.
    due: Vec<u64>,
    /// Work that counts as interference: min(W_i, I_i).
    work: Vec<Part>,
    rises: Rises,
}

impl Scratch {
    fn new(count: usize) -> Self {
        Scratch { due: vec![0; count], work: vec![Part::default(); count], rises: Rises::new() }
    }
}

/// The window from a job of task k's arrival to its completion.
struct Window<'a> {
    k: usize,
    tasks: &'a [GlobalTask],
    responses: &'a [u64],
    processors: u64,
    scratch: &'a mut Scratch,
    budget: &'a mut Budget,
}

impl Window<'_> {
    /// The least fixed point, which is at least `waits` beyond the cost.
    fn response(&mut self, mut waits: u64) -> Response {
        let own = self.tasks[self.k];
        self.look_at_deadline();
        while waits <= own.relative_deadline - own.cost {
            if !self.budget.spend(self.tasks.len()) {
                return Response::Spent;
            }
            self.look_at(own.cost + waits);
            let parts = self.scratch.work.iter().map(|part| part.up_to(waits + 1));
            match longer(waits, parts, self.processors, &mut self.scratch.rises) {
                Some(longer) => waits = longer,
                None => return Response::At(own.cost + waits),
            }
        }
        Response::Beyond(own.cost + waits)
    }

    fn look_at_deadline(&mut self) {
        let due = self.tasks[self.k].relative_deadline;
        for ((task, response), most) in self.tasks.iter().zip(self.responses).zip(&mut self.scratch.due) {
            *most = due_within(task, due, task.relative_deadline - response);
        }
        self.scratch.due[self.k] = 0;
    }

    fn look_at(&mut self, length: u64) {
        let tasks = self.tasks.iter().zip(self.responses);
        for ((task, &response), (&due, work)) in
            tasks.zip(self.scratch.due.iter().zip(&mut self.scratch.work))
        {
            // Up to one cost fits into any window as long.
            *work = match due <= task.cost.min(length) {
                true => Part { now: due, plateau: due },
                false => {
                    let Part { now, plateau } = within(task, length, response);
                    Part { now: now.min(due), plateau: plateau.min(due) }
                }
            };
        }
    }
}

/// Returns the most work that a task executes in a window of this length, if its jobs respond within `response`.
pub(super) fn within(task: &GlobalTask, length: u64, response: u64) -> Part {
    let reach = length + (response - task.cost);
    let (jobs, rest) = (reach / task.period, reach % task.period);
    Part { now: jobs * task.cost + rest.min(task.cost), plateau: (jobs + 1) * task.cost }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[[u64; 3]], processors: u64, rounds: Rounds) -> (Finding, Vec<u64>) {
        let task =
            |&[cost, period, relative_deadline]: &[u64; 3]| GlobalTask { cost, period, relative_deadline };
        let tasks: Vec<_> = rows.iter().map(task).collect();
        responses(&tasks, processors, rounds, &mut Budget::of(TERMS))
    }

    /// By hand: two processors, and each of three equal jobs waits for half of the other two, rounded down.
    #[test]
    fn interference_is_shared_and_rounded_down() {
        for (cost, response) in [(4, 8), (5, 10)] {
            assert_eq!(
                of(&[[cost, 100, 20]; 3], 2, Rounds::AsLongAsTheyHelp),
                (Finding::Holds, vec![response; 3])
            );
        }
        assert_eq!(of(&[[5, 100, 20], [4, 100, 20], [4, 100, 20]], 2, Rounds::UntilProved).1[0], 9);
        // At most as many others as processors but one: no job waits, however long they execute.
        assert_eq!(of(&[[9, 20, 20], [20, 20, 20]], 2, Rounds::UntilProved), (Finding::Holds, vec![9, 20]));
        let failure = Failure::Response { task: 0, response: 4 };
        assert_eq!(of(&[[2, 3, 3]; 3], 2, Rounds::UntilProved).0, Finding::Fails(failure));
    }

    /// Windows of 0 to 13 of a task (2, 5) that responds within 3: a job may just complete as the window ends.
    #[test]
    fn workload_reaches_one_response_time_beyond_the_window() {
        let task = GlobalTask { cost: 2, period: 5, relative_deadline: 4 };
        let found: Vec<u64> = (0..14).map(|length| within(&task, length, 3).now).collect();
        assert_eq!(found, [1, 2, 2, 2, 2, 3, 4, 4, 4, 4, 5, 6, 6, 6].map(|work| work));
    }

    /// Every bound again in every round, and every fixed point from nothing.
    fn by_definition(tasks: &[GlobalTask], processors: u64) -> (bool, Vec<u64>) {
        let mut responses: Vec<u64> = tasks.iter().map(|task| task.relative_deadline).collect();
        loop {
            let (before, mut failed) = (responses.clone(), false);
            for (k, own) in tasks.iter().enumerate() {
                let interference = |response: u64| {
                    let work = |i: usize| {
                        let slack = tasks[i].relative_deadline - responses[i];
                        let due = due_within(&tasks[i], own.relative_deadline, slack);
                        due.min(within(&tasks[i], response, responses[i]).now).min(response - own.cost + 1)
                    };
                    let others = (0..tasks.len()).filter(|&i| i != k);
                    others.map(work).sum::<u64>() / processors
                };
                let found = (own.cost..=own.relative_deadline)
                    .find(|&response| response == own.cost + interference(response));
                failed |= found.is_none();
                responses[k] = found.unwrap_or(responses[k]).min(responses[k]);
            }
            if responses == before {
                return (!failed, responses);
            }
        }
    }

    #[test]
    fn is_the_iteration_of_the_definition() {
        let mut seed = 17u64;
        let mut draw = |low: u64, high: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            low + (seed >> 33) % (high - low + 1)
        };
        let (mut proved, mut several) = (0, 0);
        for _ in 0..2_000 {
            let mut tasks = Vec::new();
            for _ in 0..draw(3, 7) {
                let period = draw(5, 40);
                let cost = draw(1, period.div_ceil(2));
                tasks.push(GlobalTask { cost, period, relative_deadline: draw(cost, period) });
            }
            let processors = draw(2, 3);
            let (holds, expected) = by_definition(&tasks, processors);
            let (finding, found) =
                responses(&tasks, processors, Rounds::AsLongAsTheyHelp, &mut Budget::of(TERMS));
            assert_eq!((finding == Finding::Holds, &found), (holds, &expected), "{processors} {tasks:?}");
            proved += u32::from(holds);
            let once = responses(&tasks, processors, Rounds::UntilProved, &mut Budget::of(TERMS));
            several += u32::from(holds && once.1 != found);
        }
        assert!(proved > 300 && several > 100, "{proved} {several}");
    }

    #[test]
    fn a_spent_budget_proves_nothing() {
        let task = GlobalTask { cost: 4, period: 100, relative_deadline: 20 };
        let found = responses(&[task; 3], 2, Rounds::UntilProved, &mut Budget::of(5));
        assert_eq!(found.0, Finding::Spent);
    }
}
