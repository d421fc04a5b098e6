//! The clustered OMLP: first come, first served, with priority donation.
//!
//! B. B. Brandenburg and J. H. Anderson, "Real-time resource-sharing under clustered scheduling: mutex, reader-writer,
//! and k-exclusion locks", EMSOFT 2011, section 4.1; for clusters of any size, one processor and all of them included.
//! A job suspends itself until it is granted, first come, first served; while it waits or holds, it is among the most
//! urgent of its cluster, if need be by another's priority (see [`Donations`]). Resources that nest have one lock.
//!
//! B holds the resource when A, more urgent, arrives at 1 on its only processor, so A donates and waits for B's section
//! though it does not use the resource. C, who waits for B meanwhile, is on another processor:
//!
//! ```text
//! P0  BBBAAB....   B holds during [0, 3)
//! P1  .C.CC.....   C asks at 2 and holds during [3, 5)
//! ```
//!
//! In the model, a request takes O(n + w) for n tasks and w waiting jobs. The release and the end of a job, and the
//! end of an outermost section, take O(n^2), since donors are found by comparing all jobs of the cluster. A request
//! delays its job for O(m) sections on m processors if suspensions are analysed as execution, and donation delays
//! each job once for as many (Brandenburg and Anderson 2011).

use super::donation::Donations;
use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Reply, Turn,
    Waiting,
};
use crate::shared::admitted::{Admission, Admitted};
use crate::shared::queued::{Queued, Rules};
use crate::shared::wait_queue::Fifo;
use alloc::boxed::Box;
use schedlab_model::{Event, JobId, Jobs, LockingClass};

/// Entry of "omlp-clustered" in the list of protocols.
pub(crate) const OMLP_CLUSTERED: Protocol = Protocol {
    name: "omlp-clustered",
    summary: "clustered OMLP: FIFO with priority donation (Brandenburg, Anderson 2011)",
    waiting: Waiting::Suspends,
    reach: Reach::Any,
    ceilings: Ceilings::Jobs,
    grants: GrantOrder::FifoOnceAdmitted,
    preemption: Preemption::Inherited,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::OmlpClustered,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(ClusteredOmlp::new(setup)?)),
};

/// Suspension, and nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspending;

impl Rules for Suspending {
    type Order = Fifo;
    const WAITING: Reply = Reply::Suspend;
}

/// Admission by rule D1 of donation.
impl Admission for Donations {
    fn may_ask(&self, job: JobId, jobs: &Jobs) -> bool {
        Donations::may_ask(self, job, jobs)
    }

    fn asks(&mut self, job: JobId, _: &Jobs) {
        self.ask(job);
    }

    fn completes(&mut self, job: JobId, turn: &mut Turn<'_>) {
        self.complete(job, turn);
    }

    fn notes(&mut self, event: Event, turn: &mut Turn<'_>) {
        match event {
            Event::Ready(job) => self.released(job, turn),
            Event::Resumed(job) => self.resumed(job, turn),
            Event::Completed(job) | Event::Aborted(job) => self.gone(job, turn),
            Event::Suspended(_)
            | Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }
}

/// Donation around first come, first served.
pub(crate) type ClusteredOmlp = Admitted<Donations, Suspending>;

impl ClusteredOmlp {
    /// Needs resources of one unit, no suspension in sections, and jobs whose own priorities stay, because the donor is
    /// chosen once, when a job is released.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_job_priorities("the clustered OMLP")?;
        let tasks = setup.tasks.len();
        let line = Queued::nesting(Suspending, Fifo, setup, "the clustered OMLP")?;
        Ok(Admitted::before(line, Donations::new(setup.platform, tasks), tasks))
    }
}
