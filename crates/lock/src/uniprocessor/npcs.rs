//! NPCS: non-preemptive critical sections.
//!
//! A. K. Mok, "Fundamental design problems of distributed systems for the hard-real-time environment", PhD thesis,
//! MIT, 1983. A job that holds a resource is not preempted, so on one processor no request is ever denied.
//!
//! In the model, a request takes O(1), and a release O(h) for h held sections. A job is blocked by one section at
//! most, before it begins, unless it suspends itself.

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Section, Turn,
    Waiting,
};
use crate::shared::denying::{Denial, Denying, LockTable};
use alloc::boxed::Box;
use schedlab_model::LockingClass;

/// Entry of "npcs" in the list of protocols.
pub(crate) const NPCS: Protocol = Protocol {
    name: "npcs",
    summary: "non-preemptive critical sections",
    waiting: Waiting::Never,
    reach: Reach::Local,
    ceilings: Ceilings::None,
    grants: GrantOrder::None,
    preemption: Preemption::Never,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: true,
    class: LockingClass::NonPreemptive,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Npcs::new(setup)?)),
};

/// Keeps holders from being preempted.
#[derive(Clone, Copy, Debug)]
pub struct Unpreempted;

impl Denial for Unpreempted {
    fn holds(&mut self, wanted: Section, _: &LockTable, turn: &mut Turn<'_>) {
        turn.set_preemptable(wanted.job, false);
    }

    fn releases(&mut self, given: Section, _: &LockTable, turn: &mut Turn<'_>) {
        turn.set_preemptable(given.job, true);
    }
}

/// Non-preemptive sections, each resource on one processor.
pub(crate) type Npcs = Denying<Unpreempted>;

impl Npcs {
    /// Needs each resource on one processor, and no suspension in sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units("NPCS")?;
        setup.demand_local(&usage, "NPCS")?;
        setup.demand_no_suspension(&usage, "NPCS")?;
        Ok(Denying::under(Unpreempted, setup, &usage))
    }
}
