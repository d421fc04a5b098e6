//! MSRP: the multiprocessor stack resource policy.
//!
//! P. Gai, G. Lipari and M. Di Natale, "Minimizing memory utilization of real-time task sets in single and
//! multi-processor systems-on-a-chip", RTSS 2001. A job that requests a resource with users on several processors
//! spins without being preempted, first come, first served, and holds it without being preempted. The resources of
//! one processor follow the stack resource policy there. B and C share a resource; while B, at first, and then C hold
//! or spin for it, A has to wait:
//!
//! ```text
//! P0  BBAAAAB..   B holds during [0, 2); A, more urgent, arrives at 1
//! P1  CCCCC....   C spins during [0, 2) and holds during [2, 4)
//! ```
//!
//! In the model, a request for a free global resource takes O(1), a request that waits O(w) for w waiting jobs, and
//! a release O(w). Local resources cost as under the stack resource policy. A request for a global resource waits
//! for one section of each other processor at most: O(m) on m processors.

use super::task_fair::Spinning;
use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Waiting,
};
use crate::shared::queued::Queued;
use crate::shared::scoped::Scoped;
use crate::shared::wait_queue::{Discipline, Fifo};
use crate::uniprocessor::srp::Srp;
use alloc::boxed::Box;
use schedlab_model::LockingClass;

/// Entry of "msrp" in the list of protocols.
pub(crate) const MSRP: Protocol = Protocol {
    name: "msrp",
    summary: "multiprocessor stack resource policy: FIFO spinning (Gai, Lipari, Di Natale 2001)",
    waiting: Waiting::Spins,
    reach: Reach::Partitioned,
    ceilings: Ceilings::Levels,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Never,
    nesting: Nesting::Local,
    several_units: true,
    deadlock_free: true,
    blocks_once: true,
    class: LockingClass::Msrp,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(<Msrp>::new(setup)?)),
};

/// Spinning between processors, the stack resource policy within each. `D` is the order in which spinning jobs are
/// served.
pub(crate) type Msrp<D = Fifo> = Scoped<Srp, Queued<Spinning<D>>>;

impl<D: Discipline + Default> Msrp<D> {
    /// Needs partitions, preemption levels, global resources of one unit and without nesting, and no suspension in
    /// sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        Self::named("MSRP", setup)
    }

    /// Makes the protocol, called `name` in its errors.
    pub(crate) fn named(name: &'static str, setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let local = Srp::for_locals(setup, name)?;
        let rules = Spinning::<D>::default();
        Scoped::of(local, Queued::single(rules, setup), setup, name)
    }
}
