//! The scheduler in the kernel that executed a run's threads by links: what others had beside, and how it ended.

use schedlab_scx::{Outside, SchedulerEnd};
use std::time::Duration;

/// What is known, after a run, of the scheduler in the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KernelScheduler {
    /// The run was to have none.
    #[default]
    NotAsked,
    /// The run would have had one, but for this reason there was none.
    Declined(String),
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

/// Numbers of a run in which a scheduler in the kernel decided by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeCounts {
    /// What jobs did by the kernel's and the threads' records, from which the engine decided.
    pub inputs: u64,
    /// Kicks of processors so that another job may take them.
    pub kicks: u64,
    /// Kicks after which the processor's job went on.
    pub needless_kicks: u64,
    /// Inputs of jobs that came after the engine would have stopped them, or after the quantum: they count just before
    /// that decision.
    pub late_stops: u64,
    /// Jobs that were ready just before a more urgent one, and that the kernel had not let execute by then; by quanta,
    /// inputs that the next decision did not see: they count just after it.
    pub late_starts: u64,
    /// Inputs of jobs that the kernel executed before the engine would have.
    pub early_starts: u64,
    /// Longest time by which one of these inputs counts earlier or later than it came.
    pub longest_move: schedlab_model::Duration,
    /// Numbers of the quanta, if the kernel decided by quanta.
    pub quanta: Option<QuantaCounts>,
    /// Records that found no room: with one of them, the run is not checked.
    pub lost_records: u64,
    /// Critical sections on resources that tasks share, as their threads recorded them.
    pub sections: u64,
    /// Sections that began before the one before on the same lock had ended.
    pub overlapping_sections: u64,
    /// Sections that began before another one on the same lock whose job had asked earlier.
    pub overtaking_sections: u64,
    /// Sections that the engine granted in another order than that in which threads took the lock.
    pub sections_granted_otherwise: u64,
    /// Outermost sections whose order was compared: their requests count when they were made.
    pub sections_compared: u64,
    /// Outermost sections that began: all that could be compared.
    pub outermost_sections: u64,
    /// Sections that were too long, and were not heeded any more.
    pub broken_sections: u64,
    /// Times that a job slept in the kernel in a section that was heeded: it counts as executing meanwhile.
    pub slept_sections: u64,
    /// Requests, and inputs after a release of a lock, that came over 10 ms after the engine had stopped their jobs:
    /// these count as not preempted meanwhile.
    pub late_requests: u64,
    /// Jobs that a clustered scheduler did not begin although the engine would have let them execute for over 10 ms by
    /// the kernel's last record. 0 by quanta, where it is not asked.
    pub never_begun: u64,
    /// Longest time for which the engine would have let one of them execute.
    pub longest_unbegun: schedlab_model::Duration,
    /// Number of times that a job was ready for over 1 ms before it executed. 0 by quanta, as are the next two.
    pub waits: u64,
    /// Waits in which less urgent jobs executed for over 1 ms on the processor that the job got in the end, since it
    /// had been stopped there or since 2 ms after it was ready. Where jobs are not preempted: waits in which one of
    /// them began in the job's cluster after it had been ready for over 1 ms. A job whose section delays a preemption
    /// does not count, nor does one that is in the background.
    pub overtaken_waits: u64,
    /// Longest time for which one of these jobs waited that way.
    pub longest_overtaking: schedlab_model::Duration,
    /// Jobs whose budgets the kernel took for used up before they had executed for so long.
    pub early_overruns: u64,
}

impl NativeCounts {
    /// True if locks were held by one job at a time, in the order in which jobs asked, and granted in that order by the
    /// engine.
    pub fn locks_hold(&self) -> bool {
        self.overlapping_sections + self.overtaking_sections + self.sections_granted_otherwise == 0
    }
}

/// Numbers of a run in which a scheduler in the kernel decided by quanta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuantaCounts {
    /// Quanta that were over before the kernel gave them to their tasks.
    pub missed: u64,
    /// Longest time for which a job's thread went on after its quantum, however many quanta later it stopped.
    pub longest_stop: schedlab_model::Duration,
    /// Quanta that either the kernel or the engine gave to a job, and the other one did not.
    pub other_choices: u64,
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
