//! Bounds on tardiness: by how much can deadlines be missed?

pub mod devi_anderson;
pub mod gel;
pub mod nonpreemptive;

use crate::exact::{compare, compare_sum, Fraction, Pair};
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::sides::Sides;
use crate::system::System;
use crate::verdict::{Bounds, Test, Verdict};
use num_traits::ToPrimitive;
use schedlab_model::Duration;

/// The tests of tardiness.
pub(crate) const TESTS: &[&Test] = &[&devi_anderson::TEST, &nonpreemptive::TEST, &gel::TEST];

/// Returns the verdict of `test` for jobs with implicit deadlines, whose tardiness is at most `x_of` plus their cost.
fn verdict(test: &Test, system: &System, x_of: fn(&[Pair], u32) -> Option<Fraction>) -> Verdict {
    let utilizations = system.pending_utilizations();
    if let Some(reason) = obstacle(system, &utilizations) {
        return test.unknown(reason);
    }
    let Some(x) = x_of(&utilizations, system.processors) else {
        return test.unknown(Reason::NoBound);
    };
    let reason = Reason::TardinessAtMost { x: Ns(x.ceiling()) };
    test.schedulable(reason, bounds(&x, &utilizations))
}

/// Returns the reason why tardiness is not known to be bounded, if there is one. Otherwise the processors are not
/// overloaded.
fn obstacle(system: &System, utilizations: &[Pair]) -> Option<Reason> {
    if system.needs_blocking() {
        return Some(Reason::SectionsNotCounted);
    }
    if !system.has_implicit_deadlines() {
        return Some(Reason::DeadlineNotPeriod);
    }
    unbounded(utilizations, system.processors).map(|unbounded| unbounded.reason(system, utilizations))
}

/// Reason why the formulas give no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unbounded {
    /// The cost of the task at this place is above its period: C > T.
    Task(usize),
    /// The utilization is above the number of processors: U > m.
    Load,
}

impl Unbounded {
    fn reason(self, system: &System, utilizations: &[Pair]) -> Reason {
        system.with_delays(match self {
            Unbounded::Task(task) => {
                let (cost, period) = utilizations[task];
                Reason::BeyondPeriodAlone { task: system.tasks[task].id, needs: Ns(cost), period: Ns(period) }
            }
            Unbounded::Load => {
                Reason::Utilization(Sides::of_processors(utilizations.to_vec(), system.processors, false))
            }
        })
    }
}

/// Returns the reason why the formulas give no bound, if there is one.
fn unbounded(utilizations: &[Pair], processors: u32) -> Option<Unbounded> {
    if let Some(task) = utilizations.iter().position(|&(cost, period)| cost > period) {
        return Some(Unbounded::Task(task));
    }
    compare_sum(utilizations, u64::from(processors)).is_gt().then_some(Unbounded::Load)
}

/// The sum of the `count` largest costs (or of all, if there are fewer).
fn largest_costs(utilizations: &[Pair], count: usize) -> u128 {
    let mut costs: Vec<u64> = utilizations.iter().map(|pair| pair.0).collect();
    costs.sort_unstable_by(|a, b| b.cmp(a));
    costs.iter().take(count).map(|&cost| u128::from(cost)).sum()
}

/// The sum of the `count` largest utilizations (or of all, if there are fewer).
fn largest_utilizations(utilizations: &[Pair], count: usize) -> Fraction {
    let mut falling = utilizations.to_vec();
    falling.sort_unstable_by(|a, b| compare(*b, *a));
    falling.truncate(count);
    Fraction::sum(&falling)
}

/// (costs - least cost) / (m - utilizations), or 0 if that is negative.
fn x(costs: u128, utilizations: &[Pair], processors: u32, busy: &Fraction) -> Fraction {
    let least = utilizations.iter().map(|pair| pair.0).min().unwrap_or(0);
    let spare = Fraction::integer(processors).minus(busy);
    Fraction::integer(costs.saturating_sub(u128::from(least))).over(&spare)
}

/// Tardiness of task i: x + C_i, rounded up.
fn bounds(x: &Fraction, utilizations: &[Pair]) -> Bounds {
    let whole = x.ceiling();
    let of = |&(cost, _): &Pair| (&whole + cost).to_u64().map(Duration::from_ns);
    Bounds::Tardiness(utilizations.iter().map(of).collect())
}
