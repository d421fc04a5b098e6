//! The common base of protocols with a mutex for each resource or group, and a queue for each mutex.
//!
//! L. M. dos Santos, G. Gracioli, T. Kloda and M. Caccamo, "On the design and implementation of real-time resource
//! access protocols", SBESC 2020, fig. 1, derive their protocols from a base class that knows the owner and the queue,
//! with the queue's order as a template parameter. Here [`Queued`] is that base, and a protocol is a value of a type
//! that implements [`Rules`]: what to do besides when a job asks, waits, holds, and releases.

use super::groups::Groups;
use super::mutexes::{Asked, Left, Mutexes};
use super::wait_queue::Discipline;
use crate::contract::{Effect, Hears, LockError, LockProtocol, LockSetup, Reply, Section, Turn};
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, JobId, ResourceId};

/// Rules in which a protocol differs from others with the same base.
pub trait Rules: Send {
    /// Order in which waiting jobs are served.
    type Order: Discipline;
    /// Reply to a job that has to wait: [`Reply::Spin`] or [`Reply::Suspend`].
    const WAITING: Reply;
    /// True if any job that holds nothing may take a free mutex at once, which affects its holder alone: see
    /// [`LockProtocol::free_mutex`].
    const TAKES_FREE: bool = false;

    /// Returns the reply to a job that has to wait for `mutex`, if that depends on the mutex.
    fn waiting(&self, _mutex: usize) -> Reply {
        Self::WAITING
    }

    /// Handles that `job` asks for `mutex`, whether it is free or not.
    fn asks(&mut self, _job: JobId, _mutex: usize, _turn: &mut Turn<'_>) {}

    /// Handles that `job` begins to wait for `mutex`; it is in the queue already.
    fn waits(&mut self, _job: JobId, _mutex: usize, _mutexes: &Mutexes<Self::Order>, _turn: &mut Turn<'_>) {}

    /// Handles that `job` now holds `mutex`, at once or after a wait.
    fn holds(&mut self, _job: JobId, _mutex: usize, _mutexes: &Mutexes<Self::Order>, _turn: &mut Turn<'_>) {}

    /// Handles that `job` has released `mutex`, which is handed over afterwards.
    fn releases(
        &mut self,
        _job: JobId,
        _mutex: usize,
        _mutexes: &Mutexes<Self::Order>,
        _turn: &mut Turn<'_>,
    ) {
    }
}

/// Mutexes with queues, under the rules `R`.
#[derive(Clone, Debug)]
pub struct Queued<R: Rules> {
    rules: R,
    groups: Groups,
    mutexes: Mutexes<R::Order>,
    /// By task: the resource for which its job waits, if it does.
    wanted: Vec<ResourceId>,
}

impl<R: Rules> Queued<R> {
    /// One mutex for each group of resources, which have one unit each, as far as they matter here.
    pub(crate) fn grouped(rules: R, order: R::Order, groups: Groups, setup: &LockSetup<'_>) -> Self {
        let (count, tasks) = (setup.resources.len(), setup.tasks.len());
        Queued {
            rules,
            groups,
            mutexes: Mutexes::ordered(count, tasks, order),
            wanted: vec![ResourceId(0); tasks],
        }
    }

    /// One mutex for each resource.
    pub fn single(rules: R, setup: &LockSetup<'_>) -> Self
    where
        R::Order: Default,
    {
        Self::grouped(rules, R::Order::default(), Groups::SINGLES, setup)
    }

    /// One mutex for each group of resources that nest. Refuses resources of several units and sections in which
    /// jobs suspend themselves.
    pub fn nesting(
        rules: R,
        order: R::Order,
        setup: &LockSetup<'_>,
        name: &'static str,
    ) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units(name)?;
        setup.demand_no_suspension(&usage, name)?;
        let groups = Groups::of_nested(&usage, setup.resources.len());
        Ok(Self::grouped(rules, order, groups, setup))
    }

    // What follows is apart from the usual case, in which no job waits: that saves no registers then.

    /// Releases `mutex`, which `job` holds and others wait for.
    #[inline(never)]
    fn release_to_next(&mut self, job: JobId, mutex: usize, turn: &mut Turn<'_>) {
        self.rules.releases(job, mutex, &self.mutexes, turn);
        self.hand_over(mutex, turn);
    }

    /// Hands `mutex` over to the next job.
    fn hand_over(&mut self, mutex: usize, turn: &mut Turn<'_>) {
        if let Some(next) = self.mutexes.hand_over(mutex, turn.jobs) {
            self.rules.holds(next, mutex, &self.mutexes, turn);
            turn.out.push(Effect::Grant(next, self.wanted[next.task.index()]));
        }
    }

    /// Lets `job` wait for `resource`, which another job holds.
    #[inline(never)]
    fn wait(&mut self, job: JobId, resource: ResourceId, turn: &mut Turn<'_>) -> Reply {
        let mutex = self.groups.of(resource);
        self.rules.asks(job, mutex, turn);
        self.wanted[job.task.index()] = resource;
        self.mutexes.wait(mutex, job);
        self.rules.waits(job, mutex, &self.mutexes, turn);
        self.rules.waiting(mutex)
    }

    /// Removes an aborted `job` from its queue, and hands over the mutexes that it held.
    fn withdraw(&mut self, job: JobId, turn: &mut Turn<'_>) {
        self.mutexes.withdraw(job, turn.jobs);
        for mutex in 0..self.mutexes.len() {
            if self.mutexes.holder(mutex) == Some(job) {
                self.hand_over(mutex, turn);
            }
        }
    }
}

impl<R: Rules> LockProtocol for Queued<R> {
    #[inline]
    fn request(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) -> Reply {
        let mutex = self.groups.of(resource);
        match self.mutexes.ask(mutex, job) {
            Asked::First => {
                self.rules.asks(job, mutex, turn);
                self.rules.holds(job, mutex, &self.mutexes, turn);
                Reply::Granted
            }
            Asked::Again => Reply::Granted,
            Asked::InVain => self.wait(job, resource, turn),
        }
    }

    #[inline]
    fn release(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) {
        let mutex = self.groups.of(resource);
        match self.mutexes.leave(mutex) {
            Left::Held => {}
            Left::Free => self.rules.releases(job, mutex, &self.mutexes, turn),
            Left::Awaited => self.release_to_next(job, mutex, turn),
        }
    }

    fn free_mutex(&self, resource: ResourceId) -> Option<usize> {
        R::TAKES_FREE.then(|| self.groups.of(resource))
    }

    fn hears(&self) -> Hears {
        Hears::Aborts
    }

    #[inline]
    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        if let Event::Aborted(job) = event {
            self.withdraw(job, turn);
        }
    }
}
