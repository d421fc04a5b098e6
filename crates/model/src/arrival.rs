//! Arrivals of jobs, and the steps of each job.

use crate::ids::TaskId;
use crate::task::Step;
use crate::time::{Instant, Work};
use alloc::vec::Vec;

/// The next job of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextJob {
    /// Arrival of the job; not before the arrival of the job before it.
    pub arrival: Instant,
    /// Earliest time at which the job becomes ready: its arrival, or later by jitter.
    pub release: Instant,
    /// Cost of the job; at most the task's WCET unless the scenario is about overruns.
    pub cost: Work,
}

/// The stream of jobs of every task. A source is deterministic: it gives the same jobs to every caller.
pub trait JobSource {
    /// The next job of `task`, or `None` when it has no more.
    ///
    /// `program` comes in empty, or as [`JobSource::repeats_steps`] says. Left empty, the job is one
    /// [`Step::Execute`] of its cost; otherwise it does the steps written there, whose `Execute` steps add up to the
    /// cost.
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob>;

    /// False if no job has steps written for it, so that a simulator need not be ready for them.
    fn has_steps(&self) -> bool {
        true
    }

    /// True if all jobs of a task do the same steps. Then `program` may come in with the steps of a job before, and is
    /// left as it is.
    fn repeats_steps(&self) -> bool {
        false
    }
}

impl<S: JobSource + ?Sized> JobSource for &mut S {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        (**self).next_job(task, program)
    }

    fn has_steps(&self) -> bool {
        (**self).has_steps()
    }

    fn repeats_steps(&self) -> bool {
        (**self).repeats_steps()
    }
}

impl<S: JobSource + ?Sized> JobSource for alloc::boxed::Box<S> {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        (**self).next_job(task, program)
    }

    fn has_steps(&self) -> bool {
        (**self).has_steps()
    }

    fn repeats_steps(&self) -> bool {
        (**self).repeats_steps()
    }
}
