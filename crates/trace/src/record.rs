//! The vocabulary of traces: all records.

use crate::kinds::records;
use crate::part::{byte, Part};
use crate::run::RunRecord;
use alloc::vec::Vec;
use schedlab_model::{ClusterId, CpuId, Instant, JobId, OverheadKind, Priority, ResourceId, TaskId, Work};

/// Reason why a job gave up or was denied its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendReason {
    /// The job suspended itself.
    Itself,
    /// The job waits for the resource.
    Resource(ResourceId),
    /// A locking protocol does not let the job start yet.
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
    /// Something that happened; its time is kept beside it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Record {
        /// The job was triggered.
        1 "arrival" Arrival {
            /// Id of the job.
            job: JobId,
            /// Absolute deadline of the job.
            absolute_deadline: Instant,
            /// Cost of the job; zero if the producer does not know it.
            cost: Work,
        },
        /// The job was released and its predecessor is complete.
        2 "ready" Ready {
            /// Id of the job.
            job: JobId,
            /// Base priority of the job.
            priority: Priority,
            /// Cluster in which the job may execute.
            cluster: ClusterId,
        },
        /// From this instant on, `job` should run on `cpu`.
        3 "link" Link {
            /// Id of the processor.
            cpu: CpuId,
            /// Id of the job; `None` if the processor gets none.
            job: Option<JobId>,
        },
        /// The job began to occupy the processor.
        4 "dispatch" Dispatch {
            /// Id of the processor.
            cpu: CpuId,
            /// Id of the job.
            job: JobId,
        },
        /// The job left the processor although it was ready to go on.
        5 "preempt" Preempt {
            /// Id of the processor.
            cpu: CpuId,
            /// Id of the job.
            job: JobId,
        },
        /// The job may not execute; if it had a processor, it left it.
        6 "suspend" Suspend {
            /// Id of the job.
            job: JobId,
            /// Reason of the suspension.
            reason: SuspendReason,
        },
        /// The job may execute again.
        7 "resume" Resume {
            /// Id of the job.
            job: JobId,
        },
        /// The job's effective priority changed.
        8 "priority" Priority {
            /// Id of the job.
            job: JobId,
            /// New effective priority.
            priority: Priority,
        },
        /// The job entered a non-preemptive section.
        9 "np_enter" NpEnter {
            /// Id of the job.
            job: JobId,
        },
        /// The job left a non-preemptive section.
        10 "np_exit" NpExit {
            /// Id of the job.
            job: JobId,
        },
        /// The job asked for units of a resource.
        11 "request" Request {
            /// Id of the job.
            job: JobId,
            /// Id of the resource.
            resource: ResourceId,
            /// Number of units.
            units: u32,
        },
        /// The job waits for the resource without giving up its processor.
        12 "spin" Spin {
            /// Id of the job.
            job: JobId,
            /// Id of the resource.
            resource: ResourceId,
        },
        /// The job's request is ignored until its processor's quantum ends; it waits without giving up the processor.
        27 "delay" Delay {
            /// Id of the job.
            job: JobId,
            /// Id of the resource.
            resource: ResourceId,
        },
        /// The job begins an operation on a lock-free object.
        28 "attempt" Attempt {
            /// Id of the job.
            job: JobId,
            /// Id of the object.
            resource: ResourceId,
        },
        /// The job's attempt failed, because another job committed meanwhile: it does the attempt again.
        29 "retry" Retry {
            /// Id of the job.
            job: JobId,
            /// Id of the object.
            resource: ResourceId,
        },
        /// The job's attempt succeeded: its operation is done.
        30 "commit" Commit {
            /// Id of the job.
            job: JobId,
            /// Id of the object.
            resource: ResourceId,
        },
        /// The job holds what it asked for.
        13 "acquire" Acquire {
            /// Id of the job.
            job: JobId,
            /// Id of the resource.
            resource: ResourceId,
            /// Number of units.
            units: u32,
        },
        /// The job gave units of a resource back.
        14 "release" Release {
            /// Id of the job.
            job: JobId,
            /// Id of the resource.
            resource: ResourceId,
            /// Number of units.
            units: u32,
        },
        /// The processor reached a quantum boundary.
        15 "quantum" Quantum {
            /// Id of the processor.
            cpu: CpuId,
        },
        /// The quantum that begins now is granted to a subtask of the job, whose window this is (Pfair).
        31 "subtask" Subtask {
            /// Processor of the quantum.
            cpu: CpuId,
            /// Id of the job.
            job: JobId,
            /// Pseudo-release: begin of the window.
            release: Instant,
            /// Pseudo-deadline: end of the window.
            deadline: Instant,
        },
        /// The rest of the processor's quantum is wasted: the task that it is charged to has no use for it.
        32 "waste" Waste {
            /// Id of the processor.
            cpu: CpuId,
            /// End of the quantum.
            until: Instant,
        },
        /// Clients of a budget server have used this much of its budget, without a break up to this instant.
        43 "server_use" ServerUse {
            /// Index of the server.
            server: u32,
            /// Budget that was used.
            used: Work,
        },
        /// From this instant on, a budget server has this budget and deadline, whatever it had before.
        44 "server_budget" ServerBudget {
            /// Index of the server.
            server: u32,
            /// Budget that the server has; zero if its rule trusts the costs of jobs.
            left: Work,
            /// Deadline of the server; [`Instant::NEVER`] if it has none.
            absolute_deadline: Instant,
        },
        /// The job used up its budget: the one that its policy set, or its WCET where overruns are watched.
        16 "budget" Budget {
            /// Id of the job.
            job: JobId,
        },
        /// The job moved to another cluster.
        17 "move" Move {
            /// Id of the job.
            job: JobId,
            /// New cluster of the job.
            cluster: ClusterId,
        },
        /// The processor does something for the system; the job that occupies it waits.
        18 "overhead_begin" OverheadBegin {
            /// Id of the processor.
            cpu: CpuId,
            /// Kind of overhead.
            kind: OverheadKind,
            /// Job to which the overhead is charged, if there is one.
            job: Option<JobId>,
        },
        /// The processor has done its work for the system.
        19 "overhead_end" OverheadEnd {
            /// Id of the processor.
            cpu: CpuId,
            /// Kind of overhead.
            kind: OverheadKind,
        },
        /// The job is given up, and begins to execute its abort handler. Its abort is another record, when the handler
        /// ends.
        42 "give_up" GiveUp {
            /// Id of the job.
            job: JobId,
        },
        /// The job was given up, and has left.
        20 "abort" Abort {
            /// Id of the job.
            job: JobId,
        },
        /// The job has received all its cost; it left its processor.
        21 "complete" Complete {
            /// Id of the job.
            job: JobId,
        },
        /// The job was not complete at its absolute deadline. Recorded when that is settled: at its
        /// completion, its abort, or the end of the trace.
        22 "miss" Miss {
            /// Id of the job.
            job: JobId,
        },
        /// The task may have arrivals from this instant on.
        23 "join" Join {
            /// Id of the task.
            task: TaskId,
        },
        /// The task has no live job and will have no arrival.
        24 "leave" Leave {
            /// Id of the task.
            task: TaskId,
        },
        /// Records are missing here.
        25 "lost" Lost {
            /// Number of missing records.
            count: u64,
        },
        /// The trace ends here, as planned. A trace without it was cut short.
        26 "end" End,
        // 33 to 41 are those of `RunRecord`.
        ;
        /// A record that only a real run has. Readers that ask for jobs and processors pass it over.
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
    // Budgets of servers.
    (servers) => {
        $crate::about![ServerUse, ServerBudget]
    };
    // Tasks that come and go.
    (tasks) => {
        $crate::about![Join, Leave]
    };
    // The trace itself, and what only a real run records.
    (trace) => {
        $crate::about![Lost, Run, End]
    };
    // All of the last five: what no job does.
    (machine) => {
        $crate::about![quanta, overheads, servers, tasks, trace]
    };
    ($kind:ident) => {
        $crate::Record::$kind { .. }
    };
    ($first:ident, $($other:ident),+) => {
        $crate::about![$first] | $crate::about![$($other),+]
    };
}

/// Life of a job, for readers that ask for nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// The job was triggered, with this absolute deadline.
    Arrival(JobId, Instant),
    /// The job has received all its cost.
    Completion(JobId),
    /// The job was given up, and has left.
    Abort(JobId),
    /// The job was not complete at its absolute deadline.
    Miss(JobId),
}

impl Record {
    /// Returns what the record says of a job's life, if it is about that.
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

    /// Returns the task that the record is about, if there is one.
    pub fn task(&self) -> Option<TaskId> {
        match *self {
            Record::Join { task } | Record::Leave { task } => Some(task),
            Record::Run(run) => run.task(),
            about![Lost, End, lives, places, urgencies, requests, attempts, quanta, overheads, servers] => {
                self.job().map(|job| job.task)
            }
        }
    }

    /// Returns the job that the record is about in the schedule; `None` where an overhead or a processor's assignment
    /// is for no job.
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
            about![Link, Quantum, Waste, overheads, servers, tasks, trace] => None,
        }
    }
}
