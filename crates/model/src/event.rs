//! Events for policies and locking protocols.

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
    /// The job may no longer execute here: it suspended itself, waits, or moved to another cluster.
    Suspended(JobId),
    /// The job may execute here again, or moved to this cluster.
    Resumed(JobId),
    /// The job's effective priority has changed.
    PriorityChanged(JobId),
    /// The job was given up.
    Aborted(JobId),
    /// The job began to occupy the processor.
    Dispatched {
        /// Id of the job.
        job: JobId,
        /// Id of the processor.
        cpu: CpuId,
    },
    /// The job ceased to occupy the processor.
    Undispatched {
        /// Id of the job.
        job: JobId,
        /// Id of the processor.
        cpu: CpuId,
    },
    /// A timer of the policy came due.
    Timer(TimerKey),
    /// The job has received all the service of its budget: the budget that the policy set, or its WCET where overruns
    /// are watched.
    BudgetExhausted(JobId),
    /// The task may have arrivals from this instant on.
    Joined(TaskId),
    /// The task's last job has left and no other will arrive.
    Left(TaskId),
}

impl Event {
    /// The job that the event is about, if there is one.
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
