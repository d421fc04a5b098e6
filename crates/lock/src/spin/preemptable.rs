//! Spin locks whose waiters can be preempted: FIFO, by priority and unordered.
//!
//! A. Wieder and B. B. Brandenburg, "On spin locks in AUTOSAR: blocking analysis of FIFO, unordered, and
//! priority-ordered spin locks", RTSS 2013. A job that spins is as urgent as ever. When it is preempted, its request is
//! withdrawn; when it has a processor again, it asks anew. So no job ever waits for one that is preempted: holders are
//! not. The resources of one processor follow the stack resource policy there.
//!
//! B and D wait for C's resource, in FIFO order. A preempts B at 2; when B is back at 4, it asks behind D, who is
//! served first:
//!
//! ```text
//! P0  .bAAbbbBB.   lower case: spins
//! P1  CCCCC.....
//! P2  ..dddDD...
//! ```
//!
//! In the model, a request for a free global resource takes O(1), a request that waits O(w) for w waiting jobs, and
//! a release O(w). Each preemption of a job that spins takes O(r + w) for r resources and the waiting jobs of all
//! of them. Each preemption may also cost the job its place, so that a bound has to count preemptions.

use super::msrp::MSRP;
use crate::contract::{
    Effect, GrantOrder, LockError, LockProtocol, LockSetup, Preemption, Protocol, Reply, Section, Turn,
};
use crate::shared::mutexes::Mutexes;
use crate::shared::scoped::Scoped;
use crate::shared::wait_queue::{ByBase, Discipline, Fifo, Newest};
use crate::uniprocessor::srp::Srp;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, JobId, LockingClass, ResourceId};

/// Entry of "spin-fifo-preemptable" in the list of protocols.
pub(crate) const FIFO: Protocol = Protocol {
    name: "spin-fifo-preemptable",
    summary: "FIFO spinning that can be preempted, and then asks anew (Wieder, Brandenburg 2013)",
    grants: GrantOrder::FifoOfScheduled,
    preemption: Preemption::NeverOnceHeld,
    class: LockingClass::SpinFifoPreemptable,
    make: |setup| Ok(Box::new(PreemptableSpin::<Fifo>::new(setup)?)),
    ..MSRP
};

/// Entry of "spin-priority-preemptable" in the list of protocols.
pub(crate) const PRIORITY: Protocol = Protocol {
    name: "spin-priority-preemptable",
    summary: "spinning that can be preempted, the most urgent first (Wieder, Brandenburg 2013)",
    grants: GrantOrder::ByBaseOfScheduled,
    class: LockingClass::SpinPriorityPreemptable,
    make: |setup| Ok(Box::new(PreemptableSpin::<ByBase>::new(setup)?)),
    ..FIFO
};

/// Entry of "spin-unordered-preemptable" in the list of protocols.
pub(crate) const UNORDERED: Protocol = Protocol {
    name: "spin-unordered-preemptable",
    summary: "spinning that can be preempted, in any order: the newest first (Wieder, Brandenburg 2013)",
    grants: GrantOrder::Any,
    class: LockingClass::SpinUnorderedPreemptable,
    make: |setup| Ok(Box::new(PreemptableSpin::<Newest>::new(setup)?)),
    ..FIFO
};

/// Spinning that can be preempted; `D` is the order in which jobs are served.
#[derive(Clone, Debug)]
pub(crate) struct PreemptableMutexes<D> {
    mutexes: Mutexes<D>,
    /// By task: the resource for which its job spins, whether it is preempted or not.
    wanted: Vec<Option<ResourceId>>,
}

/// Preemptable spinning between processors, the stack resource policy within each.
pub(crate) type PreemptableSpin<D> = Scoped<Srp, PreemptableMutexes<D>>;

impl<D: Discipline + Default> PreemptableSpin<D> {
    /// Needs partitions, preemption levels, global resources of one unit and without nesting, and no suspension in
    /// sections.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        const NAME: &str = "preemptable spinning";
        let (count, tasks) = (setup.resources.len(), setup.tasks.len());
        let global = PreemptableMutexes { mutexes: Mutexes::new(count, tasks), wanted: vec![None; tasks] };
        Scoped::of(Srp::for_locals(setup, NAME)?, global, setup, NAME)
    }
}

impl<D: Discipline> PreemptableMutexes<D> {
    /// Lets `job` hold the resource if it is free, and wait for it otherwise. True if the job holds it.
    fn ask(&mut self, job: JobId, resource: ResourceId, turn: &mut Turn<'_>) -> bool {
        let granted = self.mutexes.try_take(resource.index(), job);
        if granted {
            self.holds(job, turn);
        } else {
            self.wanted[job.task.index()] = Some(resource);
            self.mutexes.wait(resource.index(), job);
        }
        granted
    }

    fn holds(&mut self, job: JobId, turn: &mut Turn<'_>) {
        self.wanted[job.task.index()] = None;
        turn.set_preemptable(job, false);
    }

    /// Hands `mutex` over to the next job.
    fn hand_over(&mut self, mutex: usize, turn: &mut Turn<'_>) {
        if let Some(next) = self.mutexes.hand_over(mutex, turn.jobs) {
            self.holds(next, turn);
            turn.out.push(Effect::Grant(next, ResourceId(mutex as u32)));
        }
    }
}

impl<D: Discipline> LockProtocol for PreemptableMutexes<D> {
    fn request(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) -> Reply {
        match self.ask(job, resource, turn) {
            true => Reply::Granted,
            false => Reply::Spin,
        }
    }

    fn release(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) {
        turn.set_preemptable(job, true);
        self.hand_over(resource.index(), turn);
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        match event {
            Event::Undispatched { job, .. } if self.wanted[job.task.index()].is_some() => {
                self.mutexes.withdraw(job, turn.jobs);
            }
            Event::Dispatched { job, .. } => {
                if let Some(resource) = self.wanted[job.task.index()] {
                    if self.ask(job, resource, turn) {
                        turn.out.push(Effect::Grant(job, resource));
                    }
                }
            }
            Event::Aborted(job) => {
                self.wanted[job.task.index()] = None;
                self.mutexes.withdraw(job, turn.jobs);
                for mutex in 0..self.mutexes.len() {
                    if self.mutexes.holder(mutex) == Some(job) {
                        self.hand_over(mutex, turn);
                    }
                }
            }
            Event::Ready(_)
            | Event::Completed(_)
            | Event::Suspended(_)
            | Event::Resumed(_)
            | Event::PriorityChanged(_)
            | Event::Undispatched { .. }
            | Event::Timer(_)
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }
}
