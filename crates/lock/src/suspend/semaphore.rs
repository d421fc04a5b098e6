//! Plain counting semaphores: no protocol at all.
//!
//! Waiters suspend; the most urgent waiter is served first, ties by job id. Nothing is inherited, so a job can be
//! delayed without bound by less urgent ones (the Mars Pathfinder's inversion). Nested requests may deadlock.
//!
//! In the model, a request takes O(w) for w waiting jobs, and a release O(w^2) for each job that it lets go on.

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Section,
    Waiting,
};
use crate::shared::denying::{Denial, Denied, Denying, LockTable};
use alloc::boxed::Box;
use schedlab_model::{JobId, Jobs, LockingClass};

/// Entry of "none" in the list of protocols.
pub(crate) const SEMAPHORES: Protocol = Protocol {
    name: "none",
    summary: "plain semaphores, the most urgent waiter first: unbounded priority inversion",
    waiting: Waiting::Suspends,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::ByEffective,
    preemption: Preemption::Any,
    nesting: Nesting::Any,
    several_units: true,
    deadlock_free: false,
    blocks_once: false,
    class: LockingClass::Unanalysed,
    on_linux: OnLinux::Plain,
    make: |setup| Ok(Box::new(Semaphores::new(setup)?)),
};

/// Lets a request wait if there are too few units, or behind others.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

impl Denial for Counting {
    fn denies(&self, wanted: Section, table: &LockTable, jobs: &Jobs) -> Option<Denied> {
        let mut rivals = table.waiting.iter().filter(|other| other.resource == wanted.resource);
        let goes_first = match table.waiting.contains(&wanted) {
            false => rivals.next().is_none(),
            true => {
                let priority = |job: JobId| jobs.get(job).effective;
                !rivals.any(|other| priority(other.job).is_higher_than(priority(wanted.job)))
            }
        };
        let is_enough = wanted.units <= table.holders.free(wanted.resource);
        (!goes_first || !is_enough).then_some(Denied::Plainly)
    }
}

/// One counting semaphore per resource.
pub(crate) type Semaphores = Denying<Counting>;

impl Semaphores {
    /// Takes any system.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        Ok(Denying::under(Counting, setup, &setup.usage()?))
    }
}
