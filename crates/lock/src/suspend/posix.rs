//! POSIX mutexes, each with a protocol of its own: none, priority inheritance or priority protection.
//!
//! IEEE Std 1003.1, `pthread_mutexattr_setprotocol`: a thread that owns mutexes executes at the highest of its own
//! priority, of the ceilings of all its mutexes with `PTHREAD_PRIO_PROTECT`, and of the priorities of the threads that
//! wait for one of its mutexes with `PTHREAD_PRIO_INHERIT`, transitively. Linux and the GNU C library do this so:
//!
//! * A mutex with inheritance is handed over to the most urgent waiter (`FUTEX_UNLOCK_PI`).
//! * One without protocol or with protection is free once it is released. The most urgent waiter is woken, and takes it
//!   when it executes, unless a more urgent thread was there first (`FUTEX_WAKE`).
//! * A thread takes the ceiling before it asks for a mutex with protection, and gives it back after the release.
//!
//! C holds a mutex without protocol during [1, 7), and A asks for it at 3. So B delays A, though it is less urgent and
//! asks for nothing:
//!
//! ```text
//! P0  CCCCBBCAA   A holds during [7, 8)
//! ```
//!
//! In the model, a request for a free mutex takes O(1), and a request that waits O(w) for w waiting jobs. A release
//! takes O(w). A mutex with a ceiling adds O(c) for the c ceilings that the thread has taken, and each change of an
//! inherited priority takes O(n) for n tasks.

use crate::contract::{
    Ceilings, Effect, GrantOrder, Hears, LockError, LockProtocol, LockSetup, Nesting, OnLinux, Preemption,
    Protocol, Reach, Reply, Section, Turn, Waiting,
};
use crate::shared::mutexes::{Asked, Left, Mutexes};
use crate::shared::wait_queue::ByPriority;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, JobId, LockingClass, MutexProtocol, Priority, ResourceId};

const NAME: &str = "by resource";

/// Returns the properties of a system whose mutexes have the protocols of `kinds`. To make it, use [`PosixMutexes`].
/// `given` is the protocol of the scenario, which makes what has no mutexes.
pub fn posix(given: &Protocol, kinds: impl Iterator<Item = MutexProtocol> + Clone) -> Protocol {
    let all = |wanted| kinds.clone().all(|kind| kind == wanted);
    let on_linux = if all(MutexProtocol::None) {
        OnLinux::Plain
    } else if all(MutexProtocol::Inherit) {
        OnLinux::Inherit
    } else if all(MutexProtocol::Protect) {
        OnLinux::Protect
    } else {
        OnLinux::ByResource
    };
    Protocol {
        name: NAME,
        summary: "POSIX mutexes: each resource by a protocol of its own",
        waiting: Waiting::Suspends,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::Any,
        preemption: Preemption::Any,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: false,
        blocks_once: false,
        class: LockingClass::Posix,
        on_linux,
        make: given.make,
    }
}

/// The mutexes of one system.
#[derive(Clone, Debug)]
pub struct PosixMutexes {
    /// By resource.
    kinds: Vec<MutexProtocol>,
    /// By resource: the priority of its most urgent user.
    ceilings: Vec<Option<Priority>>,
    mutexes: Mutexes<ByPriority>,
    /// By task: the mutexes whose ceilings its job has, the last one taken last.
    raised: Vec<Vec<ResourceId>>,
}

impl PosixMutexes {
    /// Mutexes with the protocols of `kinds`, by resource. Refuses priorities that are not fixed, and resources of
    /// several units.
    pub fn new(kinds: &[MutexProtocol], setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units(NAME)?;
        let ceilings = setup.priority_ceilings(&usage, NAME)?;
        let (resources, tasks) = (setup.resources.len(), setup.tasks.len());
        Ok(PosixMutexes {
            kinds: kinds.to_vec(),
            ceilings,
            mutexes: Mutexes::new(resources, tasks),
            raised: vec![Vec::with_capacity(resources); tasks],
        })
    }

    /// Gives `job` the highest ceiling that it has taken, or its own priority.
    fn set_own_priority(&self, job: JobId, turn: &mut Turn<'_>) {
        let taken = self.raised[job.task.index()].iter();
        let ceiling = taken.filter_map(|held| self.ceilings[held.index()]).reduce(Priority::higher_of);
        let base = turn.jobs.get(job).base;
        turn.set_priority(job, ceiling.map_or(base, |ceiling| ceiling.higher_of(base)));
    }

    /// Lets the next waiter have `resource`, which is free, as the mutex's protocol has it.
    fn pass_on(&mut self, resource: ResourceId, turn: &mut Turn<'_>) {
        let mutex = resource.index();
        match self.kinds[mutex] {
            MutexProtocol::Inherit => {
                if let Some(next) = self.mutexes.hand_over(mutex, turn.jobs) {
                    self.mutexes.inherit_from_waiters(next, mutex, turn);
                    turn.out.push(Effect::Grant(next, resource));
                }
            }
            MutexProtocol::None | MutexProtocol::Protect => {
                if let Some(next) = self.mutexes.wake(mutex, turn.jobs) {
                    turn.out.push(Effect::AskAgain(next));
                }
            }
        }
    }

    /// Removes `job`, which is given up, from all queues, and passes on what it held.
    fn give_up(&mut self, job: JobId, turn: &mut Turn<'_>) {
        self.raised[job.task.index()].clear();
        self.mutexes.withdraw(job, turn.jobs);
        for index in 0..self.kinds.len() {
            if self.mutexes.holder(index) == Some(job) {
                self.mutexes.free(index);
                self.pass_on(ResourceId(index as u32), turn);
            }
        }
    }
}

impl LockProtocol for PosixMutexes {
    fn request(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) -> Reply {
        let (mutex, raised) = (resource.index(), &mut self.raised[job.task.index()]);
        // One that was woken has the ceiling already.
        let is_new = raised.last() != Some(&resource) || self.mutexes.holder(mutex) == Some(job);
        if self.kinds[mutex] == MutexProtocol::Protect && is_new {
            raised.push(resource);
            self.set_own_priority(job, turn);
        }
        match self.mutexes.ask(mutex, job) {
            Asked::First => {
                if self.kinds[mutex] == MutexProtocol::Inherit {
                    self.mutexes.inherit_from_waiters(job, mutex, turn);
                }
                Reply::Granted
            }
            Asked::Again => Reply::Granted,
            Asked::InVain => {
                self.mutexes.wait(mutex, job);
                if self.kinds[mutex] == MutexProtocol::Inherit {
                    turn.inherit(self.mutexes.holder(mutex).expect("it is not free"), job);
                }
                Reply::Suspend
            }
        }
    }

    fn release(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) {
        let mutex = resource.index();
        let left = self.mutexes.leave(mutex);
        match self.kinds[mutex] {
            MutexProtocol::Protect => {
                self.raised[job.task.index()].pop();
                self.set_own_priority(job, turn);
            }
            // Those that wait for the next holder make this one no more urgent.
            MutexProtocol::Inherit | MutexProtocol::None => {}
        }
        if left == Left::Awaited {
            self.pass_on(resource, turn);
        }
    }

    fn hears(&self) -> Hears {
        Hears::Aborts
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        if let Event::Aborted(job) = event {
            self.give_up(job, turn);
        }
    }
}
