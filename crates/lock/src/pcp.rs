//! PCP: the priority ceiling protocol.
//!
//! L. Sha, R. Rajkumar and J. P. Lehoczky, "Priority inheritance protocols: an approach to real-time
//! synchronization", IEEE Transactions on Computers 39(9), 1990, section IV. A job is granted a request only if its
//! priority is above the ceilings of all resources that others hold; else it waits for the holder of the one with
//! the highest ceiling, which inherits from it. On one processor a job waits at most once, and nothing deadlocks.

use crate::effects::{Effect, Effects};
use crate::holders::{Held, Holders};
use crate::lock_error::LockError;
use crate::setup::LockSetup;
use crate::{LockProtocol, Request};
use alloc::vec::Vec;
use schedlab_model::{Event, Instant, JobId, Jobs, Priority, ResourceId};

/// Priority ceilings on one processor.
#[derive(Clone, Debug)]
pub struct Pcp {
    /// By resource: the priority of its most urgent user.
    ceiling: Vec<Option<Priority>>,
    holders: Holders,
    waiting: Vec<(JobId, ResourceId)>,
}

impl Pcp {
    /// Needs fixed priorities, resources of one unit, and each resource on one processor.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units("PCP")?;
        setup.demand_partitions("PCP")?;
        setup.demand_local(&usage, "PCP")?;
        let ceiling = setup.priority_ceilings(&usage, "PCP")?;
        Ok(Pcp {
            ceiling,
            holders: Holders::new(setup.resources, usage.requests),
            waiting: Vec::with_capacity(setup.tasks.len()),
        })
    }

    /// Whom `job` has to wait for before it may have `resource`: who holds what has the highest ceiling.
    fn blocker(&self, job: JobId, resource: ResourceId, jobs: &Jobs) -> Option<JobId> {
        let cluster = jobs.get(job).cluster;
        let by_others =
            self.holders.iter().filter(|held| held.job != job && jobs.get(held.job).cluster == cluster);
        let ceiling = |held: &Held| self.ceiling[held.resource.index()].expect("it has a user");
        let highest = by_others.reduce(|a, b| if ceiling(&b).is_higher_than(ceiling(&a)) { b } else { a });
        match highest {
            Some(held) if !jobs.get(job).effective.is_higher_than(ceiling(&held)) => Some(held.job),
            _ => self.holders.holder(resource),
        }
    }

    /// Who need not wait any longer asks again once it runs; the others may have a new one to wait for.
    ///
    /// Granting at once what they asked for would let a less urgent one of them block a more urgent job that
    /// runs before it.
    fn wake(&mut self, jobs: &Jobs, out: &mut Effects) {
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
        if !self.waiting.is_empty() {
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
