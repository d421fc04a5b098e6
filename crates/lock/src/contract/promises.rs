//! Invariants that a protocol promises of every trace, by the facts that describe it.

use super::facts::{Ceilings, GrantOrder, Preemption, Protocol, Reach, Waiting};
use alloc::vec::Vec;
use schedlab_model::Invariant;

impl Protocol {
    /// Returns the invariants that the protocol promises for jobs whose priority is fixed, on a machine without
    /// overheads. `is_alone` is true if jobs wait for less urgent ones only because of the protocol.
    pub fn promises(&self, is_alone: bool) -> Vec<Invariant> {
        let mut promises = Vec::new();
        // Zones and the like promise for themselves: their waiters follow the quanta.
        if self.ceilings == Ceilings::Quanta {
            return promises;
        }
        match self.grants {
            GrantOrder::Fifo => promises.push(Invariant::GrantsAreFifo),
            GrantOrder::ByBase => promises.push(Invariant::GrantsByBasePriority),
            GrantOrder::ByEffective => promises.push(Invariant::GrantsByPriority),
            GrantOrder::None
            | GrantOrder::FifoThenBase
            | GrantOrder::FifoOnceAdmitted
            | GrantOrder::Phases => {}
            // Who has a processor when, traces show, but no invariant asks.
            GrantOrder::FifoOfScheduled
            | GrantOrder::ByBaseOfScheduled
            | GrantOrder::Any
            | GrantOrder::BySchedule => {}
        }
        if self.waiting == Waiting::Never {
            promises.push(Invariant::RequestsAreNeverDenied);
        }
        if self.deadlock_free {
            promises.push(Invariant::NoDeadlock);
        }
        // Where local resources are treated apart, their holders can be preempted.
        if self.preemption == Preemption::Never && self.reach != Reach::Partitioned {
            promises.push(Invariant::HoldersAreNotPreempted);
        }
        if self.blocks_once && is_alone {
            promises.push(Invariant::BlockedAtMostOnce);
        }
        promises
    }
}
