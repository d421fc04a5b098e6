//! The clustered OMLP: first come, first served, with priority donation.
//!
//! B. B. Brandenburg and J. H. Anderson, "Real-time resource-sharing under clustered scheduling: mutex, reader-writer, and
//! k-exclusion locks", EMSOFT 2011, section 4.1; for clusters of any size, one processor and all of them included. A
//! job suspends itself until it is granted, first come, first served; while it waits or holds, it is among the most
//! urgent of its cluster, if need be by another's priority (see [`Donations`]). Resources that nest have one lock.
//!
//! B holds the resource when A, more urgent, arrives at 1 on its only processor, so A donates and waits for B's section
//! though it does not use the resource. C, who waits for B meanwhile, is on another processor:
//!
//! ```text
//! P0  BBBAAB....   B holds during [0, 3)
//! P1  .C.CC.....   C asks at 2 and holds during [3, 5)
//! ```

use crate::donation::Donations;
use crate::effects::{Effect, Effects};
use crate::lock_error::LockError;
use crate::queued::{Queued, Rules};
use crate::registry::{Ceilings, GrantOrder, Nesting, Preemption, Protocol, Reach, Waiting};
use crate::setup::LockSetup;
use crate::wait_queue::Fifo;
use crate::{LockProtocol, Request};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, Instant, JobId, Jobs, ResourceId};

/// "omlp-clustered" in the list of protocols.
pub(crate) const OMLP_CLUSTERED: Protocol = Protocol {
    name: "omlp-clustered",
    summary: "clustered OMLP: FIFO with priority donation (Brandenburg, Anderson 2011)",
    waiting: Waiting::Suspends,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Inherited,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    make: |setup| Ok(Box::new(ClusteredOmlp::new(setup)?)),
};

/// Suspension, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Suspending;

impl Rules for Suspending {
    type Order = Fifo;
    const WAITING: Request = Request::Suspend;
}

/// Donation around first come, first served.
#[derive(Clone, Debug)]
pub struct ClusteredOmlp {
    donations: Donations,
    line: Queued<Suspending>,
    /// By task: how deep its job's requests nest.
    depth: Vec<u32>,
    /// By task: which of its jobs waits until it may ask.
    may_not_ask: Vec<Option<JobId>>,
}

impl ClusteredOmlp {
    /// Needs resources of one unit, and no suspension in sections.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let tasks = setup.tasks.len();
        Ok(ClusteredOmlp {
            donations: Donations::new(setup.platform, tasks),
            line: Queued::nesting(Suspending, Fifo, setup, "the clustered OMLP")?,
            depth: vec![0; tasks],
            may_not_ask: vec![None; tasks],
        })
    }

    /// Who may ask now tries again.
    fn let_ask(&mut self, jobs: &Jobs, out: &mut Effects) {
        for slot in 0..self.may_not_ask.len() {
            if let Some(job) = self.may_not_ask[slot].filter(|job| self.donations.may_ask(*job, jobs)) {
                self.may_not_ask[slot] = None;
                out.push(Effect::Retry(job));
            }
        }
    }
}

impl LockProtocol for ClusteredOmlp {
    fn request(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        if self.depth[job.slot()] == 0 {
            if !self.donations.may_ask(job, jobs) {
                self.may_not_ask[job.slot()] = Some(job);
                return Request::Suspend;
            }
            self.donations.ask(job);
        }
        self.depth[job.slot()] += 1;
        self.line.request(now, job, resource, units, jobs, out)
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
        self.line.release(now, job, resource, units, jobs, out);
        self.depth[job.slot()] -= 1;
        if self.depth[job.slot()] == 0 {
            self.donations.complete(job, jobs, out);
            self.let_ask(jobs, out);
        }
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        self.line.note(now, event, jobs, out);
        match event {
            Event::Ready(job) => {
                self.depth[job.slot()] = 0;
                self.may_not_ask[job.slot()] = None;
                self.donations.released(job, jobs, out);
            }
            Event::Resumed(job) => return self.donations.resumed(job, jobs, out),
            Event::Completed(job) | Event::Aborted(job) => {
                self.may_not_ask[job.slot()] = None;
                self.donations.gone(job, jobs, out);
            }
            _ => return,
        }
        self.let_ask(jobs, out);
    }
}
