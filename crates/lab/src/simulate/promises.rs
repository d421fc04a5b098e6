//! Promises of a scenario's locking protocol about every trace, as far as this scenario allows them.

use crate::prepare::prepared::Prepared;
use schedlab_model::{Invariant, Step};
use schedlab_policy::Make;

/// Returns the promises of the protocol on a machine without overheads.
pub(crate) fn of_protocol(prepared: &Prepared) -> Vec<Invariant> {
    // Protocols know only jobs with a fixed priority, so they promise nothing under Pfair schedulers.
    match prepared.scheduler.make {
        Make::Clustered { .. } if !prepared.resources.is_empty() => {
            prepared.protocol.promises(nothing_else_blocks(prepared))
        }
        Make::Clustered { .. }
        | Make::Pfair { .. }
        | Make::Utility(_)
        | Make::Other { .. }
        | Make::Kernel(_) => Vec::new(),
    }
}

/// True if only the protocol makes jobs wait for less urgent ones.
fn nothing_else_blocks(prepared: &Prepared) -> bool {
    let preemptive = matches!(prepared.scheduler.make, Make::Clustered { preemptive: true, .. });
    let no_other = |step: &Step| !matches!(step, Step::NpEnter | Step::Suspend(_));
    let tasks = &prepared.tasks;
    preemptive
        && tasks.iter().all(|task| task.suspension_bound().is_zero() && task.program.iter().all(no_other))
}
