//! What an exploration finds.

use super::concrete::Choice;
use super::jobs::Span;
use schedlab_model::JobId;

/// Releases and costs that make a job late. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterExample {
    /// All jobs that may be released up to the late one's deadline, by id.
    pub jobs: Vec<(JobId, Choice)>,
    /// The job that is late: of several, one whose deadline is the earliest.
    pub late: JobId,
    /// Its absolute deadline.
    pub due: u64,
}

/// How an exploration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No job is ever late.
    Safe,
    /// These releases and costs make a job late.
    Late(CounterExample),
    /// Some job might be late; no releases and costs that make it late were found.
    Doubtful,
    /// More states than the budget has.
    OutOfBudget,
}

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Explored {
    /// How it ended.
    pub outcome: Outcome,
    /// How many states it visited.
    pub states: u64,
    /// How many dispatches led from one state to another.
    pub dispatches: u64,
    /// When each job may complete, in the order in which jobs were given; of all jobs, if no job is late.
    pub completions: Vec<Option<Span>>,
}
