//! Ids of tasks, processors, clusters, resources and jobs: small integers of types that cannot be mixed up.

use core::cmp::Ordering;
use core::fmt;

/// Defines ids: numbers that are places in dense tables.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($number:ty), $letter:literal;)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(pub $number);

            impl $name {
                /// Place of the id in a dense table.
                #[inline]
                pub const fn index(self) -> usize {
                    self.0 as usize
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, concat!($letter, "{}"), self.0)
                }
            }
        )+
    };
}

ids! {
    /// A task, by its place in the scenario. Prints as `T3`.
    TaskId(u32), "T";
    /// A processor, counted from zero over the whole platform. Prints as `P2`.
    CpuId(u16), "P";
    /// A set of processors that share one ready queue. Prints as `C0`.
    ClusterId(u16), "C";
    /// A shared resource, by its place in the scenario. Prints as `R1`.
    ResourceId(u32), "R";
}

/// A timer of one policy, which gives the number its meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerKey(pub u32);

/// The `number`-th activation of a task, from zero. Prints as `T3J7`.
///
/// Job ids compare by task, then by number. A task's jobs run in order and one at a time, so at most
/// one job of each task is ready, and tables of jobs are indexed by the job's task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct JobId {
    // Laid out as an `Occupant` is, so that one becomes the other without a shift.
    /// Number of jobs of the task that came before.
    pub number: u32,
    /// The task whose job this is.
    pub task: TaskId,
}

impl PartialOrd for JobId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for JobId {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.task, self.number).cmp(&(other.task, other.number))
    }
}

/// A job or none, in one word, so that two can be compared at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Occupant(u64);

impl Occupant {
    /// No job. No job has this id, because there are fewer than 2^32 tasks.
    pub const NOBODY: Occupant = Occupant(u64::MAX);

    /// The occupant `job`.
    #[inline(always)]
    pub const fn job(job: JobId) -> Self {
        Occupant((job.task.0 as u64) << 32 | job.number as u64)
    }

    /// Returns the job, if there is one.
    #[inline(always)]
    pub const fn get(self) -> Option<JobId> {
        // Before the question, so that a compiler sees the same word again where an occupant is made of the answer.
        let job = JobId { task: TaskId((self.0 >> 32) as u32), number: self.0 as u32 };
        if self.is_some() {
            Some(job)
        } else {
            None
        }
    }

    /// True if it is a job.
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != Self::NOBODY.0
    }
}

impl From<Option<JobId>> for Occupant {
    #[inline(always)]
    fn from(job: Option<JobId>) -> Self {
        job.map_or(Occupant::NOBODY, Occupant::job)
    }
}

impl fmt::Debug for Occupant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl JobId {
    /// The job `number` of `task`.
    pub const fn new(task: TaskId, number: u32) -> Self {
        JobId { task, number }
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}J{}", self.task, self.number)
    }
}
