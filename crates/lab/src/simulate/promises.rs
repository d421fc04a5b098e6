//! What a scenario's locking protocol promises of every trace, by what the list of protocols says of it.

use crate::prepare::prepared::Prepared;
use schedlab_lock::{Ceilings, GrantOrder, Preemption, Reach, Waiting};
use schedlab_model::{Invariant, Step};
use schedlab_policy::Make;

/// The promises of the protocol, on a machine without overheads.
pub fn of_protocol(prepared: &Prepared) -> Vec<Invariant> {
    let protocol = &prepared.protocol;
    // Zones and the like promise for themselves: their waiters follow the quanta. The others know jobs whose priority
    // is fixed, so nothing is said of them under Pfair schedulers.
    let fixed = matches!(prepared.scheduler.make, Make::Clustered { .. });
    if prepared.resources.is_empty() || protocol.ceilings == Ceilings::Quanta || !fixed {
        return Vec::new();
    }
    let mut promises = Vec::new();
    match protocol.grants {
        GrantOrder::Fifo => promises.push(Invariant::GrantsAreFifo),
        GrantOrder::ByBase => promises.push(Invariant::GrantsByBasePriority),
        GrantOrder::ByEffective => promises.push(Invariant::GrantsByPriority),
        GrantOrder::None | GrantOrder::FifoThenBase | GrantOrder::FifoOnceAdmitted | GrantOrder::Phases => {}
        // Who has a processor when, traces show, but no invariant asks.
        GrantOrder::FifoOfScheduled | GrantOrder::ByBaseOfScheduled | GrantOrder::Any => {}
    }
    if protocol.waiting == Waiting::Never {
        promises.push(Invariant::RequestsAreNeverDenied);
    }
    if protocol.deadlock_free {
        promises.push(Invariant::NoDeadlock);
    }
    // Where local resources are treated apart, their holders can be preempted.
    if protocol.preemption == Preemption::Never && protocol.reach != Reach::Partitioned {
        promises.push(Invariant::HoldersAreNotPreempted);
    }
    if protocol.blocks_once && nothing_else_blocks(prepared) {
        promises.push(Invariant::BlockedAtMostOnce);
    }
    promises
}

/// True if jobs wait for less urgent ones because of the protocol only.
fn nothing_else_blocks(prepared: &Prepared) -> bool {
    let preemptive = matches!(prepared.scheduler.make, Make::Clustered { preemptive: true, .. });
    let no_other = |step: &Step| !matches!(step, Step::NpEnter | Step::Suspend(_));
    let tasks = &prepared.tasks;
    preemptive
        && tasks.iter().all(|task| task.suspension_bound().is_zero() && task.program.iter().all(no_other))
}
