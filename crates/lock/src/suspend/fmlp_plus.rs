//! FMLP+: first come, first served, and holders go in the order in which they asked.
//!
//! B. B. Brandenburg, "Scheduling and locking in multiprocessor real-time operating systems", PhD thesis, University of
//! North Carolina, 2011, section 6.3.2 (partitioned scheduling). A job suspends itself until it is granted, first come,
//! first served. Who holds a resource is more urgent than every job outside of sections; of several holders on one
//! processor, the one whose request was issued first goes first. Resources that nest have one lock. The FMLP+ for
//! larger clusters boosts by other rules (restricted segment boosting), which are not here: such platforms are refused.
//!
//! B holds R1 and A, more urgent, then R0, on the same processor. B asked first, so B goes first:
//!
//! ```text
//! P0  ...BBAA...   B asks at 1 and waits for D; A asks at 2 and waits for C; both are granted at 3
//! P1  DDD.......
//! P2  CCC.......
//! ```
//!
//! In the model, a request for a free resource takes O(1), a request that waits O(w) for w waiting jobs, and a
//! release O(w). A request waits for one outermost section of each other task at most: O(n). Where suspensions are
//! analysed as such, no semaphore protocol has a bound of a lower order (Brandenburg 2011).

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Reply, Turn,
    Waiting,
};
use crate::shared::mutexes::Mutexes;
use crate::shared::queued::{Queued, Rules};
use crate::shared::wait_queue::Fifo;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Instant, JobId, LockingClass};

/// Entry of "fmlp+" in the list of protocols.
pub(crate) const FMLP_PLUS: Protocol = Protocol {
    name: "fmlp+",
    summary: "partitioned FMLP+: FIFO suspension, holders boosted in the order of their requests (Brandenburg 2011)",
    waiting: Waiting::Suspends,
    reach: Reach::Partitioned,
    ceilings: Ceilings::None,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Boosted,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::FmlpPlus,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(FmlpPlus::new(setup)?)),
};

/// Suspension; holders are boosted in the order of their requests.
#[derive(Clone, Debug)]
pub struct InOrderOfRequest {
    /// By task: the time at which its job issued its last outermost request.
    issued: Vec<Instant>,
}

impl InOrderOfRequest {
    /// Initial state, before any request.
    pub(crate) fn new(tasks: usize) -> Self {
        InOrderOfRequest { issued: vec![Instant::ZERO; tasks] }
    }
}

impl Rules for InOrderOfRequest {
    type Order = Fifo;
    const WAITING: Reply = Reply::Suspend;

    fn asks(&mut self, job: JobId, _: usize, turn: &mut Turn<'_>) {
        self.issued[job.task.index()] = turn.now;
    }

    fn holds(&mut self, job: JobId, _: usize, _: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        turn.boost(job, self.issued[job.task.index()].as_ns());
    }

    fn releases(&mut self, job: JobId, _: usize, _: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        turn.restore(job);
    }
}

/// The partitioned FMLP+.
pub(crate) type FmlpPlus = Queued<InOrderOfRequest>;

impl FmlpPlus {
    /// Needs partitions, resources of one unit, and no suspension in sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_partitions("the partitioned FMLP+")?;
        Queued::nesting(InOrderOfRequest::new(setup.tasks.len()), Fifo, setup, "the partitioned FMLP+")
    }
}
