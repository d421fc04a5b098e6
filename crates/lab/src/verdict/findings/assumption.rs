//! What a finding rests on, and in which words that is said: no code reads the words.

use crate::prepare::lock_overheads::LEAVING;
use crate::prepare::pfair::SHARING;
use schedlab_model::OverheadKind;
use std::fmt;

/// What an answer about a scenario and its bounds rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// The test assumes this of any scenario.
    OfTest(schedlab_analysis::Assumption),
    /// The answer is about the scenario's own run.
    ArrivalsAsStated,
    /// The machine of the scenario's own run takes these overheads.
    MachineTakes {
        /// What the overheads are called.
        overheads: String,
    },
    /// Costs were inflated by these overheads.
    OverheadsAtMost {
        /// What the overheads are called.
        overheads: String,
    },
    /// These kinds of overhead were taken for zero, because they have no value.
    NoValue {
        /// What the overheads are called.
        overheads: String,
        /// The kinds that lack a value.
        kinds: Vec<OverheadKind>,
    },
    /// A preemption that a section delayed costs nothing when the section is left, because that has no value.
    NoValueOfLeaving {
        /// What the overheads are called.
        overheads: String,
    },
    /// Costs of tasks under a Pfair scheduler include requests.
    CostsIncludeRequests {
        /// The locking protocol.
        protocol: &'static str,
    },
    /// Operations on wait-free objects are execution as any other.
    OperationsWaitForNobody,
    /// A scheduling class of Linux itself does nothing but its order.
    LinuxDecidesAtOnce,
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::OfTest(one) => one.fmt(f),
            Assumption::ArrivalsAsStated => write!(f, "the jobs arrive as the scenario says"),
            Assumption::MachineTakes { overheads } => write!(f, "the machine takes what {overheads} charges"),
            Assumption::OverheadsAtMost { overheads } => {
                write!(f, "overheads are at most those of {overheads}, accounted for by inflated costs")
            }
            Assumption::NoValue { overheads, kinds } => {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                write!(f, "{overheads} has no value for {}: taken for zero", names.join(", "))
            }
            Assumption::NoValueOfLeaving { overheads } => {
                write!(f, "{overheads} has no value for {LEAVING}: taken for zero")
            }
            Assumption::CostsIncludeRequests { protocol } => {
                write!(f, "costs include what requests take at most under \"{protocol}\" ({SHARING})")
            }
            Assumption::OperationsWaitForNobody => {
                write!(f, "operations on wait-free objects take no longer than stated, whatever others do")
            }
            Assumption::LinuxDecidesAtOnce => {
                write!(f, "Linux admits all threads, decides at once and throttles none")
            }
        }
    }
}
