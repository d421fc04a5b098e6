//! The vocabulary: what can happen.

use crate::run::RunRecord;
use schedlab_model::{ClusterId, CpuId, Instant, JobId, OverheadKind, Priority, ResourceId, TaskId, Work};

/// Why a job gave up or was denied its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendReason {
    /// By itself.
    Itself,
    /// It waits for the resource.
    Resource(ResourceId),
    /// A locking protocol does not let it start yet.
    HeldBack,
}

/// Something that happened, at an instant that is kept beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// The job was triggered.
    Arrival {
        /// Which job.
        job: JobId,
        /// When it ought to be complete.
        absolute_deadline: Instant,
        /// What it needs; zero if the producer does not know.
        cost: Work,
    },
    /// The job was released and its predecessor is complete.
    Ready {
        /// Which job.
        job: JobId,
        /// Its base priority.
        priority: Priority,
        /// Where it may execute.
        cluster: ClusterId,
    },
    /// From now on `job` should run on `cpu`.
    Link {
        /// Which processor.
        cpu: CpuId,
        /// Which job, if any.
        job: Option<JobId>,
    },
    /// The job began to occupy the processor.
    Dispatch {
        /// Which processor.
        cpu: CpuId,
        /// Which job.
        job: JobId,
    },
    /// The job left the processor although it was ready to go on.
    Preempt {
        /// Which processor.
        cpu: CpuId,
        /// Which job.
        job: JobId,
    },
    /// The job may not execute; if it had a processor, it left it.
    Suspend {
        /// Which job.
        job: JobId,
        /// Why.
        reason: SuspendReason,
    },
    /// The job may execute again.
    Resume {
        /// Which job.
        job: JobId,
    },
    /// The job's effective priority changed.
    Priority {
        /// Which job.
        job: JobId,
        /// To what.
        priority: Priority,
    },
    /// The job entered a non-preemptive section.
    NpEnter {
        /// Which job.
        job: JobId,
    },
    /// The job left a non-preemptive section.
    NpExit {
        /// Which job.
        job: JobId,
    },
    /// The job asked for units of a resource.
    Request {
        /// Which job.
        job: JobId,
        /// Which resource.
        resource: ResourceId,
        /// How many units.
        units: u32,
    },
    /// The job waits for the resource without giving up its processor.
    Spin {
        /// Which job.
        job: JobId,
        /// Which resource.
        resource: ResourceId,
    },
    /// The job's request is ignored until its processor's quantum ends; it waits without giving up the processor.
    Delay {
        /// Which job.
        job: JobId,
        /// Which resource.
        resource: ResourceId,
    },
    /// The job begins an operation on a lock-free object.
    Attempt {
        /// Which job.
        job: JobId,
        /// Which object.
        resource: ResourceId,
    },
    /// The job's attempt failed, since another job committed meanwhile: what it did in vain, it does again.
    Retry {
        /// Which job.
        job: JobId,
        /// Which object.
        resource: ResourceId,
    },
    /// The job's attempt succeeded: its operation is done.
    Commit {
        /// Which job.
        job: JobId,
        /// Which object.
        resource: ResourceId,
    },
    /// The job holds what it asked for.
    Acquire {
        /// Which job.
        job: JobId,
        /// Which resource.
        resource: ResourceId,
        /// How many units.
        units: u32,
    },
    /// The job gave units of a resource back.
    Release {
        /// Which job.
        job: JobId,
        /// Which resource.
        resource: ResourceId,
        /// How many units.
        units: u32,
    },
    /// The processor reached a quantum boundary.
    Quantum {
        /// Which processor.
        cpu: CpuId,
    },
    /// The quantum that begins now is granted to a subtask of the job, whose window this is (Pfair).
    Subtask {
        /// Whose quantum.
        cpu: CpuId,
        /// Which job.
        job: JobId,
        /// The pseudo-release: when the window begins.
        release: Instant,
        /// The pseudo-deadline: when it ends.
        deadline: Instant,
    },
    /// The rest of the processor's quantum is wasted: the task that it is charged to has no use for it.
    Waste {
        /// Which processor.
        cpu: CpuId,
        /// When the quantum ends.
        until: Instant,
    },
    /// The job used up its budget: what its policy armed, or its WCET where overruns are watched.
    Budget {
        /// Which job.
        job: JobId,
    },
    /// The job belongs to another cluster now.
    Move {
        /// Which job.
        job: JobId,
        /// To which cluster.
        cluster: ClusterId,
    },
    /// The processor does something for the system; the job that occupies it waits.
    OverheadBegin {
        /// Which processor.
        cpu: CpuId,
        /// What.
        kind: OverheadKind,
        /// On whose account, if anyone's.
        job: Option<JobId>,
    },
    /// The processor is done with it.
    OverheadEnd {
        /// Which processor.
        cpu: CpuId,
        /// What.
        kind: OverheadKind,
    },
    /// The job is given up, and executes its abort handler from now on. Its abort is another record, when that is over.
    GiveUp {
        /// Which job.
        job: JobId,
    },
    /// The job was given up, and is gone.
    Abort {
        /// Which job.
        job: JobId,
    },
    /// The job has received all its cost; it left its processor.
    Complete {
        /// Which job.
        job: JobId,
    },
    /// The job was not complete at its absolute deadline. Recorded when that is settled: at its
    /// completion, its abort, or the end of the trace.
    Miss {
        /// Which job.
        job: JobId,
    },
    /// The task may have arrivals from now on.
    Join {
        /// Which task.
        task: TaskId,
    },
    /// The task has no live job and will have no arrival.
    Leave {
        /// Which task.
        task: TaskId,
    },
    /// Records are missing here.
    Lost {
        /// How many.
        count: u64,
    },
    /// What only a real run records. Readers that ask for jobs and processors pass it over.
    Run(RunRecord),
    /// The trace ends here, as planned. A trace without it was cut short.
    End,
}

/// Records of these kinds, or about these things, as a pattern: `about![Miss, quanta, tasks]`.
///
/// Each kind belongs to one thing (`tests/about.rs`). A reader that takes a kind names the others of that thing one by
/// one, so that it has to decide about a new kind. It does not if all of the thing is passed over.
#[macro_export]
macro_rules! about {
    // What becomes of jobs.
    (lives) => {
        $crate::about![Arrival, Ready, GiveUp, Abort, Complete, Miss]
    };
    // Where jobs execute, and whether they may.
    (places) => {
        $crate::about![Link, Dispatch, Preempt, Suspend, Resume, Move]
    };
    // How urgent they are, and for how long.
    (urgencies) => {
        $crate::about![Priority, NpEnter, NpExit, Budget]
    };
    // Resources that jobs ask for, wait for and hold.
    (requests) => {
        $crate::about![Request, Spin, Delay, Acquire, Release]
    };
    // Operations on lock-free objects.
    (attempts) => {
        $crate::about![Attempt, Retry, Commit]
    };
    // Quanta, and the subtasks that they are granted to.
    (quanta) => {
        $crate::about![Quantum, Subtask, Waste]
    };
    // What processors do for the system.
    (overheads) => {
        $crate::about![OverheadBegin, OverheadEnd]
    };
    // Tasks that come and go.
    (tasks) => {
        $crate::about![Join, Leave]
    };
    // The trace itself, and what only a real run records.
    (trace) => {
        $crate::about![Lost, Run, End]
    };
    ($kind:ident) => {
        $crate::Record::$kind { .. }
    };
    ($first:ident, $($other:ident),+) => {
        $crate::about![$first] | $crate::about![$($other),+]
    };
}

/// What becomes of a job, for readers that ask for nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It was triggered, and ought to be complete then.
    Arrival(JobId, Instant),
    /// It has received all its cost.
    Completion(JobId),
    /// It was given up, and is gone.
    Abort(JobId),
    /// It was not complete at its absolute deadline.
    Miss(JobId),
}

impl Record {
    /// What becomes of a job, if this is that.
    #[inline]
    pub fn life(&self) -> Option<Life> {
        match *self {
            Record::Arrival { job, absolute_deadline, .. } => Some(Life::Arrival(job, absolute_deadline)),
            Record::Complete { job } => Some(Life::Completion(job)),
            Record::Abort { job } => Some(Life::Abort(job)),
            Record::Miss { job } => Some(Life::Miss(job)),
            about![Ready, GiveUp, places, urgencies, requests, attempts, quanta, overheads, tasks, trace] => {
                None
            }
        }
    }

    /// The number of its kind, as in the bytes of a trace. Never reused, never renumbered.
    #[inline]
    pub fn kind(&self) -> u8 {
        match self {
            Record::Arrival { .. } => 1,
            Record::Ready { .. } => 2,
            Record::Link { .. } => 3,
            Record::Dispatch { .. } => 4,
            Record::Preempt { .. } => 5,
            Record::Suspend { .. } => 6,
            Record::Resume { .. } => 7,
            Record::Priority { .. } => 8,
            Record::NpEnter { .. } => 9,
            Record::NpExit { .. } => 10,
            Record::Request { .. } => 11,
            Record::Spin { .. } => 12,
            Record::Acquire { .. } => 13,
            Record::Release { .. } => 14,
            Record::Quantum { .. } => 15,
            Record::Budget { .. } => 16,
            Record::Move { .. } => 17,
            Record::OverheadBegin { .. } => 18,
            Record::OverheadEnd { .. } => 19,
            Record::Abort { .. } => 20,
            Record::Complete { .. } => 21,
            Record::Miss { .. } => 22,
            Record::Join { .. } => 23,
            Record::Leave { .. } => 24,
            Record::Lost { .. } => 25,
            Record::End => 26,
            Record::Delay { .. } => 27,
            Record::Attempt { .. } => 28,
            Record::Retry { .. } => 29,
            Record::Commit { .. } => 30,
            Record::Subtask { .. } => 31,
            Record::Waste { .. } => 32,
            // From 33 to 41: what only real runs record.
            Record::GiveUp { .. } => 42,
            Record::Run(run) => run.kind(),
        }
    }

    /// The task that this is about, if it is about one.
    pub fn task(&self) -> Option<TaskId> {
        match *self {
            Record::Join { task } | Record::Leave { task } => Some(task),
            Record::Run(run) => run.task(),
            about![Lost, End, lives, places, urgencies, requests, attempts, quanta, overheads] => {
                self.job().map(|job| job.task)
            }
        }
    }

    /// The job that this happens to in the schedule; where an overhead or a processor's assignment is for no job, none.
    pub fn job(&self) -> Option<JobId> {
        match *self {
            Record::Arrival { job, .. }
            | Record::Ready { job, .. }
            | Record::Link { job: Some(job), .. }
            | Record::Dispatch { job, .. }
            | Record::Preempt { job, .. }
            | Record::Suspend { job, .. }
            | Record::Resume { job }
            | Record::Priority { job, .. }
            | Record::NpEnter { job }
            | Record::NpExit { job }
            | Record::Request { job, .. }
            | Record::Spin { job, .. }
            | Record::Delay { job, .. }
            | Record::Attempt { job, .. }
            | Record::Retry { job, .. }
            | Record::Commit { job, .. }
            | Record::Subtask { job, .. }
            | Record::Acquire { job, .. }
            | Record::Release { job, .. }
            | Record::Budget { job }
            | Record::Move { job, .. }
            | Record::OverheadBegin { job: Some(job), .. }
            | Record::GiveUp { job }
            | Record::Abort { job }
            | Record::Complete { job }
            | Record::Miss { job } => Some(job),
            about![Link, Quantum, Waste, overheads, tasks, trace] => None,
        }
    }
}
