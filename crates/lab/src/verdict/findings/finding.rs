//! The finding of one test about a scenario.

use super::assumption::Assumption;
use crate::reason::Reason;
use schedlab_analysis::steps::Steps;
use schedlab_analysis::{Answer, Guarantee};
use schedlab_model::{ClusterId, Duration};

/// The answer of one test about all tasks, with its reason and bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The test's name.
    pub test: &'static str,
    /// The publication of the test.
    pub source: &'static str,
    /// The guarantee that the answer `Schedulable` gives.
    pub guarantee: Guarantee,
    /// The test's answer.
    pub answer: Answer,
    /// The reason for the answer.
    pub reason: Reason,
    /// The conditions on which the answer and the bounds rest.
    pub assumptions: Vec<Assumption>,
    /// Bounds on response times by task, if the test gives bounds.
    pub response_times: Option<Vec<Option<Duration>>>,
    /// Bounds on tardiness by task, if the test gives bounds.
    pub tardiness: Option<Vec<Option<Duration>>>,
    /// By cluster, the test's computation, if it was asked for and the test hands it out.
    pub steps: Vec<(ClusterId, Steps)>,
}

impl Finding {
    /// A finding of an unknown answer, with its reason.
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
            steps: Vec::new(),
        }
    }
}
