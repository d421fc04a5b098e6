//! Verdicts of tests, with their answers, bounds and assumptions.

use crate::assumption::Assumption;
use crate::counter_example::CounterExample;
use crate::reason::Reason;
use crate::steps::Steps;
use crate::system::System;
use schedlab_model::Duration;

/// Answer to the question whether a system is schedulable.
///
/// A sufficient test says `Schedulable` or `Unknown`, an exact one also `Unschedulable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Proved: the guarantee holds in every run that satisfies the assumptions.
    Schedulable,
    /// Proved: some run that satisfies the assumptions violates the guarantee.
    Unschedulable,
    /// Neither schedulable nor unschedulable is proved.
    Unknown,
}

impl Answer {
    /// The strongest of several answers to one question: evidence, a proof first; `None` if there are none.
    pub fn strongest(answers: impl IntoIterator<Item = Answer>) -> Option<Answer> {
        let weight = |answer: &Answer| match answer {
            Answer::Schedulable => 0,
            Answer::Unschedulable => 1,
            Answer::Unknown => 2,
        };
        answers.into_iter().min_by_key(weight)
    }
}

/// Guarantee that a test proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// No job misses its absolute deadline.
    Hard,
    /// Tardiness is bounded.
    Soft,
}

/// Bounds of each task, in the order of the system's tasks. `None` where the test gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// The test gives no bounds.
    None,
    /// Bounds on completion - arrival, by task.
    ResponseTime(Vec<Option<Duration>>),
    /// Bounds on max(0, completion - absolute deadline), by task.
    Tardiness(Vec<Option<Duration>>),
}

/// Bounds of one task, each of which follows from the other: they differ by the relative deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskBounds {
    /// Bound on completion - arrival; `None` beyond 64 bits.
    pub response_time: Option<Duration>,
    /// Bound on max(0, completion - absolute deadline).
    pub tardiness: Duration,
}

impl Bounds {
    /// The bounds of the task at place `index` with this relative deadline.
    fn of(&self, index: usize, relative_deadline: Duration) -> Option<TaskBounds> {
        let bound = |list: &[Option<Duration>]| list.get(index).copied().flatten();
        let due = relative_deadline.as_ns();
        match self {
            Bounds::None => None,
            Bounds::ResponseTime(list) => bound(list).map(|response| TaskBounds {
                response_time: Some(response),
                tardiness: Duration::from_ns(response.as_ns().saturating_sub(due)),
            }),
            Bounds::Tardiness(list) => bound(list).map(|tardiness| TaskBounds {
                response_time: tardiness.as_ns().checked_add(due).map(Duration::from_ns),
                tardiness,
            }),
        }
    }
}

/// Returns whether bounds on the tardiness of all tasks prove `guarantee`, whichever tests they come from: a job whose
/// tardiness is 0 meets its deadline.
pub fn bounds_prove(guarantee: Guarantee, tardiness: impl IntoIterator<Item = Option<Duration>>) -> bool {
    let suffices = |bound: Option<Duration>| match guarantee {
        Guarantee::Hard => bound == Some(Duration::ZERO),
        Guarantee::Soft => bound.is_some(),
    };
    tardiness.into_iter().all(suffices)
}

/// Result of one test for one cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Answer of the test.
    pub answer: Answer,
    /// Guarantee to which the answer refers.
    pub guarantee: Guarantee,
    /// The test's name in the registry.
    pub test: &'static str,
    /// Bounds that hold under the assumptions, whatever the answer.
    pub bounds: Bounds,
    /// Assumptions on which the answer and the bounds rest.
    pub assumptions: &'static [Assumption],
    /// Publication of the test.
    pub source: &'static str,
    /// Reason for the answer, in one sentence.
    pub reason: Reason,
    /// Releases and costs that make a job late, if the test found some: evidence for `Unschedulable`.
    pub counter_example: Option<CounterExample>,
    /// The test's computation, if it was asked for and the test hands it out.
    pub steps: Option<Box<Steps>>,
}

impl Verdict {
    /// Returns the bounds of the task at place `index` of the system, with this relative deadline. A proof that no
    /// deadline is missed is a bound, too.
    pub fn bounds_of(&self, index: usize, relative_deadline: Duration) -> Option<TaskBounds> {
        let stated = self.bounds.of(index, relative_deadline);
        if (self.guarantee, self.answer) != (Guarantee::Hard, Answer::Schedulable) {
            return stated;
        }
        let response = stated.and_then(|bounds| bounds.response_time).unwrap_or(relative_deadline);
        Some(TaskBounds { response_time: Some(response.min(relative_deadline)), tardiness: Duration::ZERO })
    }
}

/// One published test: an entry of the registry, defined beside its code.
#[derive(Debug)]
pub struct Test {
    /// Short name, unique.
    pub name: &'static str,
    /// Guarantee that the test proves.
    pub guarantee: Guarantee,
    /// True if the test may answer `Unschedulable`.
    pub exact: bool,
    /// Assumptions of the test.
    pub assumptions: &'static [Assumption],
    /// Publication of the test.
    pub source: &'static str,
    /// Growth of the running time with the number n of tasks.
    pub cost: &'static str,
    /// True if the test is about this kind of scheduler; the tasks are ignored.
    pub applies: fn(&System) -> bool,
    /// Runs the test. Call it only where the test applies.
    pub run: fn(&System) -> Verdict,
}

impl Test {
    fn verdict(&self, answer: Answer, reason: Reason, bounds: Bounds) -> Verdict {
        Verdict {
            answer,
            guarantee: self.guarantee,
            test: self.name,
            bounds,
            assumptions: self.assumptions,
            source: self.source,
            reason,
            counter_example: None,
            steps: None,
        }
    }

    /// Returns a verdict that the guarantee holds, with these bounds.
    pub fn schedulable(&self, reason: Reason, bounds: Bounds) -> Verdict {
        self.verdict(Answer::Schedulable, reason, bounds)
    }

    /// Returns a verdict that no deadline is missed: each response time is bounded by its relative deadline.
    pub fn meets_deadlines(&self, system: &System, reason: Reason) -> Verdict {
        let bounds = system.tasks.iter().map(|task| Some(Duration::from_ns(task.relative_deadline)));
        self.schedulable(reason, Bounds::ResponseTime(bounds.collect()))
    }

    /// Returns a verdict that the guarantee fails in some run.
    ///
    /// Panics if the test is only sufficient, because such a test cannot refute.
    pub fn unschedulable(&self, reason: Reason, bounds: Bounds) -> Verdict {
        assert!(self.exact, "{} is a sufficient test", self.name);
        self.verdict(Answer::Unschedulable, reason, bounds)
    }

    /// Returns a verdict that a job is late with these releases and costs.
    pub fn unschedulable_by(&self, example: CounterExample) -> Verdict {
        let (late, due) = (example.late, Duration::from_ns(example.due));
        let reason = Reason::MissFound { job: late, due };
        Verdict { counter_example: Some(example), ..self.unschedulable(reason, Bounds::None) }
    }

    /// Returns a verdict that proves nothing.
    pub fn unknown(&self, reason: Reason) -> Verdict {
        self.unknown_with(reason, Bounds::None)
    }

    /// Returns a verdict that proves only the bounds.
    pub fn unknown_with(&self, reason: Reason, bounds: Bounds) -> Verdict {
        self.verdict(Answer::Unknown, reason, bounds)
    }

    /// Returns the verdict if the exact condition fails: `Unschedulable` if the worst case of the condition can occur
    /// in `system`, otherwise `Unknown`.
    pub fn refuted(&self, system: &System, reason: Reason, bounds: Bounds) -> Verdict {
        match system.worst_case_doubt() {
            None => self.unschedulable(reason, bounds),
            Some(doubt) => self.unknown_with(reason.but(doubt), bounds),
        }
    }
}
