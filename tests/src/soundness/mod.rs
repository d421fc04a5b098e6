//! Observed <= bound: what analyses promise of random systems, held against simulations of them.
//!
//! Each system aims at one test: its costs are scaled to where that test just accepts, the *breakdown*,
//! then a little down, or up, at random. All tests that apply judge it, and no verdict may be refuted by
//! what happens: no set that is called schedulable misses, no bound is exceeded. [`Power`] tells how
//! hard that was: only sets near the breakdown put a test to the test.

mod aim;
mod arrive;
mod base;
mod drawn;
mod judge;
mod many;
mod observe;
mod paths;
mod pfair;
mod power;
mod scenarios;
mod units;

pub use aim::{aim, Aim, Aimed, AIMS, ELSEWHERE};
pub use drawn::Drawn;
pub use judge::{verdicts, ClusterVerdict};
pub use many::{examine_many, Tally, Wrong};
pub use observe::Observed;
pub use pfair::{examine_pfair, examine_pfair_charged, has_overheads, Charge, PfairPower, PfairRow};
pub use power::{Power, Row};
pub use scenarios::{examine_scenario, locked_pairs, ScenarioPower, ScenarioRow};
pub use units::{examine_units, UnitPower};

use crate::compare::{difference, schedule_of};
use crate::source::Jobs;
use crate::system::System;
use crate::{brute, run};
use schedlab_model::Instant;
use schedlab_report::invariants::check;

/// Examines case `index` of `seed`: adds to `power`, or says what is wrong.
pub fn examine(seed: u64, index: u64, power: &mut Power) -> Result<(), String> {
    let aimed = aim(seed, index);
    let verdicts = verdicts(&aimed.system);
    hold(&aimed, &verdicts, power)?;
    power.add_drawn(&aimed, &verdicts);
    for other in aimed.other_patterns() {
        hold(&other, &verdicts, power)?;
    }
    beginning(&aimed.system).map_err(|what| format!("{what}\n{}", aimed.system))
}

/// Holds verdicts against one run of the system that they are about.
fn hold(aimed: &Aimed, verdicts: &[ClusterVerdict], power: &mut Power) -> Result<(), String> {
    let mut observed = Observed::new(&aimed.system);
    run::run_into(&aimed.system, &mut observed);
    power.runs += 1;
    for verdict in verdicts {
        power.add(aimed, verdict, &observed).map_err(|what| format!("{what}\n{}", aimed.system))?;
    }
    Ok(())
}

/// Invariants and brute force over the first jobs of `system`.
fn beginning(system: &System) -> Result<(), String> {
    let rate: f64 = system.tasks.iter().map(|task| 1.0 / task.period.as_ns() as f64).sum();
    let until = (100.0 / rate) as u64 + 1;
    let system = system.until(system.horizon.min(Instant::from_ns(until)));
    let timeline = run::run(&system);
    if brute::speaks_of(&system) {
        let simulated = schedule_of(&timeline, system.platform.processors(), system.horizon);
        let by_hand = brute::schedule(&system, Jobs::new(&system));
        if let Some(difference) = difference(&simulated, &by_hand) {
            return Err(format!("until {}: {difference}", system.horizon));
        }
    }
    let verdict = check(&run::context(&system), timeline.records);
    for outcome in &verdict.outcomes {
        if let Some(violation) = outcome.found.violations.first() {
            return Err(format!("until {}: {} {violation}", system.horizon, outcome.invariant.name()));
        }
    }
    Ok(())
}
