//! What one test says of a scenario.

use super::assumption::Assumption;
use crate::reason::Reason;
use schedlab_analysis::{Answer, Guarantee};
use schedlab_model::Duration;

/// What one test says of all tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The test's name.
    pub test: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What is guaranteed if the answer is `Schedulable`.
    pub guarantee: Guarantee,
    /// The answer.
    pub answer: Answer,
    /// Why.
    pub reason: Reason,
    /// What the answer and the bounds rest on.
    pub assumptions: Vec<Assumption>,
    /// Bounds on response times by task, if the test gives bounds.
    pub response_times: Option<Vec<Option<Duration>>>,
    /// Bounds on tardiness by task, if the test gives bounds.
    pub tardiness: Option<Vec<Option<Duration>>>,
}

impl Finding {
    /// Nothing is proved: this is why.
    pub(super) fn unknown(test: &'static str, reason: Reason) -> Finding {
        Finding {
            test,
            source: "",
            guarantee: Guarantee::Hard,
            answer: Answer::Unknown,
            reason,
            assumptions: Vec::new(),
            response_times: None,
            tardiness: None,
        }
    }
}
