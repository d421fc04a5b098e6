//! Assumptions of a finding, and their wording for people. No code reads the words.

use crate::prepare::pfair::SHARING;
use crate::prepare::prepared::Prepared;
use schedlab_model::OverheadKind;
use schedlab_policy::{KernelClass, Throttling};
use schedlab_scenario::{RestsOn, LEAVING};
use std::fmt;

/// A condition on which an answer about a scenario, and its bounds, rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// An assumption that the test makes for any scenario.
    OfTest(schedlab_analysis::Assumption),
    /// The answer is about the scenario's own run.
    ArrivalsAsStated,
    /// The machine of the scenario's own run takes these overheads.
    MachineTakes {
        /// The name of the overheads.
        overheads: String,
        /// The condition on a statistic of theirs, if the largest values are not charged.
        statistic: Option<RestsOn>,
    },
    /// Costs were inflated by these overheads.
    OverheadsAtMost {
        /// The name of the overheads.
        overheads: String,
        /// The condition on a statistic of theirs, if the largest values are not charged.
        statistic: Option<RestsOn>,
    },
    /// The scenario itself puts this condition on every promise.
    OfScenario(RestsOn),
    /// These kinds of overhead were taken for zero, because they have no value.
    NoValue {
        /// The name of the overheads.
        overheads: String,
        /// The kinds that lack a value.
        kinds: Vec<OverheadKind>,
    },
    /// A preemption that a section delayed is taken to cost nothing when the section is left: its cost has no value.
    NoValueOfLeaving {
        /// The name of the overheads.
        overheads: String,
    },
    /// Costs of tasks under a Pfair scheduler include requests.
    CostsIncludeRequests {
        /// The locking protocol.
        protocol: &'static str,
    },
    /// Operations on wait-free objects are treated as any other execution.
    OperationsWaitForNobody,
    /// A scheduling class of Linux is taken to apply its order at once and to do nothing else.
    LinuxDecidesAtOnce {
        /// The throttling of the machine, which never stops these tasks; `None` if there is none.
        throttling: Option<Throttling>,
    },
}

impl Assumption {
    /// The assumption about the class of Linux that decides, or that stands for the scheduler.
    pub(crate) fn of_linux(prepared: &Prepared) -> Assumption {
        let is_fifo = prepared.class_on_linux() == Some(KernelClass::Fifo);
        let throttling =
            prepared.scenario.scheduler.throttling.filter(|stated| is_fifo && stated.ever_stops());
        Assumption::LinuxDecidesAtOnce { throttling }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::OfTest(one) => one.fmt(f),
            Assumption::ArrivalsAsStated => write!(f, "the jobs arrive as the scenario says"),
            Assumption::MachineTakes { overheads, statistic: None } => {
                write!(f, "the machine takes what {overheads} charges")
            }
            Assumption::MachineTakes { overheads, statistic: Some(one) } => {
                write!(f, "the machine takes what {overheads} charges, where {one}")
            }
            Assumption::OverheadsAtMost { overheads, statistic: None } => {
                write!(f, "overheads are at most those of {overheads}, accounted for by inflated costs")
            }
            Assumption::OverheadsAtMost { statistic: Some(one), .. } => {
                write!(f, "{one}, accounted for by inflated costs")
            }
            Assumption::OfScenario(one) => one.fmt(f),
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
            Assumption::LinuxDecidesAtOnce { throttling: None } => {
                write!(f, "Linux admits all threads, decides at once and throttles none")
            }
            Assumption::LinuxDecidesAtOnce { throttling: Some(Throttling { runtime, period }) } => {
                write!(
                    f,
                    "Linux decides at once, and stops real-time threads only where they execute for {runtime} of \
                     {period}"
                )
            }
        }
    }
}
