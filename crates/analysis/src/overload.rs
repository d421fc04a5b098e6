//! Necessary conditions for any scheduler, as evidence against a system.
//!
//! A job cannot complete before it has been released, has suspended itself and has executed; m
//! processors cannot do more than m units of work in a unit of time, nor can one task use more than one
//! of them (S. Baruah, N. Cohen, C. Plaxton and D. Varvel, *Proportionate progress*, Algorithmica 15(6),
//! 1996: with implicit deadlines the latter two are also sufficient for some scheduler). Linear time.

use crate::assumption::Assumption;
use crate::exact::compare_sum;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::sides::Sides;
use crate::system::System;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};

const ASSUMPTIONS: &[Assumption] = &[Assumption::UnitSpeed, Assumption::AsBadAsStated];

/// Entry of this test in the registry: deadlines must be missed.
pub static HARD: Test = Test {
    name: "overload",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: ASSUMPTIONS,
    source: "Baruah et al., Algorithmica 15(6), 1996",
    cost: "O(n)",
    applies: |_| true,
    run: |system| {
        let late = |task: &&_| system.response_time_alone(task) > task.relative_deadline;
        match endless_growth(system) {
            Err(grows) => HARD.unschedulable(grows, Bounds::None),
            Ok(_) if !system.all_stay() => HARD.unknown(Reason::Leaves),
            Ok(within) => match system.tasks.iter().find(late) {
                Some(task) => {
                    let (needs, has) = (Ns(system.response_time_alone(task)), Ns(task.relative_deadline));
                    let reason = Reason::LateAlone { task: task.id, needs, has };
                    HARD.unschedulable(reason, Bounds::None)
                }
                None => HARD.unknown(within),
            },
        }
    },
};

/// Entry of this test in the registry: tardiness must grow.
pub static SOFT: Test = Test {
    name: "overload_soft",
    guarantee: Guarantee::Soft,
    exact: true,
    assumptions: ASSUMPTIONS,
    source: "Baruah et al., Algorithmica 15(6), 1996",
    cost: "O(n)",
    applies: |_| true,
    run: soft,
};

fn soft(system: &System) -> Verdict {
    match endless_growth(system) {
        Err(grows) => SOFT.unschedulable(grows, Bounds::None),
        Ok(within) => SOFT.unknown(within),
    }
}

/// Returns why unfinished work must pile up, as an error; or why it need not.
fn endless_growth(system: &System) -> Result<Reason, Reason> {
    if !system.goes_on() {
        return Ok(Reason::NoConditionViolated);
    }
    if let Some(task) = system.tasks.iter().find(|task| task.oblivious_cost() > task.period) {
        let (needs, period) = (Ns(task.oblivious_cost()), Ns(task.period));
        return Err(Reason::BeyondPeriodAlone { task: task.id, needs, period });
    }
    let utilizations: Vec<_> = system.tasks.iter().map(|task| (task.cost, task.period)).collect();
    let fits = compare_sum(&utilizations, u64::from(system.processors)).is_le();
    let sides = Sides::of_processors(utilizations, system.processors, fits);
    match fits {
        true => Ok(Reason::WithinProcessors(sides)),
        false => Err(Reason::Utilization(sides)),
    }
}
