//! A queue of jobs that wait for one resource, first come first served or by priority.
//!
//! The order is chosen at compile time, as in L. M. dos Santos, G. Gracioli, T. Kloda and M. Caccamo, "On the design
//! and implementation of real-time resource access protocols", SBESC 2020, section III.

use alloc::vec::Vec;
use core::marker::PhantomData;
use schedlab_model::{JobId, Jobs, Priority};

/// Who of those that wait is served first.
pub trait Discipline {
    /// The place of the first, given all that wait, the longest waiting first.
    fn first(waiting: &[JobId], jobs: &Jobs) -> Option<usize>;
}

/// First come, first served.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl Discipline for Fifo {
    fn first(waiting: &[JobId], _: &Jobs) -> Option<usize> {
        (!waiting.is_empty()).then_some(0)
    }
}

/// The highest effective priority first: the one at the time of serving, since it may change while a job waits.
#[derive(Clone, Copy, Debug)]
pub struct ByPriority;

impl Discipline for ByPriority {
    fn first(waiting: &[JobId], jobs: &Jobs) -> Option<usize> {
        highest(waiting, |job| jobs.get(job).effective)
    }
}

/// The highest base priority first, whatever is inherited.
#[derive(Clone, Copy, Debug)]
pub struct ByBase;

impl Discipline for ByBase {
    fn first(waiting: &[JobId], jobs: &Jobs) -> Option<usize> {
        highest(waiting, |job| jobs.get(job).base)
    }
}

/// The place of the job with the highest priority.
fn highest(waiting: &[JobId], priority: impl Fn(JobId) -> Priority) -> Option<usize> {
    let more_urgent = |a: usize, b: usize| {
        if priority(waiting[b]).is_higher_than(priority(waiting[a])) {
            b
        } else {
            a
        }
    };
    (0..waiting.len()).reduce(more_urgent)
}

/// Jobs that wait, the longest waiting first.
#[derive(Clone, Debug)]
pub struct WaitQueue<D> {
    waiting: Vec<JobId>,
    discipline: PhantomData<D>,
}

impl<D: Discipline> WaitQueue<D> {
    /// An empty queue with room for one job of each of `tasks` tasks.
    pub fn new(tasks: usize) -> Self {
        WaitQueue { waiting: Vec::with_capacity(tasks), discipline: PhantomData }
    }

    /// `job` waits from now on.
    pub fn push(&mut self, job: JobId) {
        debug_assert!(!self.waiting.contains(&job), "{job} waits already");
        self.waiting.push(job);
    }

    /// Who is served next.
    pub fn first(&self, jobs: &Jobs) -> Option<JobId> {
        D::first(&self.waiting, jobs).map(|at| self.waiting[at])
    }

    /// Takes out who is served next.
    pub fn pop(&mut self, jobs: &Jobs) -> Option<JobId> {
        D::first(&self.waiting, jobs).map(|at| self.waiting.remove(at))
    }

    /// `job` waits no longer; true if it did.
    pub fn remove(&mut self, job: JobId) -> bool {
        let at = self.waiting.iter().position(|waiting| *waiting == job);
        at.map(|at| self.waiting.remove(at)).is_some()
    }

    /// All that wait, the longest waiting first.
    pub fn iter(&self) -> impl Iterator<Item = JobId> + '_ {
        self.waiting.iter().copied()
    }
}
