//! The scheduler in the kernel that executed a run's threads by links: what others had beside, and how it ended.

use schedlab_scx::{LoadRefusal, Outside, SchedulerEnd};
use std::time::Duration;

/// What is known, after a run, of the scheduler in the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KernelScheduler {
    /// The run was to have none.
    #[default]
    NotAsked,
    /// The run would have had one, but the machine or the build did not load it.
    Declined(LoadRefusal),
    /// The scheduler was there.
    Loaded {
        /// Part of each second that was reserved for threads outside of the scenario.
        reserve: Duration,
        /// By processor of the system: what these threads had.
        outside: Vec<Outside>,
        /// Its end, as the kernel reports it.
        end: Option<SchedulerEnd>,
    },
}

impl KernelScheduler {
    /// The end of the scheduler, if the run did not bring it about.
    pub fn irregular_end(&self) -> Option<&SchedulerEnd> {
        match self {
            KernelScheduler::NotAsked | KernelScheduler::Declined(_) => None,
            KernelScheduler::Loaded { end, .. } => end.as_ref().filter(|end| !end.is_regular()),
        }
    }
}
