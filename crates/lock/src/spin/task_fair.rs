//! Task-fair mutexes: first come, first served, spinning, and never preempted from the request to the release.
//!
//! J. M. Mellor-Crummey and M. L. Scott, "Algorithms for scalable synchronization on shared-memory multiprocessors",
//! ACM TOCS 9(1), 1991 (the ticket lock); B. B. Brandenburg and J. H. Anderson, "Spin-based reader-writer
//! synchronization for multiprocessor real-time systems", Real-Time Systems 46(1), 2010, section 2, for what it gives
//! to real-time systems: since no spinning job is preempted, at most one job of every other processor goes first.
//!
//! A holds the resource from 0 on, B asks at 1 and C at 2, although C is more urgent than B:
//!
//! ```text
//! P0  AAAA......
//! P1  .bbbBB....   lower case: spins
//! P2  ..ccccCC..
//! ```
//!
//! In the model, a request for a free resource takes O(1), a request that waits O(w) for w waiting jobs, and a
//! release O(w). A request waits for O(m) sections on m processors.

use crate::contract::{
    Ceilings, GrantOrder, LockError, LockSetup, Nesting, OnLinux, Preemption, Protocol, Reach, Reply, Turn,
    Waiting,
};
use crate::shared::mutexes::Mutexes;
use crate::shared::queued::{Queued, Rules};
use crate::shared::wait_queue::{Discipline, Fifo};
use alloc::boxed::Box;
use core::marker::PhantomData;
use schedlab_model::{JobId, LockingClass};

/// Entry of "task-fair" in the list of protocols.
pub(crate) const TASK_FAIR: Protocol = Protocol {
    name: "task-fair",
    summary: "FIFO spinning, not preempted: ticket and queue locks (Mellor-Crummey, Scott 1991)",
    waiting: Waiting::Spins,
    reach: Reach::Any,
    ceilings: Ceilings::None,
    grants: GrantOrder::Fifo,
    preemption: Preemption::Never,
    nesting: Nesting::Never,
    several_units: false,
    deadlock_free: true,
    blocks_once: false,
    class: LockingClass::TaskFair,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(TaskFair::new(setup)?)),
};

/// Lets jobs spin without being preempted from the request to the release. `D` is the order in which they are served.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spinning<D = Fifo>(PhantomData<D>);

impl<D: Discipline> Rules for Spinning<D> {
    type Order = D;
    const WAITING: Reply = Reply::Spin;
    const TAKES_FREE: bool = true;

    fn asks(&mut self, job: JobId, _: usize, turn: &mut Turn<'_>) {
        turn.set_preemptable(job, false);
    }

    fn releases(&mut self, job: JobId, _: usize, _: &Mutexes<D>, turn: &mut Turn<'_>) {
        turn.set_preemptable(job, true);
    }
}

/// A ticket lock for each resource.
pub(crate) type TaskFair = Queued<Spinning>;

impl TaskFair {
    /// Needs resources of one unit, no nesting, and no suspension in sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        setup.demand_flat("task-fair spinning")?;
        Ok(Queued::single(Spinning::default(), setup))
    }
}
