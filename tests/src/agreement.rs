//! One random system, simulated: brute force gives the same schedule, and every invariant holds, with overheads too.

use crate::compare::{difference, schedule_of};
use crate::draw::{any, with_overheads, Scale};
use crate::source::Jobs;
use crate::system::System;
use crate::{brute, run};
use schedlab_report::invariants;

/// An error names what differs or which invariant is violated.
pub fn agrees(seed: u64, case: u64, scale: Scale) -> Result<(), String> {
    let system = any(seed, case, scale);
    keeps_invariants(&system)?;
    let by_hand = brute::schedule(&system, Jobs::new(&system));
    let simulated = schedule_of(&run::run(&system), system.platform.processors(), system.horizon);
    if let Some(difference) = difference(&simulated, &by_hand) {
        return Err(format!("brute force differs: {difference}\n{system}"));
    }
    keeps_invariants(&with_overheads(seed, case, scale))
}

fn keeps_invariants(system: &System) -> Result<(), String> {
    let verdict = invariants::check(&run::context(system), run::run(system).records);
    for outcome in &verdict.outcomes {
        if let Some(violation) = outcome.found.violations.first() {
            return Err(format!("violates {} {violation}\n{system}", outcome.invariant.name()));
        }
    }
    if verdict.ended && verdict.lost_at.is_none() {
        Ok(())
    } else {
        Err(format!("the trace is not whole\n{system}"))
    }
}
