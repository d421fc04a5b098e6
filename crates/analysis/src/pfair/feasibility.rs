//! Are all deadlines met under Pfair scheduling?
//!
//! Baruah et al. 1996, Theorem 1, for weights of costs rounded up to quanta and periods rounded down; see
//! [`super`] for what is added to the windows. The refutation counts quanta: a job takes ceil(C/Q) whole quanta
//! once per period, whatever the order, so if sum(ceil(C/Q) Q / T) is above m, with the periods as they are, or
//! one task needs more quanta than its period has room for, unfinished work piles up. Between the two, where only
//! rounded periods are too short, the scheduler refuses the tasks and nothing is proved.

use super::{obstacle, response_time, shares, Share};
use crate::assumption::Assumption;
use crate::exact::compare_sum;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::sides::Sides;
use crate::system::{Quanta, System};
use crate::verdict::{Bounds, Guarantee, Test, Verdict};
use schedlab_model::Duration;

/// Assumptions on which windows within whole quanta rest.
pub(super) const ASSUMPTIONS: &[Assumption] = &[
    Assumption::Pfair,
    Assumption::CostsInQuanta,
    Assumption::TimesInQuanta,
    Assumption::WaitsForQuantum,
    Assumption::NoOverheads,
];

/// Entry of this test in the registry, for all orders, aligned or staggered quanta, with early release or not.
pub static TEST: Test = Test {
    name: "pfair",
    guarantee: Guarantee::Hard,
    exact: true,
    assumptions: ASSUMPTIONS,
    source: "Baruah et al., Algorithmica 15(6), 1996; Srinivasan and Anderson, STOC 2002; Anderson and Srinivasan, \
             RTCSA 2000",
    cost: "O(n)",
    applies: |system| system.quanta().is_some(),
    run,
};

fn run(system: &System) -> Verdict {
    let (bounds, fit) = match bounds(system, &TEST) {
        Ok(bounds) => bounds,
        Err(verdict) => return *verdict,
    };
    let late = system
        .tasks
        .iter()
        .zip(&bounds)
        .find(|(task, bound)| bound.is_none_or(|bound| bound.as_ns() > task.relative_deadline));
    match late {
        None => TEST.schedulable(fit, Bounds::ResponseTime(bounds)),
        Some((task, _)) => {
            let reason = Reason::LateByPartOfQuantum { task: task.id, advice: Box::new(advice(system)) };
            TEST.unknown_with(reason, Bounds::ResponseTime(bounds))
        }
    }
}

/// Returns bounds on the response times of tasks whose subtasks run within their windows, with the reason why they do;
/// or the verdict of `test` if they may not.
pub(super) fn bounds(system: &System, test: &Test) -> Result<(Vec<Option<Duration>>, Reason), Box<Verdict>> {
    let quanta = system.quanta().ok_or_else(|| Box::new(test.unknown(Reason::NotPfair)))?;
    if let Some(reason) = too_many_quanta(system, quanta) {
        return Err(Box::new(test.unschedulable(reason, Bounds::None)));
    }
    if let Some(reason) = obstacle(system) {
        return Err(Box::new(test.unknown(reason)));
    }
    let (shares, fit) = shares(system, quanta).map_err(|reason| Box::new(test.unknown(reason)))?;
    let tasks = system.tasks.iter().zip(&shares);
    Ok((tasks.map(|(task, &share)| response_time(task, share, system)).collect(), fit))
}

/// Returns a reason that says whether larger weights would help.
fn advice(system: &System) -> Reason {
    let guaranteed: Option<Vec<_>> =
        system.tasks.iter().map(|task| Share::guaranteed(task, system)).collect();
    match guaranteed.is_some_and(|shares| super::fits(&shares, system)) {
        true => Reason::GuaranteedFits,
        false => Reason::GuaranteedDoesNotFit,
    }
}

/// Returns the reason why whole quanta pile up, if they must.
fn too_many_quanta(system: &System, quanta: Quanta) -> Option<Reason> {
    let length = quanta.length.as_ns();
    if !system.goes_on() || length == 0 {
        return None;
    }
    let whole = |cost: u64| cost.div_ceil(length).checked_mul(length);
    let mut rates = Vec::with_capacity(system.tasks.len());
    for task in &system.tasks {
        let taken = whole(task.cost)?;
        if taken > task.period {
            let (taken, period) = (Ns(taken), Ns(task.period));
            return Some(Reason::QuantaBeyondPeriod { task: task.id, taken, period });
        }
        rates.push((taken, task.period));
    }
    let above = compare_sum(&rates, u64::from(system.processors)).is_gt();
    above.then(|| Reason::QuantaBeyondProcessors(Sides::of_processors(rates, system.processors, false)))
}
