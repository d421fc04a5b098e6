//! What a scenario's locking protocol promises of every trace: what it says of itself, where this scenario lets it.

use crate::prepare::prepared::Prepared;
use schedlab_model::{Invariant, Step};
use schedlab_policy::Make;

/// The promises of the protocol, on a machine without overheads.
pub(crate) fn of_protocol(prepared: &Prepared) -> Vec<Invariant> {
    // Protocols know jobs whose priority is fixed, so nothing is said of them under Pfair schedulers.
    match prepared.scheduler.make {
        Make::Clustered { .. } if !prepared.resources.is_empty() => {
            prepared.protocol.promises(nothing_else_blocks(prepared))
        }
        Make::Clustered { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => Vec::new(),
    }
}

/// True if jobs wait for less urgent ones because of the protocol only.
fn nothing_else_blocks(prepared: &Prepared) -> bool {
    let preemptive = matches!(prepared.scheduler.make, Make::Clustered { preemptive: true, .. });
    let no_other = |step: &Step| !matches!(step, Step::NpEnter | Step::Suspend(_));
    let tasks = &prepared.tasks;
    preemptive
        && tasks.iter().all(|task| task.suspension_bound().is_zero() && task.program.iter().all(no_other))
}
