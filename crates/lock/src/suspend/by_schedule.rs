//! The schedule decides which job gets a resource, as dependency-aware schedulers need (R. K. Clark, "Scheduling
//! dependent real-time activities", CMU-CS-90-155, 1990).
//!
//! A job that asks for what another one holds waits. At the release all that wait for it may go on: the one that runs
//! first asks again and gets it, the others wait again. Nothing is inherited and there is no queue. A job that is given
//! up while it waits withdraws its request, so that a deadlock ends with it. By itself the protocol avoids none.
//!
//! By fixed priorities, A before B before C:
//!
//! ```text
//! P0  CBCCCCAABB   C holds R0 during [0, 6). B asked at 2 and A at 3; A runs first at 6, and gets it.
//! ```

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Section,
    Waiting,
};
use crate::shared::denying::{Denial, Denied, Denying, LockTable};
use alloc::boxed::Box;
use schedlab_model::{Jobs, LockingClass, ResourceId};

const NAME: &str = "by-schedule";

/// Entry of "by-schedule" in the list of protocols.
pub(crate) const BY_SCHEDULE: Protocol = Protocol {
    name: NAME,
    summary: "of the jobs that wait, the one that the scheduler runs first: what P-DASA needs",
    waiting: Waiting::Suspends,
    reach: Reach::Local,
    ceilings: Ceilings::None,
    grants: GrantOrder::BySchedule,
    preemption: Preemption::Any,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: false,
    blocks_once: false,
    class: LockingClass::Unanalysed,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(made(setup)?)),
};

/// Denies a request while another job holds the resource.
#[derive(Clone, Copy, Debug)]
struct Held;

impl Denial for Held {
    fn denies(&self, wanted: Section, table: &LockTable, _: &Jobs) -> Option<Denied> {
        table.holders.holder(wanted.resource).map(|_| Denied::Plainly)
    }

    fn is_handed_over(&self, _: ResourceId) -> bool {
        false
    }

    fn withdraws(&self) -> bool {
        true
    }
}

/// Needs resources of one unit that the jobs of one processor share, and no suspension in sections: a holder can always
/// go on, or waits for another one that can.
fn made(setup: &LockSetup<'_>) -> Result<Denying<Held>, LockError> {
    let usage = setup.usage()?;
    setup.demand_local(&usage, NAME)?;
    setup.demand_single_units(NAME)?;
    setup.demand_no_suspension(&usage, NAME)?;
    Ok(Denying::under(Held, setup, &usage))
}
