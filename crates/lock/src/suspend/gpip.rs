//! The global priority inheritance protocol: PIP under global fixed priorities.
//!
//! A. Easwaran and B. Andersson, "Resource sharing in global fixed-priority preemptive multiprocessor scheduling", RTSS
//! 2009. A job suspends itself until it is granted, the most urgent first; the holder inherits from those that wait.
//! Their analysis is for requests that do not nest, and so is this.
//!
//! On two processors C inherits from A, which waits for it from 2 on, so that B and D, more urgent than C and there
//! from 3 on, cannot both keep it from running:
//!
//! ```text
//! P0  CCCCAADDDD   A is granted at 4
//! P1  ...BBBBBB.
//! ```
//!
//! In the model, a request for a free resource takes O(1), and a request that waits O(w) for w waiting jobs. A
//! release takes O(r + w) for r resources, and each change of an inherited priority O(n) for n tasks.

use super::pip::Inheriting;
use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Waiting,
};
use crate::shared::queued::Queued;
use crate::shared::wait_queue::ByPriority;
use alloc::boxed::Box;
use schedlab_model::LockingClass;

/// Entry of "gpip" in the list of protocols.
pub(crate) const GPIP: Protocol = Protocol {
    name: "gpip",
    summary: "global priority inheritance (Easwaran, Andersson 2009)",
    waiting: Waiting::Suspends,
    reach: Reach::Global,
    ceilings: Ceilings::Priorities,
    grants: GrantOrder::ByEffective,
    preemption: Preemption::Inherited,
    nesting: Nesting::Never,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::GlobalInheritance,
    on_linux: OnLinux::Inherit,
    make: |setup| Ok(Box::new(GlobalPip::new(setup)?)),
};

/// Inheritance under global scheduling.
#[derive(Debug)]
pub(crate) struct GlobalPip;

impl GlobalPip {
    /// Needs one cluster, fixed priorities, resources of one unit, no nesting, and no suspension in sections.
    #[allow(clippy::new_ret_no_self, reason = "it is PIP, for which more is asked")]
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Queued<Inheriting<ByPriority>>, LockError> {
        setup.demand_one_cluster("the global PIP")?;
        setup.fixed_priorities("the global PIP")?;
        setup.demand_flat("the global PIP")?;
        Ok(Queued::single(Inheriting::RULE, setup))
    }
}
