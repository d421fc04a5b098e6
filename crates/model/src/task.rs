//! A source of jobs, with the steps of each of its jobs.

use crate::ids::{ClusterId, ResourceId};
use crate::piece::TaskPiece;
use crate::thread_class::ThreadClass;
use crate::time::{Duration, Instant, Work};
use crate::utility::{TimeUtility, Utility};
use alloc::vec::Vec;

/// One step of a job's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Receive this much service.
    Execute(Work),
    /// Give up the processor for this long.
    Suspend(Duration),
    /// Ask for units of a resource; the next steps wait until they are granted.
    Request(ResourceId, u32),
    /// Give units of a resource back.
    Release(ResourceId, u32),
    /// Execute the sections of the resource for the jobs that request it: only in a server's program, whose other steps
    /// define how much it executes in each period. The step does nothing if the locking protocol knows no servers.
    Serve(ResourceId),
    /// Begin a section in which the job is not preempted.
    NpEnter,
    /// End the innermost non-preemptive section.
    NpExit,
}

impl Step {
    /// Returns the time for which the step gives up the processor.
    pub fn suspends(&self) -> Duration {
        if let Step::Suspend(length) = self {
            return *length;
        }
        Duration::ZERO
    }

    /// Returns the resource for which the step asks, if it does.
    pub fn requested(&self) -> Option<ResourceId> {
        if let Step::Request(resource, _) = self {
            return Some(*resource);
        }
        None
    }
}

/// Self-suspension of a task's jobs, besides waiting for resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suspension {
    /// Jobs never suspend themselves.
    #[default]
    None,
    /// Jobs suspend themselves for at most this long in all, at unknown points of the execution.
    Dynamic(Duration),
    /// Jobs suspend themselves where the task's program has [`Step::Suspend`], each time for at most the length given
    /// there.
    Segmented,
}

/// Handler that a job which has begun executes when it is given up, before its task's next job may begin. It ends with
/// the sections that the job is in: it leaves them, the last first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AbortHandler {
    /// Time that the handler executes; zero if it only leaves sections.
    pub cost: Work,
    /// Utility of the handler's completion, whenever that is.
    pub utility: Utility,
}

/// A source of jobs, periodic or sporadic.
///
/// The period is the distance of two arrivals, or its minimum if sporadic. A task is a plain value: its file format and
/// the checks of its parameters belong to the crate `scenario`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Bound on the cost of each job (C), self-suspension not included.
    pub wcet: Work,
    /// Least cost of each job; zero if that is not known. Only analyses of scheduling anomalies read it.
    pub bcet: Work,
    /// Distance of arrivals (T): exact if periodic, minimal if sporadic. Positive.
    pub period: Duration,
    /// Time that a job has from its arrival to its absolute deadline (D). Positive.
    pub relative_deadline: Duration,
    /// Arrival of the first job of a periodic task (phase), or the earliest such arrival of a sporadic one.
    pub offset: Instant,
    /// Longest time from a job's arrival to its release.
    pub jitter: Duration,
    /// Self-suspension of the jobs.
    pub suspension: Suspension,
    /// Bytes that a job keeps in the caches; a migrated or preempted job loads them again.
    pub working_set: u64,
    /// Given fixed priority: smaller is more urgent. Only the `FP` order reads it.
    pub fixed_priority: u32,
    /// Class of the task's thread under the kernel's fixed priorities. Only the model of `SCHED_FIFO` reads it.
    pub class: ThreadClass,
    /// Time from a job's arrival to its given priority point; the earlier point is the more urgent. Only the `GEL`
    /// order reads it.
    pub priority_point: Duration,
    /// Utility of completions of jobs; if none is given, one unit each by the absolute deadline
    /// ([`TimeUtility::UNIT_STEP`]). Utility-accrual schedulers and measures read it.
    pub utility: Option<TimeUtility>,
    /// Handler that a job executes when it is given up after it has begun, if there is one.
    pub abort_handler: Option<AbortHandler>,
    /// Cluster in which the task's jobs run.
    pub cluster: ClusterId,
    /// Time at which the task joins; it has no arrival before.
    pub join: Instant,
    /// Time from which on the task has no further arrival.
    pub leave: Instant,
    /// Pieces in which each job executes under a scheduler that splits tasks, in order: one for a task that is whole.
    /// Empty if the scenario states no processor. Other schedulers do not read them.
    pub pieces: Vec<TaskPiece>,
    /// Steps of each job at its worst; empty means a single [`Step::Execute`] of `wcet`.
    pub program: Vec<Step>,
}

impl Task {
    /// A synchronous periodic task with an implicit deadline: `wcet` every `period`.
    pub const fn implicit(wcet: Work, period: Duration) -> Self {
        Self::constrained(wcet, period, period)
    }

    /// A synchronous periodic task whose deadline need not equal its period.
    pub const fn constrained(wcet: Work, period: Duration, relative_deadline: Duration) -> Self {
        Task {
            wcet,
            bcet: Work::ZERO,
            period,
            relative_deadline,
            offset: Instant::ZERO,
            jitter: Duration::ZERO,
            suspension: Suspension::None,
            working_set: 0,
            fixed_priority: 0,
            class: ThreadClass::Fifo,
            priority_point: Duration::ZERO,
            utility: None,
            abort_handler: None,
            cluster: ClusterId(0),
            join: Instant::ZERO,
            leave: Instant::NEVER,
            pieces: Vec::new(),
            program: Vec::new(),
        }
    }

    /// Relative deadline of a task whose jobs have none, such as a client of a budget server: a second more than a
    /// year, the longest that a scenario can state. The absolute deadline of such a job is [`Instant::NEVER`].
    pub const NO_DEADLINE: Duration = Duration::from_ns((365 * 24 * 3_600 + 1) * 1_000_000_000);

    /// True if the task leaves after its first arrival.
    pub fn arrives(&self) -> bool {
        self.leave > self.offset.max(self.join)
    }

    /// True if the task is made to execute the sections of others.
    pub fn is_server(&self) -> bool {
        self.program.iter().any(|step| matches!(step, Step::Serve(_)))
    }

    /// True if the task's jobs request resources.
    pub fn has_requests(&self) -> bool {
        self.program.iter().any(|step| step.requested().is_some())
    }

    /// Returns how long after its arrival the completion of a job may still be worth something.
    pub fn termination(&self) -> Duration {
        self.time_utility().termination(self.relative_deadline)
    }

    /// Returns the utility of a job's completion at `elapsed` after its arrival.
    pub fn utility_after(&self, elapsed: Duration) -> Utility {
        self.time_utility().after(elapsed, self.relative_deadline)
    }

    /// The time/utility function of the task's jobs.
    pub fn time_utility(&self) -> &TimeUtility {
        self.utility.as_ref().unwrap_or(&TimeUtility::UNIT_STEP)
    }

    /// Returns the longest total self-suspension of a job, without waiting for resources.
    pub fn suspension_bound(&self) -> Duration {
        match self.suspension {
            Suspension::None => Duration::ZERO,
            Suspension::Dynamic(bound) => bound,
            Suspension::Segmented => {
                self.program.iter().fold(Duration::ZERO, |sum, step| sum + step.suspends())
            }
        }
    }
}
