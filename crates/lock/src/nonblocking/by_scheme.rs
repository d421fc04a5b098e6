//! Several protocols in one system: each resource by the system's own, or as an object by a scheme of its own.
//!
//! Block-or-not-2008, section 4.4, shares an object under a queue lock without preemption (FMLP, short), by lock-free
//! operations, or by wait-free ones. An operation nests with nothing, so that each protocol sees a program in which the
//! resources of the others are plain execution.

use super::lock_free::LOCK_FREE;
use super::wait_free::WAIT_FREE;
use crate::contract::{
    BrokenRule, Ceilings, GrantOrder, LockError, LockProtocol, LockSetup, OnLinux, Preemption, Protocol,
    Reach, Reply, Section, Turn, Waiting,
};
use crate::fmlp::FMLP_SHORT;
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::{Event, Invariant, JobId, LockingClass, ResourceId, Scheme, Step, Task, TaskId, Work};

/// The protocol that a scheme stands for.
pub fn protocol_of(scheme: Scheme) -> &'static Protocol {
    match scheme {
        Scheme::Locked => &FMLP_SHORT,
        Scheme::LockFree => &LOCK_FREE,
        Scheme::WaitFree => &WAIT_FREE,
    }
}

/// Returns the properties of a system in which `first` and `second` have resources of their own. Classes that differ
/// have no bound in common, except if one has only operations that never wait. Then the bounds of the other hold, with
/// the cost of retries added.
fn joined(first: Protocol, second: &Protocol) -> Protocol {
    let (attempts, holds) = match (first.attempts(), second.attempts()) {
        // Wait-free operations delay no other job.
        (true, true) if first.class == LockingClass::WaitFree => {
            return Protocol { make: first.make, ..*second };
        }
        (true, true) => return first,
        (true, false) => (first, *second),
        (false, true) => (*second, first),
        (false, false) => return both_hold(first, second),
    };
    // Jobs that never wait keep what the other promises, but that each job waits once at most.
    Protocol { blocks_once: holds.blocks_once && attempts.blocks_once, make: first.make, ..holds }
}

fn both_hold(first: Protocol, second: &Protocol) -> Protocol {
    Protocol {
        name: "several protocols",
        summary: "each resource by a protocol of its own",
        waiting: if first.waiting == second.waiting { first.waiting } else { Waiting::Suspends },
        reach: if first.reach == Reach::Any { second.reach } else { first.reach },
        ceilings: if first.ceilings == Ceilings::None { second.ceilings } else { first.ceilings },
        grants: if first.grants == second.grants { first.grants } else { GrantOrder::Any },
        preemption: if first.preemption == second.preemption { first.preemption } else { Preemption::Any },
        nesting: first.nesting,
        several_units: first.several_units || second.several_units,
        // Resources of different protocols do not nest.
        deadlock_free: first.deadlock_free && second.deadlock_free,
        blocks_once: false,
        class: if first.class == second.class { first.class } else { LockingClass::Unanalysed },
        on_linux: if first.on_linux == second.on_linux { first.on_linux } else { OnLinux::Nothing },
        make: first.make,
    }
}

/// Returns the properties of a system under `protocol` whose tasks request the resources of `requested`, some by a
/// scheme of their own. If all have one protocol, these are that protocol's. To make it, use [`BySchemes`].
pub fn compose(protocol: &Protocol, requested: impl Iterator<Item = Option<Scheme>>) -> Protocol {
    let mut known: Option<Protocol> = None;
    for scheme in requested {
        let next = scheme.map_or(protocol, |scheme| protocol_of(scheme));
        known = Some(match known {
            None => *next,
            Some(known) if known.name == next.name => known,
            Some(known) => joined(known, next),
        });
    }
    Protocol { make: protocol.make, ..known.unwrap_or(*protocol) }
}

/// The protocols of one system. Each is made if tasks request a resource that it manages.
pub struct BySchemes {
    /// By resource: its scheme; `None` under the system's own protocol.
    schemes: Vec<Option<Scheme>>,
    own: Option<Box<dyn LockProtocol>>,
    /// Protocols of the schemes, in the order of [`Scheme::ALL`].
    of_schemes: [Option<Box<dyn LockProtocol>>; Scheme::ALL.len()],
}

impl BySchemes {
    /// Combines `protocol` with the schemes of resources that have one; `schemes` by resource. Refuses whatever one of
    /// the protocols refuses, and operations on objects that nest with anything.
    pub fn new(
        protocol: &Protocol,
        schemes: &[Option<Scheme>],
        setup: &LockSetup<'_>,
    ) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        let is_own: Vec<bool> = schemes.iter().map(Option::is_none).collect();
        setup.demand_flat_globals(&usage, &is_own, "an object's scheme")?;
        let mut suspends = usage.suspends.iter();
        if let Some(&(task, step, resource)) = suspends.find(|(.., resource)| !is_own[resource.index()]) {
            let rule = BrokenRule::SuspendsInSection { resource, protocol: "an object's scheme" };
            return Err(rule.at(task, step));
        }
        let of = |wanted: Option<Scheme>, protocol: &Protocol| {
            let is_wanted = |index: usize| schemes[index] == wanted;
            let users = usage.users.iter().enumerate();
            if !users.clone().any(|(index, users)| is_wanted(index) && !users.needs.is_empty()) {
                return Ok(None);
            }
            let tasks: Vec<Task> = setup.tasks.iter().map(|task| with_requests_of(task, is_wanted)).collect();
            (protocol.make)(&LockSetup { tasks: &tasks, ..*setup }).map(Some)
        };
        let own = of(None, protocol)?;
        let mut of_schemes = Scheme::ALL.map(|_| None);
        for (made, scheme) in of_schemes.iter_mut().zip(Scheme::ALL) {
            *made = of(Some(scheme), protocol_of(scheme))?;
        }
        Ok(BySchemes { schemes: schemes.to_vec(), own, of_schemes })
    }

    fn part(&mut self, resource: ResourceId) -> &mut dyn LockProtocol {
        let part = match self.schemes[resource.index()] {
            None => &mut self.own,
            Some(scheme) => &mut self.of_schemes[scheme as usize],
        };
        part.as_deref_mut().expect("a task requests it")
    }

    fn locked(&self) -> Option<&dyn LockProtocol> {
        self.of_schemes[Scheme::Locked as usize].as_deref()
    }
}

/// Returns the task with all other requests as plain execution.
fn with_requests_of(task: &Task, is_wanted: impl Fn(usize) -> bool) -> Task {
    let mut task = task.clone();
    let is_other = |step: &&mut Step| match step {
        Step::Request(resource, _) | Step::Release(resource, _) | Step::Serve(resource) => {
            !is_wanted(resource.index())
        }
        Step::Execute(_) | Step::Suspend(_) | Step::NpEnter | Step::NpExit => false,
    };
    task.program.iter_mut().filter(is_other).for_each(|step| *step = Step::Execute(Work::ZERO));
    task
}

impl LockProtocol for BySchemes {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Reply {
        self.part(section.resource).request(section, turn)
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        self.part(section.resource).release(section, turn);
    }

    fn commit(&mut self, job: JobId, resource: ResourceId) -> bool {
        self.part(resource).commit(job, resource)
    }

    fn server_of(&self, resource: ResourceId) -> Option<TaskId> {
        let own = self.own.as_ref().filter(|_| self.schemes[resource.index()].is_none());
        own.and_then(|own| own.server_of(resource))
    }

    fn promises(&self) -> &'static [Invariant] {
        // What the own one promises of all holders and waiters, those of locked objects need not keep.
        match (&self.own, self.locked()) {
            (Some(own), None) => own.promises(),
            (Some(_) | None, _) => &[],
        }
    }

    fn free_mutex(&self, resource: ResourceId) -> Option<usize> {
        // Those of the own one may have the same numbers.
        match (self.schemes[resource.index()], &self.own, self.locked()) {
            (None, Some(own), None) => own.free_mutex(resource),
            (Some(Scheme::Locked), None, Some(locked)) => locked.free_mutex(resource),
            (None | Some(_), ..) => None,
        }
    }

    fn withdraw(&mut self, section: Section, turn: &mut Turn<'_>) -> bool {
        self.part(section.resource).withdraw(section, turn)
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        let parts = self.own.iter_mut().chain(self.of_schemes.iter_mut().flatten());
        parts.for_each(|part| part.note(event, turn));
    }
}
