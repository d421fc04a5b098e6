//! What an exploration finds.

use super::jobs::Span;
use crate::counter_example::CounterExample;

/// How an exploration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
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
    pub outcome: Conclusion,
    /// How many states it visited.
    pub states: u64,
    /// How many dispatches led from one state to another.
    pub dispatches: u64,
    /// When each job may complete, in the order in which jobs were given. `None` where the budget ended before all
    /// schedules were explored: what was seen until then bounds nothing.
    pub completions: Option<Vec<Span>>,
}
