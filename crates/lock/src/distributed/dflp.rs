//! DFLP: the distributed FIFO locking protocol.
//!
//! B. B. Brandenburg, "Improved analysis and evaluation of real-time semaphore protocols for P-FP scheduling", RTAS
//! 2013. As under the DPCP, each resource belongs to one processor, on which all requests for it execute; but they are
//! served first come, first served, and of several requests on one processor the one issued first goes first, as
//! under the FMLP+.
//!
//! B's request for R0 and A's for R2 both execute on P0, B's first, though A is more urgent:
//!
//! ```text
//! P0  .BBBAA....   B asks at 1 and A at 2
//! P1  B...B.....
//! P2  AA....A...
//! ```
//!
//! In the model, a request for a free resource takes O(1), a request that waits O(w) for w waiting jobs, and a
//! release O(w). A request waits for one section of each other task at most before it is granted: O(n).

use super::remote::Remote;
use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Waiting,
};
use crate::shared::queued::Queued;
use crate::suspend::fmlp_plus::InOrderOfRequest;
use alloc::boxed::Box;
use schedlab_model::LockingClass;

/// Entry of "dflp" in the list of protocols.
pub(crate) const DFLP: Protocol = Protocol {
    name: "dflp",
    summary: "distributed FIFO locking: agents, first come, first served (Brandenburg 2013)",
    waiting: Waiting::Suspends,
    reach: Reach::Partitioned,
    ceilings: Ceilings::None,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Boosted,
    nesting: Nesting::Never,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::Dflp,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Dflp::new(setup)?)),
};

/// Serves requests first come, first served, on each resource's processor.
pub(crate) type Dflp = Remote<Queued<InOrderOfRequest>>;

impl Dflp {
    /// Needs partitions, resources of one unit without nesting, and no suspension in sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_flat("the DFLP")?;
        let queues = Queued::single(InOrderOfRequest::new(setup.tasks.len()), setup);
        Remote::of(queues, setup, "the DFLP")
    }
}
