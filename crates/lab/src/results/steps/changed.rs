//! Times of tasks that a test does not take from the scenario as they are.

use schedlab_analysis::steps::{Computation, JitterCause, RatioKind, ResponseSteps, Steps, WindowRule};
use schedlab_analysis::Quantity;
use schedlab_model::{ClusterId, Duration, Suspension, TaskId};
use schedlab_scenario::{Scenario, TaskSpec};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A time of a task: C, T, D or J.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TaskTime {
    Cost,
    Period,
    RelativeDeadline,
    Jitter,
}

/// What a test adds to a time of a task, or takes from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ChangeCause {
    /// Jitter counts as execution, or shortens the time from a release to a deadline.
    Jitter,
    /// Self-suspension counts as execution.
    Suspension,
    /// Waiting for resources counts as execution.
    Waiting,
    /// Releases are at ticks.
    Ticks,
    /// Overheads or retries are accounted for.
    Accounting,
}

/// A time of a task as the scenario has it, and as the test uses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct ChangedTime {
    task: u32,
    name: String,
    time: TaskTime,
    scenario_ns: u64,
    used_ns: u64,
    because: Vec<ChangeCause>,
}

/// Times that computations use, by task.
#[derive(Default)]
struct Used(BTreeMap<(TaskId, TaskTime), u64>);

impl Used {
    fn note(&mut self, task: TaskId, time: TaskTime, ns: u64) {
        self.0.entry((task, time)).or_insert(ns);
    }

    /// Notes the cost, the period, the relative deadline and the jitter of a task.
    fn note_all(&mut self, task: TaskId, [cost, period, relative_deadline, jitter]: [u64; 4]) {
        self.note(task, TaskTime::Cost, cost);
        self.note(task, TaskTime::Period, period);
        self.note(task, TaskTime::RelativeDeadline, relative_deadline);
        self.note(task, TaskTime::Jitter, jitter);
    }

    fn read(&mut self, computation: &Computation, scenario: &Scenario) {
        match computation {
            Computation::Ratio(sum) => {
                for term in &sum.terms {
                    let Quantity::Quotient(cost, over) = term.value else { continue };
                    self.note(term.task, TaskTime::Cost, super::capped(cost));
                    let time = match sum.kind {
                        RatioKind::Utilizations | RatioKind::Successors => TaskTime::Period,
                        RatioKind::Densities => TaskTime::RelativeDeadline,
                    };
                    // A density may be over the period, if that is shorter.
                    let is_period = over == scenario.tasks[term.task.index()].period.as_ns();
                    if time == TaskTime::Period || !is_period {
                        self.note(term.task, time, over);
                    }
                }
            }
            Computation::Load(sum) => {
                for term in &sum.terms {
                    self.note(term.task, TaskTime::Cost, term.cost);
                    self.note(term.task, TaskTime::Period, term.period);
                    self.note(term.task, TaskTime::RelativeDeadline, term.relative_deadline);
                }
            }
            Computation::Work(sum) => {
                self.note(sum.of, TaskTime::RelativeDeadline, sum.within);
                sum.terms.iter().for_each(|term| self.note(term.task, TaskTime::Cost, term.cost));
            }
            Computation::Slack(sum) => {
                self.note(sum.of, TaskTime::RelativeDeadline, sum.within);
                for term in &sum.terms {
                    self.note(term.task, TaskTime::Cost, term.cost);
                    self.note(term.task, TaskTime::Period, term.period);
                }
            }
            Computation::Response(steps) => self.read_response(steps),
            Computation::Sweep(steps) => {
                for task in &steps.tasks {
                    let times = [task.cost, task.period, task.relative_deadline, task.jitter];
                    self.note_all(task.task, times);
                }
            }
            Computation::Demand(steps) => {
                for due in &steps.tasks {
                    self.note(due.task, TaskTime::Cost, due.cost);
                    self.note(due.task, TaskTime::Period, due.period);
                    self.note(due.task, TaskTime::RelativeDeadline, due.window);
                }
            }
            Computation::Blocking(_) | Computation::Delays(_) => {}
        }
    }

    fn read_response(&mut self, steps: &ResponseSteps) {
        self.note(steps.task, TaskTime::Cost, steps.cost);
        self.note(steps.task, TaskTime::Period, steps.period);
        self.note(steps.task, TaskTime::RelativeDeadline, steps.relative_deadline);
        // Where suspension and jitter are told apart from execution, the costs of others contain neither.
        let is_aware = matches!(steps.rule, WindowRule::SuspensionAsJitter | WindowRule::SuspensionByRule);
        for task in steps.higher.iter().filter(|_| !is_aware) {
            self.note(task.task, TaskTime::Cost, task.cost - task.spinning);
            self.note(task.task, TaskTime::Period, task.period);
            if task.jitter_cause == JitterCause::Jitter {
                self.note(task.task, TaskTime::Jitter, task.jitter);
            }
        }
        if steps.higher.iter().all(|task| task.jitter_cause == JitterCause::Jitter) && !is_aware {
            self.note(steps.task, TaskTime::Jitter, steps.jitter);
        }
    }
}

/// Returns the times in `steps` that are not those of the scenario. `is_of_locks` says that the test is about shared
/// resources, `delay` is the longest time from an arrival to its release.
pub(super) fn changed(
    steps: &[(ClusterId, Steps)],
    scenario: &Scenario,
    is_of_locks: bool,
    delay: u64,
) -> Vec<ChangedTime> {
    let mut used = Used::default();
    for computation in steps.iter().flat_map(|(_, steps)| &steps.computations) {
        used.read(computation, scenario);
    }
    let mut found = Vec::new();
    for ((task, time), used_ns) in used.0 {
        let given = &scenario.tasks[task.index()];
        let scenario_ns = match time {
            TaskTime::Cost => given.wcet.as_ns(),
            TaskTime::Period => given.period.as_ns(),
            TaskTime::RelativeDeadline => given.relative_deadline.as_ns(),
            TaskTime::Jitter => given.jitter.as_ns(),
        };
        // Tests about shared resources take no jitter.
        if used_ns == scenario_ns || (is_of_locks && time == TaskTime::Jitter) {
            continue;
        }
        let because = match is_of_locks {
            true => causes_of_locks(time, scenario_ns, used_ns, delay),
            false => {
                let (jitter, suspension) = (given.jitter.as_ns(), suspension_of(given).as_ns());
                causes(time, scenario_ns, used_ns, Delays { jitter, suspension, delay })
            }
        };
        found.push(ChangedTime {
            task: task.0,
            name: given.name.clone(),
            time,
            scenario_ns,
            used_ns,
            because,
        });
    }
    found
}

/// Longest total self-suspension of a job.
fn suspension_of(task: &TaskSpec) -> Duration {
    match task.suspension {
        Suspension::None => Duration::ZERO,
        Suspension::Dynamic(bound) => bound,
        Suspension::Segmented => task.program.iter().fold(Duration::ZERO, |sum, step| sum + step.suspends()),
    }
}

/// Why a test about shared resources changes a time.
fn causes_of_locks(time: TaskTime, given: u64, used: u64, delay: u64) -> Vec<ChangeCause> {
    let by_ticks = match time {
        TaskTime::Period => delay > 0 && used == given / delay * delay,
        TaskTime::RelativeDeadline => delay > 0 && used == given.saturating_sub(delay),
        TaskTime::Cost | TaskTime::Jitter => false,
    };
    match time {
        TaskTime::Cost if used > given => vec![ChangeCause::Waiting],
        _ if by_ticks => vec![ChangeCause::Ticks],
        TaskTime::Cost | TaskTime::Period | TaskTime::RelativeDeadline | TaskTime::Jitter => {
            vec![ChangeCause::Accounting]
        }
    }
}

/// Delays of a task's jobs.
struct Delays {
    jitter: u64,
    suspension: u64,
    /// Time from an arrival to a tick.
    delay: u64,
}

/// Why another test changes a time.
fn causes(time: TaskTime, given: u64, used: u64, delays: Delays) -> Vec<ChangeCause> {
    let Delays { jitter, suspension, delay } = delays;
    let late = jitter + delay;
    let (suspends, comes_late) = match time {
        TaskTime::Cost => match used.checked_sub(given) {
            Some(more) if more == suspension => (true, false),
            Some(more) if more == suspension + late => (suspension > 0, true),
            _ => (false, false),
        },
        TaskTime::RelativeDeadline => (false, used == given.saturating_sub(late)),
        TaskTime::Jitter => (false, used == late),
        TaskTime::Period => (false, false),
    };
    let mut because = Vec::new();
    if comes_late && jitter > 0 && time != TaskTime::Jitter {
        because.push(ChangeCause::Jitter);
    }
    if suspends {
        because.push(ChangeCause::Suspension);
    }
    if comes_late && delay > 0 {
        because.push(ChangeCause::Ticks);
    }
    if because.is_empty() {
        because.push(ChangeCause::Accounting);
    }
    because
}
