//! Plain counting semaphores: no protocol at all.
//!
//! Waiters suspend; the most urgent waiter is served first, ties by job id. Nothing is inherited, so a
//! job can be delayed without bound by less urgent ones (the Mars Pathfinder's inversion). Nested requests may deadlock.

use crate::effects::{Effect, Effects};
use crate::registry::{Ceilings, GrantOrder, Nesting, Preemption, Protocol, Reach, Waiting};
use crate::{LockProtocol, Request};
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::{Event, Instant, JobId, Jobs, Resource, ResourceId};

/// "none" in the list of protocols.
pub(crate) const SEMAPHORES: Protocol = Protocol {
    name: "none",
    summary: "plain semaphores, the most urgent waiter first: unbounded priority inversion",
    waiting: Waiting::Suspends,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::ByEffective,
    preemption: Preemption::Any,
    nesting: Nesting::Any,
    several_units: true,
    deadlock_free: false,
    blocks_once: false,
    make: |setup| {
        setup.usage()?;
        Ok(Box::new(Semaphores::new(setup.resources, setup.tasks.len())))
    },
};

/// One counting semaphore per resource.
#[derive(Clone, Debug)]
pub struct Semaphores {
    free: Vec<u32>,
    waiters: Vec<(JobId, ResourceId, u32)>,
    held: Vec<(JobId, ResourceId, u32)>,
}

impl Semaphores {
    /// Semaphores for `resources`, used by `tasks` tasks, all units free.
    pub fn new(resources: &[Resource], tasks: usize) -> Self {
        let free = resources.iter().map(|resource| resource.units).collect();
        Semaphores {
            free,
            waiters: Vec::with_capacity(tasks),
            held: Vec::with_capacity(tasks * resources.len()),
        }
    }

    /// Serves waiters of `resource`, the most urgent first, until one asks for more than there is.
    fn serve(&mut self, resource: ResourceId, jobs: &Jobs, out: &mut Effects) {
        loop {
            let of_resource = (0..self.waiters.len()).filter(|&at| self.waiters[at].1 == resource);
            let priority = |at: usize| jobs.get(self.waiters[at].0).effective;
            let first =
                of_resource.reduce(|a, b| if priority(b).is_higher_than(priority(a)) { b } else { a });
            let Some(first) = first else { return };
            let (job, _, units) = self.waiters[first];
            if self.free[resource.index()] < units {
                return;
            }
            self.waiters.remove(first);
            self.free[resource.index()] -= units;
            self.held.push((job, resource, units));
            out.push(Effect::Grant(job, resource));
        }
    }

    /// An aborted job neither waits nor holds.
    fn forget(&mut self, job: JobId, jobs: &Jobs, out: &mut Effects) {
        self.waiters.retain(|(waiter, ..)| *waiter != job);
        while let Some(at) = self.held.iter().position(|(holder, ..)| *holder == job) {
            let (_, resource, units) = self.held.swap_remove(at);
            self.free[resource.index()] += units;
            self.serve(resource, jobs, out);
        }
    }
}

impl LockProtocol for Semaphores {
    fn request(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        _: &Jobs,
        _: &mut Effects,
    ) -> Request {
        let waited_for = self.waiters.iter().any(|(_, wanted, _)| *wanted == resource);
        if waited_for || self.free[resource.index()] < units {
            self.waiters.push((job, resource, units));
            return Request::Suspend;
        }
        self.free[resource.index()] -= units;
        self.held.push((job, resource, units));
        Request::Granted
    }

    fn release(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) {
        let at = self.held.iter().position(|held| *held == (job, resource, units));
        self.held.swap_remove(at.expect("only a holder releases, and what it holds"));
        self.free[resource.index()] += units;
        self.serve(resource, jobs, out);
    }

    fn note(&mut self, _: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        if let Event::Aborted(job) = event {
            self.forget(job, jobs, out);
        }
    }
}
