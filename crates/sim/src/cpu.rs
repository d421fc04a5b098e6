//! A processor, as the dispatcher sees it.

use schedlab_model::{ClusterId, Instant, JobId, Occupant, OverheadKind};
use std::collections::VecDeque;

/// What a processor is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Nothing: no job is scheduled here, or the one that is has nothing to do at this instant.
    Idle,
    /// The scheduled job receives service.
    Executing,
    /// The scheduled job waits for a resource without giving up the processor.
    Spinning,
    /// The scheduled job loads its working set again.
    Reloading(OverheadKind),
    /// The system works; the scheduled job, if any, waits.
    Overhead(OverheadKind),
}

/// One processor.
#[derive(Clone, Debug)]
pub(crate) struct Cpu {
    pub cluster: ClusterId,
    /// Who occupies it, whether or not it executes right now.
    pub job: Occupant,
    pub activity: Activity,
    /// Since when the activity goes on.
    pub since: Instant,
    /// Interrupts that wait for an overhead to end: their kind and whom they are about.
    pub interrupts: VecDeque<(OverheadKind, Option<JobId>)>,
    /// Whom the overhead that goes on is about.
    pub overhead_job: Option<JobId>,
    /// The scheduler ran, and the processor has not looked at its link since.
    pub scheduler_ran: bool,
    /// The processor switched to this job and has not dispatched it.
    pub switched_to: Option<JobId>,
    /// A remote request to look is on its way.
    pub ipi_pending: bool,
    /// The last instant at which something happened on this very processor.
    pub local_at: Instant,
    /// The last recorded link.
    pub link: Occupant,
}

impl Cpu {
    pub(crate) fn new(cluster: ClusterId) -> Self {
        Cpu {
            cluster,
            job: Occupant::NOBODY,
            activity: Activity::Idle,
            since: Instant::ZERO,
            interrupts: VecDeque::new(),
            overhead_job: None,
            scheduler_ran: false,
            switched_to: None,
            ipi_pending: false,
            local_at: Instant::NEVER,
            link: Occupant::NOBODY,
        }
    }

    pub(crate) fn in_overhead(&self) -> bool {
        matches!(self.activity, Activity::Overhead(_))
    }
}
