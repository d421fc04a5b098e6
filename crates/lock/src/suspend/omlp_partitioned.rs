//! The partitioned OMLP: one job of each processor contends for global resources at a time.
//!
//! B. B. Brandenburg and J. H. Anderson, "Optimality results for multiprocessor real-time locking", RTSS 2010, section
//! 5. Each processor has a contention token. A job that asks for a resource needs the token of its processor first;
//! with the token it waits for the resource, first come, first served, and gives the token up with the resource. The
//! token goes to the most urgent pending job only: a less urgent one that asked while that was suspended would else
//! delay it again, and the paper's bound is one delay on arrival. (In the paper's model jobs suspend themselves for
//! nothing else. Then a more urgent pending job that does not execute has the token or waits for it. So a job that asks
//! for a free token is the most urgent one anyway, and the rule changes nothing.) The holder of a resource is more
//! urgent than all other jobs of its processor. Resources that nest have one lock.
//!
//! C has the token of P0 and waits for R0 until 4, then holds it. A asks for the free R1 at 3, but the token is not
//! there:
//!
//! ```text
//! P0  C.A.CCAA..   A is granted R1 at 6
//! P1  DDDD......
//! ```
//!
//! In the model, a request takes O(n + w) for n tasks and w waiting jobs. The end of an outermost section and of a
//! job takes O(n^2), since each job without a token may then be the one that gets it. A request delays its job for
//! O(m) sections on m processors if suspensions are analysed as execution (Brandenburg and Anderson 2010).

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Reply, Turn,
    Waiting,
};
use crate::shared::admitted::{Admission, Admitted};
use crate::shared::mutexes::Mutexes;
use crate::shared::queued::{Queued, Rules};
use crate::shared::wait_queue::Fifo;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, JobId, Jobs, LockingClass};

/// Entry of "omlp-partitioned" in the list of protocols.
pub(crate) const OMLP_PARTITIONED: Protocol = Protocol {
    name: "omlp-partitioned",
    summary: "partitioned OMLP: contention tokens, boosting (Brandenburg, Anderson 2010)",
    waiting: Waiting::Suspends,
    reach: Reach::Partitioned,
    ceilings: Ceilings::None,
    grants: GrantOrder::FifoOnceAdmitted,
    preemption: Preemption::Boosted,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::OmlpPartitioned,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(PartitionedOmlp::new(setup)?)),
};

/// Suspension; holders are boosted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boosted;

impl Rules for Boosted {
    type Order = Fifo;
    const WAITING: Reply = Reply::Suspend;

    fn holds(&mut self, job: JobId, _: usize, _: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        turn.boost(job, 0);
    }

    fn releases(&mut self, job: JobId, _: usize, _: &Mutexes<Fifo>, turn: &mut Turn<'_>) {
        turn.restore(job);
    }
}

/// By cluster: the job that has its contention token.
#[derive(Clone, Debug)]
pub(crate) struct Tokens(Vec<Option<JobId>>);

impl Admission for Tokens {
    /// True if the token is free and no more urgent job is pending on the processor.
    fn may_ask(&self, job: JobId, jobs: &Jobs) -> bool {
        let entry = jobs.get(job);
        let mut here = jobs.live().filter(|other| other.cluster == entry.cluster);
        self.0[entry.cluster.index()].is_none() && !here.any(|other| other.base.is_higher_than(entry.base))
    }

    fn asks(&mut self, job: JobId, jobs: &Jobs) {
        self.0[jobs.get(job).cluster.index()] = Some(job);
    }

    fn completes(&mut self, job: JobId, turn: &mut Turn<'_>) {
        self.0[turn.jobs.get(job).cluster.index()].take_if(|holder| *holder == job);
    }

    fn notes(&mut self, event: Event, turn: &mut Turn<'_>) {
        if let Event::Completed(job) | Event::Aborted(job) = event {
            self.completes(job, turn);
        }
    }
}

/// Contention tokens before first come, first served.
pub(crate) type PartitionedOmlp = Admitted<Tokens, Boosted>;

impl PartitionedOmlp {
    /// Needs partitions, resources of one unit, and no suspension in sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_partitions("the partitioned OMLP")?;
        let line = Queued::nesting(Boosted, Fifo, setup, "the partitioned OMLP")?;
        let tokens = Tokens(vec![None; setup.platform.clusters.len()]);
        Ok(Admitted::before(line, tokens, setup.tasks.len()))
    }
}
