//! The vocabulary: what can happen.

use crate::kinds::records;
use crate::part::{byte, Part};
use crate::run::RunRecord;
use alloc::vec::Vec;
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

impl Part for SuspendReason {
    fn write(self, out: &mut Vec<u8>) {
        match self {
            SuspendReason::Itself => out.push(0),
            SuspendReason::Resource(resource) => {
                out.push(1);
                resource.write(out);
            }
            SuspendReason::HeldBack => out.push(2),
        }
    }

    fn read(p: &mut &[u8]) -> Option<Self> {
        match byte(p)? {
            0 => Some(SuspendReason::Itself),
            1 => Part::read(p).map(SuspendReason::Resource),
            2 => Some(SuspendReason::HeldBack),
            _ => None,
        }
    }
}

records! {
    /// Something that happened, at an instant that is kept beside it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Record {
        /// The job was triggered.
        1 "arrival" Arrival {
            /// Which job.
            job: JobId,
            /// When it ought to be complete.
            absolute_deadline: Instant,
            /// What it needs; zero if the producer does not know.
            cost: Work,
        },
        /// The job was released and its predecessor is complete.
        2 "ready" Ready {
            /// Which job.
            job: JobId,
            /// Its base priority.
            priority: Priority,
            /// Where it may execute.
            cluster: ClusterId,
        },
        /// From now on `job` should run on `cpu`.
        3 "link" Link {
            /// Which processor.
            cpu: CpuId,
            /// Which job, if any.
            job: Option<JobId>,
        },
        /// The job began to occupy the processor.
        4 "dispatch" Dispatch {
            /// Which processor.
            cpu: CpuId,
            /// Which job.
            job: JobId,
        },
        /// The job left the processor although it was ready to go on.
        5 "preempt" Preempt {
            /// Which processor.
            cpu: CpuId,
            /// Which job.
            job: JobId,
        },
        /// The job may not execute; if it had a processor, it left it.
        6 "suspend" Suspend {
            /// Which job.
            job: JobId,
            /// Why.
            reason: SuspendReason,
        },
        /// The job may execute again.
        7 "resume" Resume {
            /// Which job.
            job: JobId,
        },
        /// The job's effective priority changed.
        8 "priority" Priority {
            /// Which job.
            job: JobId,
            /// To what.
            priority: Priority,
        },
        /// The job entered a non-preemptive section.
        9 "np_enter" NpEnter {
            /// Which job.
            job: JobId,
        },
        /// The job left a non-preemptive section.
        10 "np_exit" NpExit {
            /// Which job.
            job: JobId,
        },
        /// The job asked for units of a resource.
        11 "request" Request {
            /// Which job.
            job: JobId,
            /// Which resource.
            resource: ResourceId,
            /// How many units.
            units: u32,
        },
        /// The job waits for the resource without giving up its processor.
        12 "spin" Spin {
            /// Which job.
            job: JobId,
            /// Which resource.
            resource: ResourceId,
        },
        /// The job's request is ignored until its processor's quantum ends; it waits without giving up the processor.
        27 "delay" Delay {
            /// Which job.
            job: JobId,
            /// Which resource.
            resource: ResourceId,
        },
        /// The job begins an operation on a lock-free object.
        28 "attempt" Attempt {
            /// Which job.
            job: JobId,
            /// Which object.
            resource: ResourceId,
        },
        /// The job's attempt failed, since another job committed meanwhile: what it did in vain, it does again.
        29 "retry" Retry {
            /// Which job.
            job: JobId,
            /// Which object.
            resource: ResourceId,
        },
        /// The job's attempt succeeded: its operation is done.
        30 "commit" Commit {
            /// Which job.
            job: JobId,
            /// Which object.
            resource: ResourceId,
        },
        /// The job holds what it asked for.
        13 "acquire" Acquire {
            /// Which job.
            job: JobId,
            /// Which resource.
            resource: ResourceId,
            /// How many units.
            units: u32,
        },
        /// The job gave units of a resource back.
        14 "release" Release {
            /// Which job.
            job: JobId,
            /// Which resource.
            resource: ResourceId,
            /// How many units.
            units: u32,
        },
        /// The processor reached a quantum boundary.
        15 "quantum" Quantum {
            /// Which processor.
            cpu: CpuId,
        },
        /// The quantum that begins now is granted to a subtask of the job, whose window this is (Pfair).
        31 "subtask" Subtask {
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
        32 "waste" Waste {
            /// Which processor.
            cpu: CpuId,
            /// When the quantum ends.
            until: Instant,
        },
        /// The job used up its budget: what its policy armed, or its WCET where overruns are watched.
        16 "budget" Budget {
            /// Which job.
            job: JobId,
        },
        /// The job belongs to another cluster now.
        17 "move" Move {
            /// Which job.
            job: JobId,
            /// To which cluster.
            cluster: ClusterId,
        },
        /// The processor does something for the system; the job that occupies it waits.
        18 "overhead_begin" OverheadBegin {
            /// Which processor.
            cpu: CpuId,
            /// What.
            kind: OverheadKind,
            /// On whose account, if anyone's.
            job: Option<JobId>,
        },
        /// The processor is done with it.
        19 "overhead_end" OverheadEnd {
            /// Which processor.
            cpu: CpuId,
            /// What.
            kind: OverheadKind,
        },
        /// The job is given up, and executes its abort handler from now on. Its abort is another record, when that
        /// is over.
        42 "give_up" GiveUp {
            /// Which job.
            job: JobId,
        },
        /// The job was given up, and is gone.
        20 "abort" Abort {
            /// Which job.
            job: JobId,
        },
        /// The job has received all its cost; it left its processor.
        21 "complete" Complete {
            /// Which job.
            job: JobId,
        },
        /// The job was not complete at its absolute deadline. Recorded when that is settled: at its
        /// completion, its abort, or the end of the trace.
        22 "miss" Miss {
            /// Which job.
            job: JobId,
        },
        /// The task may have arrivals from now on.
        23 "join" Join {
            /// Which task.
            task: TaskId,
        },
        /// The task has no live job and will have no arrival.
        24 "leave" Leave {
            /// Which task.
            task: TaskId,
        },
        /// Records are missing here.
        25 "lost" Lost {
            /// How many.
            count: u64,
        },
        /// The trace ends here, as planned. A trace without it was cut short.
        26 "end" End,
        // 33 to 41 are those of `RunRecord`.
        ;
        /// What only a real run records. Readers that ask for jobs and processors pass it over.
        Run(RunRecord),
    }
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
    // All of the last four: what no job does.
    (machine) => {
        $crate::about![quanta, overheads, tasks, trace]
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
            about![Ready, GiveUp, places, urgencies, requests, attempts, machine] => None,
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
