//! The common base of protocols that decide by what is held: the ceiling family, and plain semaphores.
//!
//! L. M. dos Santos, G. Gracioli, T. Kloda and M. Caccamo, "On the design and implementation of real-time resource
//! access protocols", SBESC 2020, fig. 1, derive all protocols with ceilings from one class. Here [`Denying`] knows
//! which job holds how much of what and which jobs wait, and a protocol is a value of a type that implements
//! [`Denial`]: why a request is denied, if it ever is, and what holding does to a job.

use super::highest::highest;
use super::holders::Holders;
use crate::contract::{Effect, Hears, LockProtocol, LockSetup, Reply, Section, Turn, Usage};
use alloc::vec::Vec;
use schedlab_model::{Event, JobId, Jobs, ResourceId};

/// Reason why a request is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// Another job's holding denies the request, and that job inherits.
    By(JobId),
    /// The request is denied, and no job inherits.
    Plainly,
}

/// Held and waiting sections of a system.
#[derive(Clone, Debug)]
pub struct LockTable {
    /// Sections that are held.
    pub holders: Holders,
    /// Denied requests, the longest waiting first.
    pub waiting: Vec<Section>,
}

/// Rules in which a protocol differs from others with the same base. By default no request is ever denied.
pub trait Denial: Send {
    /// Handles the request of `wanted.job`, whether it is denied or not. `Some` ends the handling with this reply.
    fn asks(&mut self, _wanted: Section, _turn: &mut Turn<'_>) -> Option<Reply> {
        None
    }

    /// Returns the reason why `wanted` is not granted; `None` if it is.
    fn denies(&self, _wanted: Section, _table: &LockTable, _jobs: &Jobs) -> Option<Denied> {
        None
    }

    /// True if a job whose request is no longer denied is granted it at once; otherwise the job asks again once it
    /// runs.
    fn is_handed_over(&self, _resource: ResourceId) -> bool {
        true
    }

    /// True if the request of a job that is given up while it waits is withdrawn; otherwise it is granted first.
    fn withdraws(&self) -> bool {
        false
    }

    /// Handles that `wanted` is granted at once, so that its job executes.
    fn holds(&mut self, _wanted: Section, _table: &LockTable, _turn: &mut Turn<'_>) {}

    /// Handles that `given` is given back; waiting jobs go on afterwards.
    fn releases(&mut self, _given: Section, _table: &LockTable, _turn: &mut Turn<'_>) {}

    /// Notes `event`: a job is ready, resumed or aborted. An aborted job holds nothing and waits for nothing any more.
    fn notes(&mut self, _event: Event, _table: &LockTable, _turn: &mut Turn<'_>) {}
}

/// Holders and waiters, under the rules `D`.
#[derive(Clone, Debug)]
pub struct Denying<D> {
    pub(crate) denial: D,
    table: LockTable,
}

impl<D: Denial> Denying<D> {
    /// Initial state under `denial`, in which everything is free.
    pub(crate) fn under(denial: D, setup: &LockSetup<'_>, usage: &Usage) -> Self {
        let holders = Holders::new(setup.resources, usage.requests);
        Denying { denial, table: LockTable { holders, waiting: Vec::with_capacity(setup.tasks.len()) } }
    }

    /// Grants the requests that are not denied any more, the most urgent first: each grant may deny the next.
    /// Afterwards jobs that are to ask again may do so, and the others pass their priority to the jobs for which they
    /// now wait.
    fn wake(&mut self, turn: &mut Turn<'_>) {
        while let Some(index) = self.next(turn.jobs) {
            let wanted = self.table.waiting.remove(index);
            self.table.holders.take(wanted);
            turn.out.push(Effect::Grant(wanted.job, wanted.resource));
        }
        for index in (0..self.table.waiting.len()).rev() {
            let wanted = self.table.waiting[index];
            match self.denial.denies(wanted, &self.table, turn.jobs) {
                Some(Denied::By(holder)) => turn.inherit(holder, wanted.job),
                Some(Denied::Plainly) => {}
                None => {
                    self.table.waiting.remove(index);
                    turn.out.push(Effect::AskAgain(wanted.job));
                }
            }
        }
    }

    /// Returns the place of the most urgent waiter whose request is to be granted at once, the longest waiting of
    /// equals.
    fn next(&self, jobs: &Jobs) -> Option<usize> {
        let waiting = &self.table.waiting;
        let may = |index: &usize| {
            let wanted = waiting[*index];
            self.denial.is_handed_over(wanted.resource)
                && self.denial.denies(wanted, &self.table, jobs).is_none()
        };
        highest((0..waiting.len()).filter(may), |index| jobs.get(waiting[index].job).effective)
    }
}

impl<D: Denial> LockProtocol for Denying<D> {
    #[inline(never)]
    fn request(&mut self, wanted: Section, turn: &mut Turn<'_>) -> Reply {
        if let Some(answer) = self.denial.asks(wanted, turn) {
            return answer;
        }
        if let Some(why) = self.denial.denies(wanted, &self.table, turn.jobs) {
            self.table.waiting.push(wanted);
            if let Denied::By(holder) = why {
                turn.inherit(holder, wanted.job);
            }
            return Reply::Suspend;
        }
        self.table.holders.take(wanted);
        self.denial.holds(wanted, &self.table, turn);
        Reply::Granted
    }

    #[inline(never)]
    fn release(&mut self, given: Section, turn: &mut Turn<'_>) {
        self.table.holders.give(given);
        self.denial.releases(given, &self.table, turn);
        self.wake(turn);
    }

    fn withdraw(&mut self, wanted: Section, _: &mut Turn<'_>) -> bool {
        let withdraws = self.denial.withdraws();
        self.table.waiting.retain(|other| !withdraws || *other != wanted);
        withdraws
    }

    fn hears(&self) -> Hears {
        Hears::Readiness
    }

    #[inline]
    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        if let Event::Aborted(job) = event {
            self.table.waiting.retain(|wanted| wanted.job != job);
            self.table.holders.forget(job);
            self.denial.notes(event, &self.table, turn);
            return self.wake(turn);
        }
        self.denial.notes(event, &self.table, turn);
    }
}
