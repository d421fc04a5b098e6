//! Resources of one unit, each with its queue: the base of most protocols.

use super::wait_queue::{Discipline, WaitQueue};
use crate::contract::Turn;
use alloc::vec::Vec;
use schedlab_model::{at, at_mut, JobId, Jobs, Occupant};

/// One mutex.
#[derive(Clone, Debug)]
struct Mutex<D> {
    holder: Occupant,
    /// Depth to which its holder's requests nest.
    depth: u32,
    queue: WaitQueue<D>,
}

/// Result of asking for a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The mutex was free: the job holds it now.
    First,
    /// The job holds the mutex already, and now once more.
    Again,
    /// Another job holds the mutex.
    InVain,
}

/// State of a mutex after its holder gives it back once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// The holder asked for the mutex more often, and still holds it.
    Held,
    /// The mutex is free, and no job waits for it.
    Free,
    /// The mutex is free until it is handed over to a waiter.
    Awaited,
}

/// Mutexes by number: a resource's, or a group's.
#[derive(Clone, Debug)]
pub struct Mutexes<D>(Vec<Mutex<D>>);

impl<D: Discipline> Mutexes<D> {
    /// `count` free mutexes, used by `tasks` tasks.
    pub(crate) fn new(count: usize, tasks: usize) -> Self
    where
        D: Default,
    {
        Self::ordered(count, tasks, D::default())
    }

    /// `count` free mutexes, served in the given order.
    pub(crate) fn ordered(count: usize, tasks: usize, order: D) -> Self {
        let free =
            |_| Mutex { holder: Occupant::NOBODY, depth: 0, queue: WaitQueue::new(tasks, order.clone()) };
        Mutexes((0..count).map(free).collect())
    }

    /// Number of mutexes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the holder of `mutex`.
    pub fn holder(&self, mutex: usize) -> Option<JobId> {
        at(&self.0, mutex).holder.get()
    }

    /// Lets `job` take `mutex` if it is free; true if so.
    #[inline]
    pub(crate) fn try_take(&mut self, mutex: usize, job: JobId) -> bool {
        let mutex = at_mut(&mut self.0, mutex);
        let free = !mutex.holder.is_some();
        if free {
            (mutex.holder, mutex.depth) = (Occupant::job(job), 1);
        }
        free
    }

    /// Lets `job` ask for `mutex`, and take it if possible.
    #[inline]
    pub(crate) fn ask(&mut self, mutex: usize, job: JobId) -> Asked {
        let mutex = at_mut(&mut self.0, mutex);
        if !mutex.holder.is_some() {
            (mutex.holder, mutex.depth) = (Occupant::job(job), 1);
            return Asked::First;
        }
        if mutex.holder != Occupant::job(job) {
            return Asked::InVain;
        }
        mutex.depth += 1;
        Asked::Again
    }

    /// Gives `mutex` back once, for its holder.
    #[inline]
    pub(crate) fn leave(&mut self, mutex: usize) -> Left {
        let mutex = at_mut(&mut self.0, mutex);
        mutex.depth -= 1;
        if mutex.depth > 0 {
            return Left::Held;
        }
        mutex.holder = Occupant::NOBODY;
        match mutex.queue.is_empty() {
            true => Left::Free,
            false => Left::Awaited,
        }
    }

    /// Puts `job` into the queue of `mutex`.
    pub(crate) fn wait(&mut self, mutex: usize, job: JobId) {
        self.0[mutex].queue.push(job);
    }

    /// Hands `mutex` over after it was given back, and returns its new holder, if a job waited.
    #[inline]
    pub(crate) fn hand_over(&mut self, mutex: usize, jobs: &Jobs) -> Option<JobId> {
        let mutex = at_mut(&mut self.0, mutex);
        (mutex.holder, mutex.depth) = (Occupant::NOBODY, 0);
        match mutex.queue.is_empty() {
            true => None,
            false => mutex.grant_next(jobs),
        }
    }

    /// Takes the next waiter of `mutex`, which stays free, out of the queue.
    pub(crate) fn wake(&mut self, mutex: usize, jobs: &Jobs) -> Option<JobId> {
        self.0[mutex].queue.pop(jobs)
    }

    /// Frees `mutex`, however often its holder has asked for it.
    pub(crate) fn free(&mut self, mutex: usize) {
        let mutex = at_mut(&mut self.0, mutex);
        (mutex.holder, mutex.depth) = (Occupant::NOBODY, 0);
    }

    /// Jobs that wait for `mutex`, the longest waiting first.
    pub fn waiters(&self, mutex: usize) -> impl Iterator<Item = JobId> + '_ {
        self.0[mutex].queue.iter()
    }

    /// Lets `holder` inherit from all jobs that wait for `mutex`.
    pub fn inherit_from_waiters(&self, holder: JobId, mutex: usize, turn: &mut Turn<'_>) {
        for from in self.waiters(mutex) {
            turn.inherit(holder, from);
        }
    }

    /// The mutexes that `job` holds, by number.
    pub fn held_by(&self, job: JobId) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(move |mutex| self.0[*mutex].holder == Occupant::job(job))
    }

    /// Removes `job` from all queues.
    pub(crate) fn withdraw(&mut self, job: JobId, jobs: &Jobs) {
        for mutex in &mut self.0 {
            mutex.queue.remove(job, jobs);
        }
    }
}

impl<D: Discipline> Mutex<D> {
    /// Grants the mutex to the next waiting job.
    #[inline(never)]
    fn grant_next(&mut self, jobs: &Jobs) -> Option<JobId> {
        let next = self.queue.pop(jobs);
        (self.holder, self.depth) = (next.into(), 1);
        next
    }
}
