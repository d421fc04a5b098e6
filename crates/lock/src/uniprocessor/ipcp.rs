//! IPCP: the immediate priority ceiling protocol, also called highest locker or ceiling priorities.
//!
//! B. W. Lampson and D. D. Redell, "Experience with processes and monitors in Mesa", Communications of the ACM 23(2),
//! 1980; the ceilings of Sha, Rajkumar and Lehoczky (1990). A job that holds a resource is at once as urgent as its
//! most urgent user, so on one processor no request is ever denied unless jobs suspend themselves.
//!
//! In the model, a request and a release take O(h) for h held sections. A job is blocked by one outermost section
//! at most, before it begins, unless it suspends itself.

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Section, Turn,
    Waiting,
};
use crate::shared::denying::{Denial, Denying, LockTable};
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::{JobId, LockingClass, Priority};

/// Entry of "ipcp" in the list of protocols.
pub(crate) const IPCP: Protocol = Protocol {
    name: "ipcp",
    summary: "immediate priority ceilings, or highest locker",
    waiting: Waiting::Never,
    reach: Reach::Local,
    ceilings: Ceilings::Priorities,
    grants: GrantOrder::None,
    preemption: Preemption::Ceiling,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: true,
    blocks_once: true,
    class: LockingClass::ImmediateCeilings,
    on_linux: OnLinux::Protect,
    make: |setup| Ok(Box::new(Ipcp::new(setup)?)),
};

/// Raises a holder to the resource's ceiling at once.
#[derive(Clone, Debug)]
pub struct Immediate {
    /// By resource: the priority of its most urgent user.
    ceiling: Vec<Option<Priority>>,
}

impl Immediate {
    /// Raises `job` to the highest ceiling of the resources that it holds.
    fn raise(&self, job: JobId, table: &LockTable, turn: &mut Turn<'_>) {
        let ceilings = table.holders.of(job).filter_map(|held| self.ceiling[held.resource.index()]);
        match ceilings.reduce(Priority::higher_of) {
            Some(ceiling) => turn.set_priority(job, ceiling.higher_of(turn.jobs.get(job).base)),
            None => turn.restore(job),
        }
    }
}

impl Denial for Immediate {
    fn holds(&mut self, wanted: Section, table: &LockTable, turn: &mut Turn<'_>) {
        self.raise(wanted.job, table, turn);
    }

    fn releases(&mut self, given: Section, table: &LockTable, turn: &mut Turn<'_>) {
        self.raise(given.job, table, turn);
    }
}

/// Immediate ceilings, each resource on one processor.
pub(crate) type Ipcp = Denying<Immediate>;

impl Ipcp {
    /// Needs fixed priorities, resources of one unit, each on one processor, and no suspension in sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_local(&usage, "IPCP")?;
        Self::for_locals(setup, "IPCP")
    }

    /// Makes the protocol for local resources, for a protocol that treats the others by itself.
    pub(crate) fn for_locals(setup: &LockSetup<'_>, protocol: &'static str) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_single_units(protocol)?;
        setup.demand_no_suspension(&usage, protocol)?;
        let ceiling = setup.priority_ceilings(&usage, protocol)?;
        Ok(Denying::under(Immediate { ceiling }, setup, &usage))
    }
}
