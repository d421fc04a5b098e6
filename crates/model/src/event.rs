//! What happened, as policies and locking protocols are told.

use crate::ids::{CpuId, JobId, TaskId, TimerKey};

/// Something that happened at one instant.
///
/// The events of one instant come in this order. Unlocks on all processors are first. Then each processor in turn has
/// its budget spent, or its job complete or suspended. Arrivals, quantum boundaries and late releases follow, and what
/// becomes ready by them. Then come resumptions, timers of policies, joins and leaves. Requests of running jobs are
/// next. Each cluster that heard something decides then; a decision may abort a job, which may cause further events.
/// Processors whose links changed dispatch last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The job was released and its predecessor is complete: it may execute.
    Ready(JobId),
    /// The job has received all its cost.
    Completed(JobId),
    /// The job no longer may execute here: it suspended itself, waits, or moved to another cluster.
    Suspended(JobId),
    /// The job may execute here again, or moved to this cluster.
    Resumed(JobId),
    /// The job's effective priority is another now.
    PriorityChanged(JobId),
    /// The job was given up.
    Aborted(JobId),
    /// The job began to occupy the processor.
    Dispatched {
        /// Which job.
        job: JobId,
        /// Which processor.
        cpu: CpuId,
    },
    /// The job ceased to occupy the processor.
    Undispatched {
        /// Which job.
        job: JobId,
        /// Which processor.
        cpu: CpuId,
    },
    /// A timer of the policy came due.
    Timer(TimerKey),
    /// The job has received all the service of its budget: what the policy armed, or its WCET where overruns are
    /// watched.
    BudgetExhausted(JobId),
    /// The task may have arrivals from now on.
    Joined(TaskId),
    /// The task's last job is gone and no other will arrive.
    Left(TaskId),
}

impl Event {
    /// The job that it is about, if it is about one.
    #[inline]
    pub fn job(self) -> Option<JobId> {
        match self {
            Event::Ready(job)
            | Event::Completed(job)
            | Event::Suspended(job)
            | Event::Resumed(job)
            | Event::PriorityChanged(job)
            | Event::Aborted(job)
            | Event::Dispatched { job, .. }
            | Event::Undispatched { job, .. }
            | Event::BudgetExhausted(job) => Some(job),
            Event::Timer(_) | Event::Joined(_) | Event::Left(_) => None,
        }
    }
}
