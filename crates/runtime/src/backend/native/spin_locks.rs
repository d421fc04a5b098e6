//! Spin locks that the threads of a run take by themselves, where a scheduler in the kernel decides: one for each mutex
//! of the protocol, first come, first served.
//!
//! Whether such a lock is the protocol, [`SpinLocks::of`] reads from the facts that describe it.

use crate::machine::not_native::NotNative;
use schedlab_lab::Prepared;
use schedlab_lock::{
    Ceilings, GrantOrder, LockProtocol, Preemption, Protocol, Reach, Waiting, ALL_PROTOCOLS,
};
use schedlab_model::{ResourceId, Step};
use schedlab_objects::{QueueLock, Ticket, TicketLock};
use std::hint;
use std::thread;

/// The locks of a run.
#[derive(Debug, Default)]
pub(crate) struct SpinLocks {
    /// By resource: its mutex. None for resources for which no task asks.
    mutex_of: Vec<Option<usize>>,
    /// By mutex.
    locks: Vec<TicketLock>,
}

/// The reason why jobs do not simply spin in a queue under a protocol, without being preempted from the request to the
/// release; none if that is all they do.
fn other_rule(protocol: &Protocol) -> Option<&'static str> {
    match protocol.waiting {
        Waiting::Spins => {}
        Waiting::Suspends => return Some("jobs suspend themselves"),
        Waiting::Never => return Some("jobs never wait for a lock"),
    }
    match protocol.preemption {
        Preemption::Never => {}
        Preemption::Any | Preemption::Inherited | Preemption::Ceiling | Preemption::Boosted => {
            return Some("jobs can be preempted from the request to the release")
        }
        Preemption::NeverOnceHeld => return Some("jobs that spin can be preempted"),
    }
    match protocol.ceilings {
        Ceilings::None | Ceilings::Priorities | Ceilings::Levels | Ceilings::Jobs => {}
        Ceilings::Quanta => return Some("sections depend on quanta"),
    }
    // Where local resources are treated apart, only these may have several units.
    if protocol.several_units && protocol.reach != Reach::Partitioned {
        return Some("several jobs can hold a resource at once");
    }
    match protocol.grants {
        GrantOrder::Fifo => None,
        GrantOrder::None
        | GrantOrder::ByBase
        | GrantOrder::ByEffective
        | GrantOrder::FifoThenBase
        | GrantOrder::FifoOnceAdmitted
        | GrantOrder::FifoOfScheduled
        | GrantOrder::ByBaseOfScheduled
        | GrantOrder::Any
        | GrantOrder::BySchedule
        | GrantOrder::Phases => Some("jobs do not simply go first come, first served"),
    }
}

impl SpinLocks {
    /// The locks of a system, or why spinning alone does not follow its protocol, which is `made` for the system.
    pub(crate) fn of(prepared: &Prepared, made: &dyn LockProtocol) -> Result<SpinLocks, NotNative> {
        let protocol = prepared.protocol.name;
        if prepared.resources.is_empty() {
            return Ok(SpinLocks::default());
        }
        if let Some(because) = other_rule(&prepared.protocol) {
            let others = ALL_PROTOCOLS.iter().filter(|other| other_rule(other).is_none());
            let others = others.map(|other| other.name).collect();
            return Err(NotNative::Protocol { protocol, because, others });
        }
        let is_used = |wanted: ResourceId| {
            let asks = |step: &Step| matches!(step, Step::Request(asked, _) if *asked == wanted);
            prepared.tasks.iter().any(|task| task.program.iter().any(asks))
        };
        let mut mutex_of = Vec::new();
        for resource in (0..prepared.resources.len() as u32).map(ResourceId) {
            let mutex = made.free_mutex(resource);
            if mutex.is_none() && is_used(resource) {
                let resource = prepared.scenario.resources[resource.index()].name.clone();
                return Err(NotNative::Resource { protocol, resource });
            }
            mutex_of.push(mutex);
        }
        Ok(SpinLocks::new(mutex_of))
    }

    /// Free locks. `mutex_of` by resource.
    pub(crate) fn new(mutex_of: Vec<Option<usize>>) -> SpinLocks {
        let count = mutex_of.iter().flatten().max().map_or(0, |last| last + 1);
        SpinLocks { mutex_of, locks: (0..count).map(|_| TicketLock::new()).collect() }
    }

    /// The mutex of a resource, for which the program of a task asks.
    pub(crate) fn mutex_of(&self, resource: ResourceId) -> usize {
        self.mutex_of[resource.index()].expect("a resource for which no program asks is refused")
    }

    /// By resource: its mutex.
    pub(crate) fn mutexes(&self) -> &[Option<usize>] {
        &self.mutex_of
    }

    /// Joins the queue of a mutex.
    pub(crate) fn ask(&self, mutex: usize) -> Ticket {
        self.locks[mutex].enter()
    }

    /// Spins until the ticket's turn has come. Once the run `is_over`, other threads that wait or hold may have to
    /// execute on this processor first.
    pub(crate) fn wait(&self, mutex: usize, ticket: Ticket, is_over: impl Fn() -> bool) {
        while !self.locks[mutex].is_granted(ticket) {
            match is_over() {
                true => thread::yield_now(),
                false => hint::spin_loop(),
            }
        }
    }

    /// Gives the mutex to the next in its queue.
    ///
    /// # Safety
    ///
    /// The ticket was drawn from this mutex, was waited for, and is given back for the first time.
    pub(crate) unsafe fn leave(&self, mutex: usize, ticket: Ticket) {
        // SAFETY: as the caller says.
        unsafe { self.locks[mutex].leave(ticket) }
    }
}

#[cfg(test)]
mod tests;
