//! The partitioned OMLP: one job of each processor contends for global resources at a time.
//!
//! B. B. Brandenburg and J. H. Anderson, "Optimality results for multiprocessor real-time locking", RTSS 2010, section 5.
//! Each processor has a contention token. A job that asks for a resource needs the token of its processor first; with
//! the token it waits for the resource, first come, first served, and gives the token up with the resource. The token
//! goes to the most urgent pending job only: a less urgent one that asked while that was suspended would else delay it
//! again, and the paper's bound is one delay on arrival. The holder of a resource is more urgent than all other jobs of its processor.
//! Resources that nest have one lock.
//!
//! C has the token of P0 and waits for R0 until 4, then holds it. A asks for the free R1 at 3, but the token is not there:
//!
//! ```text
//! P0  C.A.CCAA..   A is granted R1 at 6
//! P1  DDDD......
//! ```

use crate::effects::{Effect, Effects};
use crate::lock_error::LockError;
use crate::mutexes::Mutexes;
use crate::queued::{Queued, Rules, Turn};
use crate::registry::{Ceilings, GrantOrder, Nesting, Preemption, Protocol, Reach, Waiting};
use crate::setup::LockSetup;
use crate::wait_queue::Fifo;
use crate::{LockProtocol, Request};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{ClusterId, Event, Instant, JobId, Jobs, ResourceId};

/// "omlp-partitioned" in the list of protocols.
pub(crate) const OMLP_PARTITIONED: Protocol = Protocol {
    name: "omlp-partitioned",
    summary: "partitioned OMLP: contention tokens, boosting (Brandenburg, Anderson 2010)",
    waiting: Waiting::Suspends,
    reach: Reach::Partitioned,
    ceilings: Ceilings::None,
    grants: GrantOrder::FifoThenBase,
    preemption: Preemption::Boosted,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    make: |setup| Ok(Box::new(PartitionedOmlp::new(setup)?)),
};

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
    /// By cluster: who has its token.
    token: Vec<Option<JobId>>,
    /// By task: how deep its job's requests nest.
    depth: Vec<u32>,
    /// By task: what its job asks for as soon as it has the token.
    wanted: Vec<Option<ResourceId>>,
    line: Queued<Boosted>,
}

impl PartitionedOmlp {
    /// Needs partitions, resources of one unit, and no suspension in sections.
    pub fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_partitions("the partitioned OMLP")?;
        let tasks = setup.tasks.len();
        Ok(PartitionedOmlp {
            token: vec![None; setup.platform.clusters.len()],
            depth: vec![0; tasks],
            wanted: vec![None; tasks],
            line: Queued::nesting(Boosted, Fifo, setup, "the partitioned OMLP")?,
        })
    }

    /// Takes the token of `cluster` if it is free, for the most urgent pending job if that wants it.
    fn take_token(&mut self, cluster: ClusterId, jobs: &Jobs) -> Option<(JobId, ResourceId)> {
        let token = &mut self.token[cluster.index()];
        let here = jobs.live().filter(|job| job.cluster == cluster);
        let first = here.reduce(|a, b| if b.base.is_higher_than(a.base) { b } else { a })?.id;
        let wanted = token.is_none().then(|| self.wanted[first.slot()].take())??;
        *token = Some(first);
        Some((first, wanted))
    }

    /// The token, if it is free, goes to the most urgent job, if that waits for it, who gets in line.
    fn pass_on(&mut self, cluster: ClusterId, now: Instant, jobs: &Jobs, out: &mut Effects) {
        if let Some((next, wanted)) = self.take_token(cluster, jobs) {
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
        self.depth[job.slot()] += 1;
        if self.depth[job.slot()] == 1 {
            self.wanted[job.slot()] = Some(resource);
            if self.take_token(jobs.get(job).cluster, jobs).is_none() {
                return Request::Suspend;
            }
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
            let cluster = jobs.get(job).cluster;
            self.token[cluster.index()] = None;
            self.pass_on(cluster, now, jobs, out);
        }
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs, out: &mut Effects) {
        self.line.note(now, event, jobs, out);
        if let Event::Completed(job) | Event::Aborted(job) = event {
            let cluster = jobs.get(job).cluster;
            self.depth[job.slot()] = 0;
            self.wanted[job.slot()] = None;
            self.token[cluster.index()].take_if(|holder| *holder == job);
            self.pass_on(cluster, now, jobs, out);
        }
    }
}
