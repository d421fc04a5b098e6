//! Result of an exploration.

use super::jobs::Span;
use crate::counter_example::CounterExample;

/// End of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// No job is ever late.
    Safe,
    /// A job is late with these releases and costs.
    Late(CounterExample),
    /// Some job might be late; no releases and costs that make it late were found.
    Doubtful,
    /// The budget of states was spent.
    OutOfBudget,
}

/// Result of an exploration.
#[derive(Clone, Debug)]
pub struct Explored {
    /// End of the exploration.
    pub outcome: Conclusion,
    /// Number of visited states.
    pub states: u64,
    /// Number of dispatches that led from one state to another.
    pub dispatches: u64,
    /// Earliest and latest completion of each job, in the order in which jobs were given. `None` if the budget was
    /// spent before all schedules were explored, because the completions seen until then bound nothing.
    pub completions: Option<Vec<Span>>,
}
