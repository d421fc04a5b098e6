//! The job that a task's thread executes, behind a gate or scheduled by the kernel.

use crate::machine::clock::Clock;
use crate::machine::owner::Owner;
use crate::task::sections::Misuse;
use schedlab_model::{Instant, JobId, TaskId};
use std::sync::atomic::AtomicBool;

/// The job of a task's thread, or its last one; before the first, the task's job 0.
pub(crate) struct Current<'a> {
    owner: Owner,
    pub clock: &'a Clock,
    /// Set to true to end the run.
    pub stop: &'a AtomicBool,
    pub job: JobId,
    pub arrival: Instant,
    pub absolute_deadline: Instant,
    /// True between a job's first instruction and its end.
    pub executing: bool,
}

impl<'a> Current<'a> {
    /// The state of a thread of this process, without a job yet.
    pub(crate) fn of(task: TaskId, clock: &'a Clock, stop: &'a AtomicBool) -> Self {
        Current {
            owner: Owner::this(),
            clock,
            stop,
            job: JobId::new(task, 0),
            arrival: Instant::ZERO,
            absolute_deadline: Instant::ZERO,
            executing: false,
        }
    }

    /// True in a child that the task has forked: it has no part in the run, and all that it asks is refused.
    #[inline]
    pub(crate) fn is_forked(&self) -> bool {
        !self.owner.is_this()
    }

    #[inline]
    pub(crate) fn refuse_forked(&self) -> Result<(), Misuse> {
        match self.is_forked() {
            true => Err(Misuse::OtherProcess),
            false => Ok(()),
        }
    }
}
