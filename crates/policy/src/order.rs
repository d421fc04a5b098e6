//! How are ready jobs ordered? Each file is an answer.
//!
//! An order maps a job to its priority point; smaller is more urgent, and ties are broken by job id. An [`Order`]
//! contains everything that others must know of it: tests, locking protocols, help texts and schemas read its fields,
//! never its name.

mod dm;
mod edf;
mod fifo;
mod fl;
mod fp;
mod gel;
mod rm;

pub use dm::DM;
pub use edf::EDF;
pub use fifo::FIFO;
pub use fl::FL;
pub use fp::FP;
pub(crate) use gel::GEL;
pub use rm::RM;

use schedlab_model::{HeavyFirst, Job, JobId, Jobs, LightOrder, OrderClass, Point, Task, Theorem};

/// An order of jobs that does not change while a job is live.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Name of the order in schedulers' names.
    pub name: &'static str,
    /// Other names that are accepted.
    pub aliases: &'static [&'static str],
    /// Description of which job goes first, in words that follow "all processors share one ready queue; ".
    pub description: &'static str,
    /// Priority point of a job.
    pub rule: Rule,
    /// Parameters that each task has to state besides its usual ones.
    pub needs: Needs,
}

impl Order {
    /// The order's name, then its aliases.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        core::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// The priority point of a job: smaller is more urgent, at most 2^62 - 1. The rule is also all that tests of
/// schedulability know of an order.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Fixed priorities: all jobs of a task have the same point.
    Fixed(fn(&Task) -> u64),
    /// The absolute deadline is the point.
    Deadline,
    /// The point is the arrival and a constant of the task, in a cluster of this many processors.
    AfterArrival(fn(&Task, u32) -> Point),
    /// Heavy tasks first, all with the point zero; the point of the others is a time of their order.
    HeavyFirst(HeavyFirst),
    /// Any other point of a job, in a cluster of this many processors. No test relies on it: verdicts are `unknown`.
    Unanalysed(fn(&Job, &Task, u32) -> u64),
}

/// Parameters of a task that an order reads and that are optional otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// No further parameters.
    Nothing,
    /// [`Task::fixed_priority`], as the scenario states it or a rule for priorities gives it.
    Priority,
    /// [`Task::priority_point`].
    Point,
}

impl Rule {
    /// The priority point of `job`, in a cluster of so many processors.
    #[inline(always)]
    pub(crate) fn point(&self, job: JobId, jobs: &Jobs, processors: u32) -> u64 {
        match self {
            Rule::Fixed(key) => key(jobs.task(job.task)),
            Rule::Deadline => jobs.get(job).absolute_deadline.as_ns(),
            Rule::AfterArrival(after) => {
                after(jobs.task(job.task), processors).of_arrival(jobs.get(job).arrival)
            }
            Rule::HeavyFirst(heavy) => {
                let task = jobs.task(job.task);
                match heavy.others {
                    _ if heavy.is_heavy(task, processors) => 0,
                    LightOrder::Deadline => jobs.get(job).absolute_deadline.as_ns(),
                    LightOrder::Period => task.period.as_ns(),
                    LightOrder::RelativeDeadline => task.relative_deadline.as_ns(),
                }
            }
            Rule::Unanalysed(point) => point(jobs.get(job), jobs.task(job.task), processors),
        }
    }

    /// Class of the order, on which tests and locking protocols rely.
    pub const fn class(&self) -> OrderClass {
        match *self {
            Rule::Fixed(key) => OrderClass::Fixed(key),
            Rule::Deadline => OrderClass::Deadline,
            Rule::AfterArrival(after) => OrderClass::AfterArrival(after),
            Rule::HeavyFirst(heavy) => OrderClass::Theorem(Theorem::HeavyTasksFirst(heavy)),
            Rule::Unanalysed(_) => OrderClass::Unanalysed,
        }
    }
}

/// Every order. A new one is one file and one line here.
pub const ALL: &[Order] = &[EDF, RM, DM, FP, FIFO, FL, GEL];
