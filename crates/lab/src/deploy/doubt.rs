//! Reasons to promise nothing of settings for Linux although tests prove the tasks' deadlines.

use crate::prepare::prepared::Prepared;
use crate::reason::Reason;
use schedlab_policy::KernelClass;
use schedlab_scenario::RestsOn;
use std::fmt;

/// A condition of a proof that the machine of the scenario itself breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The proof charges a statistic of the overheads that measured values exceed.
    Statistic(RestsOn),
    /// The kernel may stop the threads, or does not admit them, and the proof is one of a scheduler that does neither.
    Kernel(Box<Reason>),
}

impl Doubt {
    /// Returns the reason to promise nothing about the scenario, if there is one.
    pub(super) fn about(prepared: &Prepared) -> Option<Doubt> {
        let throttling = prepared.scenario.scheduler.throttling.unwrap_or_default();
        let kernel = match prepared.class_on_linux() {
            Some(KernelClass::Fifo) => prepared
                .stops_though_in_time(throttling)
                .map(|stops| stops.reason(prepared.scheduler.name.to_string(), throttling)),
            Some(KernelClass::Deadline) => prepared.not_admitted_as(KernelClass::Deadline),
            None => None,
        };
        let statistic = || prepared.scenario.rests_on_statistic().map(Doubt::Statistic);
        kernel.map(|reason| Doubt::Kernel(Box::new(reason))).or_else(statistic)
    }

    /// The change of the scenario that removes the doubt.
    pub(super) fn cure(&self) -> &'static str {
        match self {
            Doubt::Statistic(_) => "--statistic max",
            Doubt::Kernel(_) => {
                "for such a machine --set scheduler.throttling='{runtime=\"1 s\", period=\"1 s\"}'"
            }
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Statistic(one) => write!(f, "a proof takes it that {one}"),
            Doubt::Kernel(reason) => write!(f, "{reason}"),
        }
    }
}
