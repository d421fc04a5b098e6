//! The schedule decides which job gets a resource, as dependency-aware schedulers need (R. K. Clark, "Scheduling
//! dependent real-time activities", CMU-CS-90-155, 1990).
//!
//! A job that asks for what another one holds waits. At the release all that wait for it may go on: the one that runs
//! first asks again and gets it, the others wait again once they run. Nothing is inherited and there is no queue. At
//! each release the scheduler decides anew, also for jobs that may ask and have not run since they were allowed to. A
//! job that is given up while it waits withdraws its request, so that a deadlock ends with it. By itself the protocol
//! avoids none.
//!
//! By fixed priorities, A before B before C:
//!
//! ```text
//! P0  CBCCCCAABB   C holds R0 during [0, 6). B asked at 2 and A at 3; A runs first at 6, and gets it.
//! ```
//!
//! In the model, a request takes O(w + h) for w waiting jobs and h held sections, and a release O(w h). The
//! scheduler decides how long a job waits, so no bound holds for every scheduler.

use crate::contract::{
    Ceilings, Effect, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Reply,
    Section, Turn, Waiting,
};
use crate::shared::denying::{Denial, Denied, Denying, LockTable};
use alloc::boxed::Box;
use alloc::vec::Vec;
use schedlab_model::{Event, Jobs, LockingClass, ResourceId};

const NAME: &str = "by-schedule";

/// Entry of "by-schedule" in the list of protocols.
pub(crate) const BY_SCHEDULE: Protocol = Protocol {
    name: NAME,
    summary:
        "of the jobs that wait, the one that the scheduler runs first: what P-DASA, G-GUA and NG-GUA need",
    waiting: Waiting::Suspends,
    reach: Reach::Any,
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
#[derive(Clone, Debug)]
struct Held {
    /// Requests of jobs that may ask again, and have not run since.
    open: Vec<Section>,
}

impl Held {
    /// Opens the requests for what is free now, and has the schedulers of open ones decide anew.
    fn open(&mut self, is_free: impl Fn(ResourceId) -> bool, table: &LockTable, turn: &mut Turn<'_>) {
        let again = self.open.iter().filter(|wanted| is_free(wanted.resource));
        again.for_each(|wanted| turn.out.push(Effect::AskAgain(wanted.job)));
        self.open.extend(table.waiting.iter().filter(|wanted| is_free(wanted.resource)));
    }
}

impl Denial for Held {
    fn asks(&mut self, wanted: Section, _: &mut Turn<'_>) -> Option<Reply> {
        self.open.retain(|other| other.job != wanted.job);
        None
    }

    fn releases(&mut self, given: Section, table: &LockTable, turn: &mut Turn<'_>) {
        self.open(|resource| resource == given.resource, table, turn);
    }

    fn notes(&mut self, event: Event, table: &LockTable, turn: &mut Turn<'_>) {
        if let Event::Aborted(job) = event {
            self.open.retain(|other| other.job != job);
            self.open(|resource| table.holders.holder(resource).is_none(), table, turn);
        }
    }

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

/// Needs resources of one unit, and no suspension in sections: a holder can always go on, or waits for another one that
/// can.
fn made(setup: &LockSetup<'_>) -> Result<Denying<Held>, LockError> {
    let usage = setup.usage()?;
    setup.demand_single_units(NAME)?;
    setup.demand_no_suspension(&usage, NAME)?;
    let open = Vec::with_capacity(setup.tasks.len());
    Ok(Denying::under(Held { open }, setup, &usage))
}
