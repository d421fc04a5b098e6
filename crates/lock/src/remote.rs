//! Requests that execute on another processor: the jobs that issue them move there and back.

use crate::effects::{Effect, Effects};
use crate::lock_error::LockError;
use crate::setup::LockSetup;
use crate::{LockProtocol, Request};
use alloc::vec::Vec;
use schedlab_model::{ClusterId, Event, Instant, JobId, Jobs, ResourceId};

/// Each resource belongs to one processor, where `P` decides among those that move there. The paper's *agent* is the
/// job itself while it is away: it neither executes at home nor can anything else of its task.
#[derive(Clone, Debug)]
pub struct Remote<P> {
    /// By resource.
    site: Vec<ClusterId>,
    at_site: P,
}

impl<P> Remote<P> {
    /// Needs partitions and global resources without nesting, and no suspension in sections.
    pub(crate) fn of(at_site: P, setup: &LockSetup<'_>, name: &'static str) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_partitions(name)?;
        setup.demand_flat_globals(&usage, &setup.local(&usage), name)?;
        setup.demand_no_suspension(&usage, name)?;
        Ok(Remote { site: setup.sites(&usage), at_site })
    }
}

impl<P: LockProtocol> LockProtocol for Remote<P> {
    fn request(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        let site = self.site[resource.index()];
        if jobs.get(job).cluster != site {
            out.push(Effect::Move(job, site));
        }
        self.at_site.request(now, job, resource, units, jobs, out)
    }

    fn release(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) {
        self.at_site.release(now, job, resource, units, jobs, out);
        go_home(job, jobs, out);
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        self.at_site.note(now, event, jobs, out);
        if let Event::Aborted(job) = event {
            go_home(job, jobs, out);
        }
    }
}

/// `job` runs where its task belongs.
pub(crate) fn go_home(job: JobId, jobs: &Jobs, out: &mut Effects) {
    let home = jobs.task(job.task).cluster;
    if jobs.get(job).cluster != home {
        out.push(Effect::Move(job, home));
    }
}
