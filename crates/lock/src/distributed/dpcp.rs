//! DPCP: the distributed priority ceiling protocol.
//!
//! R. Rajkumar, L. Sha and J. P. Lehoczky, "Real-time synchronization protocols for multiprocessors", RTSS 1988. A
//! resource with users on several processors belongs to one of them, its synchronization processor (here that of its
//! number, counted round, whether that processor has tasks or not). A job's request for it executes there, more urgent
//! than every job outside of such requests, and the priority ceiling protocol decides among those of one processor. The
//! resources of one processor follow the same protocol there, without the boost.
//!
//! C's request for R0 executes on P0, and so does that of A. B, on P0, is delayed by both:
//!
//! ```text
//! P0  BCCAAABBB.   C holds R0 during [1, 3), A during [3, 6)
//! P1  C..CC.....   A arrives at 2; C is back at 3
//! P2  ......A...
//! ```
//!
//! In the model, a request takes O(h) for h held sections. A release takes O(w h) for w waiting jobs, once more for
//! each job that it lets go on.

use super::remote::Remote;
use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Waiting,
};
use crate::uniprocessor::pcp::Pcp;
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::LockingClass;

/// Entry of "dpcp" in the list of protocols.
pub(crate) const DPCP: Protocol = Protocol {
    name: "dpcp",
    summary:
        "distributed priority ceilings: agents on each resource's processor (Rajkumar, Sha, Lehoczky 1988)",
    waiting: Waiting::Suspends,
    reach: Reach::Partitioned,
    ceilings: Ceilings::Priorities,
    grants: GrantOrder::ByEffective,
    preemption: Preemption::Boosted,
    nesting: Nesting::Local,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::Dpcp,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Dpcp::new(setup)?)),
};

/// Applies priority ceilings on each resource's processor.
pub(crate) type Dpcp = Remote<Pcp>;

impl Dpcp {
    /// Needs partitions, fixed priorities, resources of one unit, global ones without nesting, and no suspension in
    /// sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let is_local = setup.local(&setup.usage()?);
        let is_global: Vec<bool> = is_local.into_iter().map(|is_local| !is_local).collect();
        Remote::of(Pcp::with_boosted(setup, is_global, "DPCP")?, setup, "DPCP")
    }
}
