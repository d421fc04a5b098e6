//! PIP: the priority inheritance protocol, nested and transitive.
//!
//! L. Sha, R. Rajkumar and J. P. Lehoczky, "Priority inheritance protocols: an approach to real-time
//! synchronization", IEEE Transactions on Computers 39(9), 1990, section III. A job that holds a resource is as urgent
//! as the most urgent job that waits for it. No middling job delays a holder, but a job can wait once for each
//! resource (chained blocking), and crossed nested requests deadlock.
//!
//! C holds the resource when A asks for it at 3; from then on C goes before B, which arrives at 4:
//!
//! ```text
//! P0  CCACCAABBC   C holds during [1, 5), A during [5, 6)
//! ```
//!
//! In the model, a request for a free resource takes O(1), and a request that waits O(w) for w waiting jobs. A
//! release takes O(r + w) for r resources, and each change of an inherited priority O(n) for n tasks. On one
//! processor, each less urgent job blocks a job by one outermost section at most, unless the job suspends itself:
//! O(n).

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Reply, Turn,
    Waiting,
};
use crate::shared::mutexes::Mutexes;
use crate::shared::queued::{Queued, Rules};
use crate::shared::wait_queue::{ByPriority, Discipline};
use alloc::boxed::Box;
use core::marker::PhantomData;
use schedlab_model::{JobId, LockingClass};

/// Entry of "pip" in the list of protocols.
pub(crate) const PIP: Protocol = Protocol {
    name: "pip",
    summary: "priority inheritance (Sha, Rajkumar, Lehoczky 1990)",
    waiting: Waiting::Suspends,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::ByEffective,
    preemption: Preemption::Inherited,
    nesting: Nesting::Any,
    several_units: false,
    deadlock_free: false,
    blocks_once: false,
    class: LockingClass::Inheritance,
    on_linux: OnLinux::Inherit,
    make: |setup| Ok(Box::new(Pip::new(setup)?)),
};

/// Suspension and inheritance; `D` is the order in which waiting jobs are served.
#[derive(Clone, Copy, Debug)]
pub struct Inheriting<D>(PhantomData<D>);

impl<D> Inheriting<D> {
    /// The only value of these rules.
    pub const RULE: Self = Inheriting(PhantomData);
}

impl<D: Discipline> Rules for Inheriting<D> {
    type Order = D;
    const WAITING: Reply = Reply::Suspend;

    fn waits(&mut self, job: JobId, mutex: usize, mutexes: &Mutexes<D>, turn: &mut Turn<'_>) {
        turn.inherit(mutexes.holder(mutex).expect("it is not free"), job);
    }

    fn holds(&mut self, job: JobId, mutex: usize, mutexes: &Mutexes<D>, turn: &mut Turn<'_>) {
        mutexes.inherit_from_waiters(job, mutex, turn);
    }

    fn releases(&mut self, job: JobId, mutex: usize, mutexes: &Mutexes<D>, turn: &mut Turn<'_>) {
        if mutexes.waiters(mutex).next().is_some() {
            turn.restore(job);
            for other in mutexes.held_by(job).filter(|other| *other != mutex) {
                mutexes.inherit_from_waiters(job, other, turn);
            }
        }
    }
}

/// Priority inheritance, a mutex for each resource.
pub(crate) type Pip = Queued<Inheriting<ByPriority>>;

impl Pip {
    /// Refuses resources of several units.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.usage()?;
        setup.demand_single_units("PIP")?;
        Ok(Queued::single(Inheriting::RULE, setup))
    }
}
