//! What no scheduler can do: necessary conditions, as evidence against a system.
//!
//! A job cannot complete before it has been released, has suspended itself and has executed; m
//! processors cannot do more than m units of work in a unit of time, nor can one task use more than one
//! of them (S. Baruah, N. Cohen, C. Plaxton and D. Varvel, *Proportionate progress*, Algorithmica 15(6),
//! 1996: with implicit deadlines the latter two are also sufficient for some scheduler). Linear time.

use crate::assumption::Assumption;
use crate::exact::compare_sum;
use crate::reason::Reason;
use crate::system::System;
use crate::verdict::{Bounds, Guarantee, Test, Verdict};

const ASSUMPTIONS: &[Assumption] = &[Assumption::UnitSpeed, Assumption::AsBadAsStated];

/// The registry's line: deadlines must be missed.
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
            Some(reason) => HARD.unschedulable(reason, Bounds::None),
            None if !system.all_stay() => HARD.unknown(Reason::Leaves),
            None => match system.tasks.iter().find(late) {
                Some(task) => {
                    let reason = Reason::LateEvenAlone(task.id);
                    HARD.unschedulable(reason, Bounds::None)
                }
                None => HARD.unknown(Reason::NoConditionViolated),
            },
        }
    },
};

/// The registry's line: tardiness must grow.
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
        Some(reason) => SOFT.unschedulable(reason, Bounds::None),
        None => SOFT.unknown(Reason::NoConditionViolated),
    }
}

/// Why unfinished work must pile up, if it must.
fn endless_growth(system: &System) -> Option<Reason> {
    if !system.goes_on() {
        return None;
    }
    if let Some(task) = system.tasks.iter().find(|task| task.oblivious_cost() > task.period) {
        return Some(Reason::BeyondPeriodAlone(task.id));
    }
    let utilizations: Vec<_> = system.tasks.iter().map(|task| (task.cost, task.period)).collect();
    let overloaded = compare_sum(&utilizations, u64::from(system.processors)).is_gt();
    overloaded.then_some(Reason::UtilizationAboveProcessors)
}
