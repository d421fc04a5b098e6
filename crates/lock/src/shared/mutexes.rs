//! Resources of one unit, each with its queue: what most protocols are built on.

use super::wait_queue::{Discipline, WaitQueue};
use crate::contract::Turn;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{JobId, Jobs};

/// Mutexes by number: a resource's, or a group's.
#[derive(Clone, Debug)]
pub struct Mutexes<D> {
    holder: Vec<Option<JobId>>,
    queue: Vec<WaitQueue<D>>,
}

impl<D: Discipline> Mutexes<D> {
    /// `count` free mutexes, used by `tasks` tasks.
    pub(crate) fn new(count: usize, tasks: usize) -> Self
    where
        D: Default,
    {
        Self::ordered(count, tasks, D::default())
    }

    /// The same, served in the given order.
    pub(crate) fn ordered(count: usize, tasks: usize, order: D) -> Self {
        let queue = (0..count).map(|_| WaitQueue::new(tasks, order.clone()));
        Mutexes { holder: vec![None; count], queue: queue.collect() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.holder.len()
    }

    /// Who holds `mutex`.
    pub fn holder(&self, mutex: usize) -> Option<JobId> {
        self.holder[mutex]
    }

    /// `job` holds `mutex` if it is free; true if so.
    pub(crate) fn try_take(&mut self, mutex: usize, job: JobId) -> bool {
        let free = self.holder[mutex].is_none();
        if free {
            self.holder[mutex] = Some(job);
        }
        free
    }

    /// `job` waits for `mutex`.
    pub(crate) fn wait(&mut self, mutex: usize, job: JobId) {
        self.queue[mutex].push(job);
    }

    /// `mutex` is given back: gives who holds it now, if one waited.
    #[inline]
    pub(crate) fn hand_over(&mut self, mutex: usize, jobs: &Jobs) -> Option<JobId> {
        self.holder[mutex] = None;
        match self.queue[mutex].is_empty() {
            true => None,
            false => self.serve(mutex, jobs),
        }
    }

    #[inline(never)]
    fn serve(&mut self, mutex: usize, jobs: &Jobs) -> Option<JobId> {
        self.holder[mutex] = self.queue[mutex].pop(jobs);
        self.holder[mutex]
    }

    /// Who waits for `mutex`, the longest waiting first.
    pub fn waiters(&self, mutex: usize) -> impl Iterator<Item = JobId> + '_ {
        self.queue[mutex].iter()
    }

    /// `holder` inherits from all that wait for `mutex`.
    pub fn inherit_from_waiters(&self, holder: JobId, mutex: usize, turn: &mut Turn<'_>) {
        for from in self.waiters(mutex) {
            turn.inherit(holder, from);
        }
    }

    /// The mutexes that `job` holds.
    pub fn held_by(&self, job: JobId) -> impl Iterator<Item = usize> + '_ {
        (0..self.holder.len()).filter(move |mutex| self.holder[*mutex] == Some(job))
    }

    /// `job` waits for nothing.
    pub(crate) fn withdraw(&mut self, job: JobId, jobs: &Jobs) {
        for queue in &mut self.queue {
            queue.remove(job, jobs);
        }
    }
}
