//! The kinds of budget servers, by name.

use super::constant_bandwidth::ConstantBandwidth;
use super::constant_utilization::ConstantUtilization;
use super::corrected_sporadic::CorrectedSporadic;
use super::deferrable::Deferrable;
use super::dynamic_sporadic::DynamicSporadic;
use super::linux_reclaiming::LinuxReclaiming;
use super::periodic::Periodic;
use super::polling::Polling;
use super::posix_sporadic::PosixSporadic;
use super::reclaiming::Reclaiming;
use super::sporadic::Sporadic;
use super::total_bandwidth::TotalBandwidth;
use super::Replenishment;
use alloc::boxed::Box;
use schedlab_model::{Duration, Work};

/// Kind of a budget server: the rule by which it has budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKind {
    /// Has budget where a period begins with pending jobs.
    Polling,
    /// Keeps its budget until the period ends.
    Deferrable,
    /// Gets back what it has used, as published.
    Sporadic,
    /// Gets back what it has used, as the class `SCHED_SPORADIC` of POSIX does.
    PosixSporadic,
    /// Gets back what it has used, as corrected.
    CorrectedSporadic,
    /// Gets back what it has used, as published for EDF.
    DynamicSporadic,
    /// Constant bandwidth; without budget, its deadline moves.
    SoftConstantBandwidth,
    /// Constant bandwidth; without budget, it stops until its deadline.
    HardConstantBandwidth,
    /// Constant bandwidth; what others do not use is reclaimed.
    Reclaiming,
    /// Constant bandwidth as the reservations of Linux that reclaim what others do not use.
    LinuxReclaiming,
    /// Each job begins at the deadline of the one before.
    ConstantUtilization,
    /// Each job has a deadline by its cost, and begins at once.
    TotalBandwidth,
    /// Has budget in each period, and lets it pass where no job is pending.
    Periodic,
}

/// Urgencies that servers of a kind may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// A fixed priority: the kind is for fixed priorities.
    Fixed,
    /// A deadline: the kind is for EDF.
    Deadline,
    /// A fixed priority or a deadline, whichever the scheduler's tasks have.
    AsTasks,
}

impl ServerKind {
    /// All kinds, by name.
    pub const NAMED: [(&'static str, ServerKind); 13] = [
        ("polling", ServerKind::Polling),
        ("deferrable", ServerKind::Deferrable),
        ("sporadic", ServerKind::Sporadic),
        ("sporadic-posix", ServerKind::PosixSporadic),
        ("sporadic-corrected", ServerKind::CorrectedSporadic),
        ("sporadic-dynamic", ServerKind::DynamicSporadic),
        ("soft-cbs", ServerKind::SoftConstantBandwidth),
        ("hard-cbs", ServerKind::HardConstantBandwidth),
        ("grub", ServerKind::Reclaiming),
        ("grub-linux", ServerKind::LinuxReclaiming),
        ("constant-utilization", ServerKind::ConstantUtilization),
        ("total-bandwidth", ServerKind::TotalBandwidth),
        ("periodic", ServerKind::Periodic),
    ];

    /// Name of the kind.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::NAMED.iter().find(|(_, kind)| *kind == self).expect("each kind has a name");
        name
    }

    /// Urgency of such a server.
    pub const fn urgency(self) -> Urgency {
        match self {
            ServerKind::Polling
            | ServerKind::Deferrable
            | ServerKind::Sporadic
            | ServerKind::PosixSporadic
            | ServerKind::CorrectedSporadic => Urgency::Fixed,
            ServerKind::DynamicSporadic
            | ServerKind::SoftConstantBandwidth
            | ServerKind::HardConstantBandwidth
            | ServerKind::Reclaiming
            | ServerKind::LinuxReclaiming
            | ServerKind::ConstantUtilization
            | ServerKind::TotalBandwidth => Urgency::Deadline,
            ServerKind::Periodic => Urgency::AsTasks,
        }
    }

    /// True if each job has a deadline of its own by the order of arrival, so that clients have no other order.
    pub const fn is_by_job(self) -> bool {
        matches!(self, ServerKind::ConstantUtilization | ServerKind::TotalBandwidth)
    }

    /// True if the rule itself lets clients without budget go on in the background.
    pub const fn is_in_background(self) -> bool {
        matches!(self, ServerKind::PosixSporadic)
    }

    /// True if the rule is also one for several processors that share a ready queue.
    pub const fn knows_several_processors(self) -> bool {
        matches!(
            self,
            ServerKind::SoftConstantBandwidth
                | ServerKind::HardConstantBandwidth
                | ServerKind::LinuxReclaiming
        )
    }

    /// True if clients never wait for budget.
    pub(super) const fn always_grants(self) -> bool {
        matches!(
            self,
            ServerKind::SoftConstantBandwidth | ServerKind::Reclaiming | ServerKind::TotalBandwidth
        )
    }

    /// A server of this kind, before time zero. Only a periodic one reads the relative deadline. `whole` is the number
    /// of parts of a processor that bandwidths count.
    pub(super) fn rule(
        self,
        budget: Work,
        period: Duration,
        relative_deadline: Duration,
        whole: u64,
    ) -> Box<dyn Replenishment> {
        match self {
            ServerKind::Polling => Box::new(Polling::new(budget, period)),
            ServerKind::Deferrable => Box::new(Deferrable::new(budget, period)),
            ServerKind::Sporadic => Box::new(Sporadic::new(budget, period)),
            ServerKind::PosixSporadic => Box::new(PosixSporadic::new(budget, period)),
            ServerKind::CorrectedSporadic => Box::new(CorrectedSporadic::new(budget, period)),
            ServerKind::DynamicSporadic => Box::new(DynamicSporadic::new(budget, period)),
            ServerKind::SoftConstantBandwidth => Box::new(ConstantBandwidth::new(budget, period, false)),
            ServerKind::HardConstantBandwidth => Box::new(ConstantBandwidth::new(budget, period, true)),
            ServerKind::Reclaiming => Box::new(Reclaiming::new(budget, period, whole)),
            ServerKind::LinuxReclaiming => Box::new(LinuxReclaiming::new(budget, period, whole)),
            ServerKind::ConstantUtilization => Box::new(ConstantUtilization::new(budget, period)),
            ServerKind::TotalBandwidth => Box::new(TotalBandwidth::new(budget, period)),
            ServerKind::Periodic => Box::new(Periodic::new(budget, period, relative_deadline)),
        }
    }
}
