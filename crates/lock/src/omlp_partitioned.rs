//! The partitioned OMLP: one job of each processor contends for global resources at a time.
//!
//! B. B. Brandenburg and J. H. Anderson, "Optimality results for multiprocessor real-time locking", RTSS 2010, section 5.
//! Each processor has a contention token. A job that asks for a resource needs the token of its processor first,
//! the most urgent that waits for it gets it next; with the token it waits for the resource, first come, first served, and
//! gives the token up with the resource. The holder of a resource is more urgent than all other jobs of its processor.
//! Resources that nest have one lock.
//!
//! C has the token of P0 and waits for R0 until 4, then holds it. A asks for the free R1 at 1, but the token is not there:
//!
//! ```text
//! P0  CA..CCAA..   A is granted R1 at 6
//! P1  DDDD......
//! ```

use crate::effects::{Effect, Effects};
use crate::lock_error::LockError;
use crate::mutexes::Mutexes;
use crate::queued::{Queued, Rules, Turn};
use crate::setup::LockSetup;
use crate::wait_queue::{ByBase, Fifo};
use crate::{LockProtocol, Request};
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, Instant, JobId, Jobs, ResourceId};

/// Suspension; holders are boosted.
#[derive(Clone, Copy, Debug)]
pub struct Boosted;

impl Rules for Boosted {
    type Order = Fifo;
    const WAITING: Request = Request::Suspend;

    fn holds(&mut self, job: JobId, _: usize, _: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        turn.boost(job, 0);
    }

    fn releases(&mut self, job: JobId, _: usize, _: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        turn.restore(job);
    }
}

/// Contention tokens before first come, first served.
#[derive(Clone, Debug)]
pub struct PartitionedOmlp {
    /// By cluster.
    tokens: Mutexes<ByBase>,
    /// By task: how deep its job's requests nest.
    depth: Vec<u32>,
    /// By task: what its job will ask for with the token.
    wanted: Vec<ResourceId>,
    line: Queued<Boosted>,
}

impl PartitionedOmlp {
    /// Needs partitions, resources of one unit, and no suspension in sections.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_partitions("the partitioned OMLP")?;
        let tasks = setup.tasks.len();
        Ok(PartitionedOmlp {
            tokens: Mutexes::new(setup.platform.clusters.len(), tasks),
            depth: vec![0; tasks],
            wanted: vec![ResourceId(0); tasks],
            line: Queued::nesting(Boosted, Fifo, setup, "the partitioned OMLP")?,
        })
    }

    /// The token goes to the next, who gets in line.
    fn pass_on(&mut self, token: usize, now: Instant, jobs: &Jobs, out: &mut Effects) {
        if let Some(next) = self.tokens.hand_over(token, jobs) {
            let wanted = self.wanted[next.slot()];
            if self.line.request(now, next, wanted, 1, jobs, out) == Request::Granted {
                out.push(Effect::Grant(next, wanted));
            }
        }
    }
}

impl LockProtocol for PartitionedOmlp {
    fn request(
        &mut self,
        now: Instant,
        job: JobId,
        resource: ResourceId,
        units: u32,
        jobs: &Jobs,
        out: &mut Effects,
    ) -> Request {
        let token = jobs.get(job).cluster.index();
        self.depth[job.slot()] += 1;
        if self.depth[job.slot()] == 1 && !self.tokens.try_take(token, job) {
            self.wanted[job.slot()] = resource;
            self.tokens.wait(token, job);
            return Request::Suspend;
        }
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
            self.pass_on(jobs.get(job).cluster.index(), now, jobs, out);
        }
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        self.line.note(now, event, jobs, out);
        if let Event::Aborted(job) = event {
            self.depth[job.slot()] = 0;
            self.tokens.withdraw(job, jobs);
            for token in 0..self.tokens.len() {
                if self.tokens.holder(token) == Some(job) {
                    self.pass_on(token, now, jobs, out);
                }
            }
        }
    }
}
