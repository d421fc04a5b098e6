//! A queue of jobs that wait for one resource, first come first served or by priority.
//!
//! The order is chosen at compile time, as in L. M. dos Santos, G. Gracioli, T. Kloda and M. Caccamo, "On the design
//! and implementation of real-time resource access protocols", SBESC 2020, section III.

use super::highest::highest;
use alloc::vec::Vec;
use schedlab_model::{JobId, Jobs};

/// Order in which waiting jobs are served.
pub trait Discipline: Clone + Send {
    /// Returns the place of the first in this order; `waiting` has the longest waiting first.
    fn first(&self, waiting: &[JobId], jobs: &Jobs) -> Option<usize>;

    /// Updates the places after the job at the place `gone` has left; the others may change places.
    fn close_gap(&self, _gone: usize, _waiting: &mut [JobId], _jobs: &Jobs) {}
}

/// First come, first served.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Discipline for Fifo {
    fn first(&self, waiting: &[JobId], _: &Jobs) -> Option<usize> {
        (!waiting.is_empty()).then_some(0)
    }
}

/// Last come, first served.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Newest;

impl Discipline for Newest {
    fn first(&self, waiting: &[JobId], _: &Jobs) -> Option<usize> {
        waiting.len().checked_sub(1)
    }
}

/// The highest effective priority first, as it is at the time of serving, since it may change while a job waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByPriority;

impl Discipline for ByPriority {
    fn first(&self, waiting: &[JobId], jobs: &Jobs) -> Option<usize> {
        highest(0..waiting.len(), |index| jobs.get(waiting[index]).effective)
    }
}

/// The highest base priority first, whatever is inherited.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByBase;

impl Discipline for ByBase {
    fn first(&self, waiting: &[JobId], jobs: &Jobs) -> Option<usize> {
        highest(0..waiting.len(), |index| jobs.get(waiting[index]).base)
    }
}

/// Jobs that wait, the longest waiting first.
#[derive(Clone, Debug)]
pub(crate) struct WaitQueue<D> {
    waiting: Vec<JobId>,
    discipline: D,
}

impl<D: Discipline> WaitQueue<D> {
    /// An empty queue with room for one job of each of `tasks` tasks.
    pub(crate) fn new(tasks: usize, discipline: D) -> Self {
        WaitQueue { waiting: Vec::with_capacity(tasks), discipline }
    }

    /// Adds `job`, which begins to wait.
    pub(crate) fn push(&mut self, job: JobId) {
        assert!(!self.waiting.contains(&job), "{job} waits already");
        self.waiting.push(job);
    }

    /// True if none waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes out the job that is served next.
    pub(crate) fn pop(&mut self, jobs: &Jobs) -> Option<JobId> {
        let index = self.discipline.first(&self.waiting, jobs)?;
        Some(self.take(index, jobs))
    }

    /// Removes `job`; true if it waited.
    pub(crate) fn remove(&mut self, job: JobId, jobs: &Jobs) -> bool {
        let index = self.waiting.iter().position(|waiting| *waiting == job);
        index.map(|index| self.take(index, jobs)).is_some()
    }

    fn take(&mut self, index: usize, jobs: &Jobs) -> JobId {
        let job = self.waiting.remove(index);
        self.discipline.close_gap(index, &mut self.waiting, jobs);
        job
    }

    /// All waiting jobs, the longest waiting first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = JobId> + '_ {
        self.waiting.iter().copied()
    }
}
