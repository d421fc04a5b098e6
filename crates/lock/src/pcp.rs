//! PCP: the priority ceiling protocol.
//!
//! L. Sha, R. Rajkumar and J. P. Lehoczky, "Priority inheritance protocols: an approach to real-time
//! synchronization", IEEE Transactions on Computers 39(9), 1990, section IV. A job is granted a request only if its
//! priority is above the ceilings of all resources that others hold; else it waits for the holder of the one with
//! the highest ceiling, which inherits from it. On one processor a job waits at most once, and nothing deadlocks.

use crate::effects::{Effect, Effects};
use crate::holders::{Held, Holders};
use crate::lock_error::LockError;
use crate::registry::{Ceilings, GrantOrder, Nesting, Preemption, Protocol, Reach, Waiting};
use crate::setup::LockSetup;
use crate::{LockProtocol, Request};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Band, ClusterId, Event, Instant, JobId, Jobs, Priority, ResourceId};

/// "pcp" in the list of protocols.
pub(crate) const PCP: Protocol = Protocol {
    name: "pcp",
    summary: "priority ceilings (Sha, Rajkumar, Lehoczky 1990)",
    waiting: Waiting::Suspends,
    reach: Reach::Local,
    ceilings: Ceilings::Priorities,
    grants: GrantOrder::ByEffective,
    preemption: Preemption::Inherited,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: true,
    make: |setup| Ok(Box::new(Pcp::new(setup)?)),
};

/// Priority ceilings on one processor.
#[derive(Clone, Debug)]
pub struct Pcp {
    /// By resource: the priority of its most urgent user.
    ceiling: Vec<Option<Priority>>,
    /// By resource: the processor that it belongs to.
    site: Vec<ClusterId>,
    /// By resource: its holders are more urgent than all who hold none of this kind.
    is_boosted: Vec<bool>,
    holders: Holders,
    waiting: Vec<(JobId, ResourceId)>,
}

impl Pcp {
    /// Needs fixed priorities, resources of one unit, and each resource on one processor.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_local(&usage, "PCP")?;
        Self::with_boosted(setup, vec![false; setup.resources.len()], "PCP")
    }

    /// The same, for resources of which some have users elsewhere; those in `is_boosted` go before the others.
    pub(crate) fn with_boosted(
        setup: &LockSetup<'_>,
        is_boosted: Vec<bool>,
        protocol: &'static str,
    ) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units(protocol)?;
        setup.demand_partitions(protocol)?;
        let mut ceiling = setup.priority_ceilings(&usage, protocol)?;
        for (ceiling, _) in ceiling.iter_mut().zip(&is_boosted).filter(|(_, is_boosted)| **is_boosted) {
            *ceiling = ceiling.map(boosted);
        }
        Ok(Pcp {
            ceiling,
            site: setup.sites(&usage),
            is_boosted,
            holders: Holders::new(setup.resources, usage.requests),
            waiting: Vec::with_capacity(setup.tasks.len()),
        })
    }

    /// The priority with which `job` asks for `resource`.
    fn priority(&self, job: JobId, resource: ResourceId, jobs: &Jobs) -> Priority {
        let job = jobs.get(job);
        if self.is_boosted[resource.index()] {
            boosted(job.base)
        } else {
            job.effective
        }
    }

    /// Whom `job` has to wait for before it may have `resource`: who holds what has the highest ceiling.
    fn blocker(&self, job: JobId, resource: ResourceId, jobs: &Jobs) -> Option<JobId> {
        let site = |resource: ResourceId| self.site[resource.index()];
        let here = self.holders.iter().filter(|held| site(held.resource) == site(resource));
        let by_others = here.filter(|held| held.job != job);
        let ceiling = |held: &Held| self.ceiling[held.resource.index()].expect("it has a user");
        let highest = by_others.reduce(|a, b| if ceiling(&b).is_higher_than(ceiling(&a)) { b } else { a });
        match highest {
            Some(held) if !self.priority(job, resource, jobs).is_higher_than(ceiling(&held)) => {
                Some(held.job)
            }
            _ => self.holders.holder(resource),
        }
    }

    /// Who need not wait any longer asks again once it runs; the others may have a new one to wait for.
    ///
    /// Granting at once what they asked for would let a less urgent one of them block a more urgent job that
    /// runs before it. Where requests execute boosted, on a processor of their own, nothing but other requests runs before it; a
    /// request that came meanwhile must not go before a more urgent one that waits: the most urgent has its lock at once.
    fn wake(&mut self, jobs: &Jobs, out: &mut Effects) {
        self.grant_boosted(jobs, out);
        for at in (0..self.waiting.len()).rev() {
            let (job, resource) = self.waiting[at];
            match self.blocker(job, resource, jobs) {
                Some(holder) => out.push(Effect::Inherit { holder, from: job }),
                None => {
                    self.waiting.remove(at);
                    out.push(Effect::Retry(job));
                }
            }
        }
    }
}

impl Pcp {
    /// Boosted waiters that need not wait, the most urgent first: each grant may keep the next waiting.
    fn grant_boosted(&mut self, jobs: &Jobs, out: &mut Effects) {
        loop {
            let free = |(job, resource): &&(JobId, ResourceId)| {
                self.is_boosted[resource.index()] && self.blocker(*job, *resource, jobs).is_none()
            };
            let base = |job: JobId| jobs.get(job).base;
            let higher =
                |a: &(JobId, ResourceId), b: &(JobId, ResourceId)| base(b.0).is_higher_than(base(a.0));
            let best =
                self.waiting.iter().filter(free).copied().reduce(|a, b| if higher(&a, &b) { b } else { a });
            let Some((job, resource)) = best else { return };
            self.waiting.retain(|(waiting, _)| *waiting != job);
            self.holders.take(job, resource, 1);
            out.push(Effect::Grant(job, resource));
        }
    }
}

/// As urgent as `base` among the boosted.
fn boosted(base: Priority) -> Priority {
    Priority::in_band(Band::Boosted, base.point(), base.tie())
}

impl LockProtocol for Pcp {
    fn request(
        &mut self,
        _: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        if self.is_boosted[resource.index()] {
            out.push(Effect::SetPriority(job, boosted(jobs.get(job).base)));
            if jobs.get(job).cluster != self.site[resource.index()] {
                // It asks once it runs there: those that have been woken there and are more urgent ask before.
                out.push(Effect::Retry(job));
                return Request::Suspend;
            }
        }
        match self.blocker(job, resource, jobs) {
            None => {
                self.holders.take(job, resource, units);
                Request::Granted
            }
            Some(holder) => {
                self.waiting.push((job, resource));
                out.push(Effect::Inherit { holder, from: job });
                Request::Suspend
            }
        }
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
        self.holders.give(job, resource, units);
        if !self.waiting.is_empty() || self.is_boosted[resource.index()] {
            out.push(Effect::Restore(job));
            self.wake(jobs, out);
        }
    }

    fn note(&mut self, _: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        if let Event::Aborted(job) = event {
            self.waiting.retain(|(waiting, _)| *waiting != job);
            self.holders.forget(job);
            self.wake(jobs, out);
        }
    }
}
