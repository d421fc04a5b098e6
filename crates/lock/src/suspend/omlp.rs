//! The global OMLP: the O(m) locking protocol for globally scheduled jobs.
//!
//! B. B. Brandenburg and J. H. Anderson, "Optimality results for multiprocessor real-time locking", RTSS 2010,
//! section 4. On m processors, m jobs stand in line for each resource, its holder included, first come, first served. A
//! job that finds the line full waits in a queue by priority, out of which one job joins the line whenever one leaves
//! it. The holder inherits from all that wait. Resources that nest have one lock, as in the FMLP.
//!
//! On two processors A holds the resource and E is in line when D, C and B ask, in that order. E is served next since
//! it is in line; then B and C, by priority, and D last, since B and C were more urgent each time that a job left:
//!
//! ```text
//! P0  AAAAA....................   they ask in the order A, E, D, C, B
//! P1  .....EEEEEBBBBBCCCCCDDDDD
//! ```
//!
//! In the model, a request for a free resource takes O(1), and a request that waits O(w) for w waiting jobs. A
//! release takes O(r + w) for r resources, and each change of an inherited priority O(n) for n tasks. A request
//! delays its job for O(m) sections if suspensions are analysed as execution; no protocol has a bound of a lower
//! order then (Brandenburg and Anderson 2010).

use super::pip::Inheriting;
use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Waiting,
};
use crate::shared::queued::Queued;
use crate::shared::wait_queue::{ByBase, Discipline};
use alloc::boxed::Box;
use schedlab_model::{JobId, Jobs, LockingClass};

/// Entry of "omlp" in the list of protocols.
pub(crate) const OMLP: Protocol = Protocol {
    name: "omlp",
    summary: "global OMLP: short FIFO lines filled up by priority, inheritance (Brandenburg, Anderson 2010)",
    waiting: Waiting::Suspends,
    reach: Reach::Global,
    ceilings: Ceilings::None,
    grants: GrantOrder::FifoThenBase,
    preemption: Preemption::Inherited,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::Omlp,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Omlp::new(setup)?)),
};

/// A line of `room` waiters, first come, first served, filled up by priority.
#[derive(Clone, Copy, Debug)]
pub struct ShortLine {
    room: usize,
}

impl Discipline for ShortLine {
    fn first(&self, waiting: &[JobId], jobs: &Jobs) -> Option<usize> {
        match self.room {
            0 => ByBase.first(waiting, jobs),
            _ => (!waiting.is_empty()).then_some(0),
        }
    }

    fn close_gap(&self, gone: usize, waiting: &mut [JobId], jobs: &Jobs) {
        if gone < self.room && waiting.len() >= self.room {
            let last = self.room - 1;
            let next = ByBase.first(&waiting[last..], jobs).expect("it is not empty");
            waiting[last..=last + next].rotate_right(1);
        }
    }
}

/// Inheritance, short lines, group locks.
pub(crate) type Omlp = Queued<Inheriting<ShortLine>>;

impl Omlp {
    /// Needs one cluster, resources of one unit, and no suspension in sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_one_cluster("the OMLP")?;
        let room = usize::from(setup.platform.processors()) - 1;
        Queued::nesting(Inheriting::RULE, ShortLine { room }, setup, "the OMLP")
    }
}
