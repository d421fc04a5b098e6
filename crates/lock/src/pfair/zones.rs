//! Zone-based locking of short sections: no job is preempted by a quantum's end while it holds a resource.
//!
//! P. Holman and J. H. Anderson, "Locking in Pfair-scheduled multiprocessor systems", RTSS 2002; "Adapting Pfair
//! scheduling for symmetric multiprocessors", 2005, section IV.D. Each quantum ends with a zone as long as the
//! resource's longest section. Within it requests are ignored until the next quantum starts, and no job is granted the
//! resource, since the section might not end in time:
//!
//! ```text
//!     |<------------- Q ------------->|
//!     |                     |<-- B -->|     a request at . is ignored until the
//!     |...................... . . . . |     quantum of the processor that makes it ends
//! ```
//!
//! A job that waits keeps its processor: no other job could have the rest of its quantum. Outside of zones, jobs wait
//! first come, first served. What becomes of a job that still waits when its quantum ends tells two protocols apart: it
//! keeps its place and is *skipped* while it has no quantum, or its request is *rolled back*, and made anew with its
//! next quantum. Requests of one instant come by processor.
//!
//! In the model, a request takes O(r + w) for r resources and w waiting jobs, and a release O(w).

use super::sections::sections;
use crate::contract::{
    BrokenRule, Ceilings, Effect, GrantOrder, LockError, LockProtocol, LockSetup, Nesting, OnLinux,
    Preemption, Protocol, Reach, Reply, Section, Turn, Waiting,
};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{
    Duration, Event, Instant, Invariant, JobId, Jobs, LockingClass, Platform, ResourceId, TaskId,
};

/// Entry of "zone-skip" in the list of protocols.
pub(crate) const ZONE_SKIP: Protocol = Protocol {
    name: "zone-skip",
    summary: "Pfair, short sections: a zone at each quantum's end, waiters keep their place (Holman, Anderson 2002)",
    waiting: Waiting::Spins,
    reach: Reach::Any,
    ceilings: Ceilings::Quanta,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Never,
    nesting: Nesting::Never,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::Zones,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Zones::new(setup, AtQuantumEnd::Skip)?)),
};

/// Entry of "zone-rollback" in the list of protocols.
pub(crate) const ZONE_ROLLBACK: Protocol = Protocol {
    name: "zone-rollback",
    summary: "Pfair, short sections: a zone at each quantum's end, waiters ask anew (Holman, Anderson 2002)",
    class: LockingClass::Zones,
    make: |setup| Ok(Box::new(Zones::new(setup, AtQuantumEnd::Rollback)?)),
    ..ZONE_SKIP
};

/// Treatment of a job that waits when its quantum ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtQuantumEnd {
    /// The job keeps its place, and is skipped while it has no quantum.
    Skip,
    /// The job loses its place, and asks again in its next quantum.
    Rollback,
}

/// A job that waits, and the end of the quantum in which it asked last.
#[derive(Clone, Copy, Debug)]
struct Waiter {
    job: JobId,
    until: Instant,
}

/// Mutexes with automatic-blocking zones.
#[derive(Clone, Debug)]
pub(crate) struct Zones {
    at_end: AtQuantumEnd,
    platform: Platform,
    /// By resource: length of the zone before a quantum's end in which no job is granted it.
    zone: Vec<Duration>,
    /// By resource: its holder.
    holder: Vec<Option<JobId>>,
    /// By resource: the waiting jobs, the longest waiting first.
    queue: Vec<Vec<Waiter>>,
    /// By task: the last quantum boundary at which its job was told to ask again.
    deferred: Vec<Option<Instant>>,
}

impl Zones {
    /// Needs a Pfair scheduler, resources of one unit, sections without nesting or suspension, none longer than a
    /// quantum.
    pub(crate) fn new(setup: &LockSetup<'_>, at_end: AtQuantumEnd) -> Result<Self, LockError> {
        let protocol = "zone-based locking";
        setup.demand_flat(protocol)?;
        setup.demand_pfair(protocol)?;
        let count = setup.resources.len();
        Ok(Zones {
            at_end,
            platform: setup.platform.clone(),
            zone: zones(setup, protocol)?,
            holder: vec![None; count],
            queue: (0..count).map(|_| Vec::with_capacity(setup.tasks.len())).collect(),
            deferred: vec![None; setup.tasks.len()],
        })
    }

    /// Returns the end of the quantum in which `job` asks. At a boundary it is `None`, because the slot that begins
    /// there is not filled yet: the job then asks again at the same instant, after the decision.
    fn quantum_end(&mut self, now: Instant, job: JobId, jobs: &Jobs) -> Option<Instant> {
        let cpu = jobs.get(job).scheduled_on.expect("a job that asks executes");
        let boundary = self.platform.next_boundary(cpu, now);
        if boundary > now {
            return Some(boundary);
        }
        if self.deferred[job.task.index()] == Some(now) {
            return Some(now + self.platform.quantum);
        }
        self.deferred[job.task.index()] = Some(now);
        None
    }

    /// True if a section of `resource` that begins now ends before the quantum does.
    fn is_before_zone(&self, resource: ResourceId, now: Instant, until: Instant) -> bool {
        until > now && until - now >= self.zone[resource.index()]
    }

    /// Grants `resource` to the longest waiting job that has a quantum and is not in its zone.
    fn hand_over(&mut self, resource: ResourceId, turn: &mut Turn<'_>) {
        let queue = &self.queue[resource.index()];
        let next = queue.iter().position(|waiter| self.is_before_zone(resource, turn.now, waiter.until));
        let next = next.map(|index| self.queue[resource.index()].remove(index).job);
        self.holder[resource.index()] = next;
        if let Some(job) = next {
            turn.out.push(Effect::Grant(job, resource));
        }
    }

    /// Puts `job` into the queue of `resource`, in a quantum that lasts until `until`.
    fn wait(&mut self, job: JobId, resource: ResourceId, until: Instant) {
        let queue = &mut self.queue[resource.index()];
        match queue.iter_mut().find(|waiter| waiter.job == job) {
            Some(waiter) => waiter.until = until,
            None => queue.push(Waiter { job, until }),
        }
    }

    fn withdraw(&mut self, job: JobId) {
        self.queue.iter_mut().for_each(|queue| queue.retain(|waiter| waiter.job != job));
    }
}

/// By resource: length of its longest section, which must fit into a quantum.
fn zones(setup: &LockSetup<'_>, protocol: &'static str) -> Result<Vec<Duration>, LockError> {
    let mut zones = vec![Duration::ZERO; setup.resources.len()];
    for (task, index) in setup.tasks.iter().zip(0..) {
        for (resource, work, step) in sections(task) {
            let (length, quantum) = (work.at_unit_speed(), setup.platform.quantum);
            if length > quantum {
                let rule = BrokenRule::SectionTooLong { resource, length, quantum, protocol };
                return Err(rule.at(TaskId(index), step));
            }
            zones[resource.index()] = zones[resource.index()].max(length);
        }
    }
    Ok(zones)
}

impl LockProtocol for Zones {
    fn request(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) -> Reply {
        let now = turn.now;
        if self.at_end == AtQuantumEnd::Rollback {
            self.withdraw(job);
        }
        let Some(until) = self.quantum_end(now, job, turn.jobs) else { return Reply::NotBefore(now) };
        if !self.is_before_zone(resource, now, until) {
            return Reply::NotBefore(until);
        }
        if self.holder[resource.index()].is_none() {
            self.withdraw(job);
            self.holder[resource.index()] = Some(job);
            return Reply::Granted;
        }
        self.wait(job, resource, until);
        Reply::SpinUntil(until)
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        self.hand_over(section.resource, turn);
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        if let Event::Aborted(job) = event {
            self.withdraw(job);
            for resource in 0..self.holder.len() {
                if self.holder[resource] == Some(job) {
                    self.hand_over(ResourceId(resource as u32), turn);
                }
            }
        }
    }

    fn promises(&self) -> &'static [Invariant] {
        &[Invariant::HoldersAreNotPreempted]
    }
}
