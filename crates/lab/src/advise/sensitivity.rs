//! Sensitivity: how far costs may grow before nothing proves the deadlines any more.
//!
//! The critical scaling factor multiplies all costs: the margin is by how much it makes them grow. A task's own
//! margin is added to its cost alone. Both are found by bisection over what the tests prove: the value found is
//! proved, one step more is not. A step is a ten-thousandth of all costs, or for a single task a 65,536th of the
//! difference between its cost and its relative deadline (a nanosecond, if that is more).
//!
//! Many tests prove some costs and not all smaller ones, so that a bisection may end on an island. For this reason,
//! values in between are tried, too, in [`SCAN`] equal steps from the costs as they are, if those are proved, or else
//! from nothing. If one is not proved, the search goes on below it, in the same way. Only if each processor alone is
//! scheduled preemptively, by EDF or fixed priorities, smaller costs are proved in any case.

use crate::prepare::prepared::Prepared;
use crate::prepare::supertasks::supertasks;
use schedlab_model::{Duration, OrderClass, Step, Suspension, Task, Work};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::fmt;

pub use crate::verdict::proof::is_proved;

/// A factor by which costs are multiplied, in ten-thousandths. A result holds it as a margin: the growth in percent,
/// negative where costs must shrink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Factor(
    #[serde(serialize_with = "as_growth")]
    #[schemars(with = "f64")]
    pub u32,
);

fn as_growth<S: Serializer>(factor: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(Factor(*factor).growth_percent())
}

impl Factor {
    /// The factor that leaves costs as they are.
    pub const ONE: Factor = Factor(10_000);
    /// The largest factor that a search tries.
    pub const LARGEST: Factor = Factor(160_000);

    /// Returns the growth of costs in percent, to a hundredth: -100 for a factor of zero.
    pub fn growth_percent(self) -> f64 {
        (f64::from(self.0) - f64::from(Self::ONE.0)) / 100.0
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 100, self.0 % 100) {
            (whole, 0) => write!(f, "{whole}%"),
            (whole, part) => write!(f, "{whole}.{part:02}%"),
        }
    }
}

/// Parts of a task's room between cost and relative deadline in which its margin is given.
const STEPS: u32 = 1 << 16;

/// Number of equal steps up to a result at which acceptance is checked.
pub const SCAN: u32 = 32;

/// Returns the largest factor by which all costs may be multiplied such that deadlines are still proved to be met.
/// Critical sections grow as well, best cases do not. Each factor tried on the way is proved, too: from 100 % on, if
/// that is proved, else from 0 on. Returns 0 if not even a ten-thousandth of the costs is accepted.
pub fn critical_scaling(prepared: &Prepared) -> Factor {
    critical_scaling_by(prepared, &is_proved)
}

/// Returns the largest factor by which all costs may be multiplied such that `accepts` accepts them, as
/// [`critical_scaling`] does with what is proved.
pub(crate) fn critical_scaling_by(prepared: &Prepared, accepts: &dyn Fn(&Prepared) -> bool) -> Factor {
    let Factor(found) = breakdown_by(prepared, accepts);
    let from = if found >= Factor::ONE.0 { Factor::ONE.0 } else { 0 };
    Factor(below_refused(prepared, from, found, |factor| accepts_factor(prepared, factor, accepts)))
}

/// True if some test proves all deadlines with all costs multiplied by `factor`.
pub(crate) fn is_proved_at(prepared: &Prepared, factor: Factor) -> bool {
    accepts_factor(prepared, factor.0, &is_proved)
}

/// Returns a factor with which deadlines are proved to be met, while they are not with the next larger one. Smaller
/// factors need not be accepted. Systems near the result are hard cases for tests.
pub fn breakdown(prepared: &Prepared) -> Factor {
    breakdown_by(prepared, &is_proved)
}

/// Returns a factor of costs that `accepts` accepts, while it does not accept the next larger one.
pub(crate) fn breakdown_by(prepared: &Prepared, accepts: &dyn Fn(&Prepared) -> bool) -> Factor {
    last_accepted(|factor| accepts_factor(prepared, factor.0, accepts))
}

/// Returns a factor that `accepts` accepts, while it does not accept the next larger one; 0 if it accepts none.
pub(crate) fn last_accepted(mut accepts: impl FnMut(Factor) -> bool) -> Factor {
    let (accepted, refused) = match accepts(Factor::ONE) {
        true if accepts(Factor::LARGEST) => return Factor::LARGEST,
        true => (Factor::ONE.0, Factor::LARGEST.0),
        // Most systems that fail do so for reasons that no cost changes.
        false if !accepts(Factor(1)) => return Factor(0),
        false => (1, Factor::ONE.0),
    };
    Factor(bisect(accepted, refused, |factor| accepts(Factor(factor))))
}

fn accepts_factor(prepared: &Prepared, factor: u32, accepts: &dyn Fn(&Prepared) -> bool) -> bool {
    let (above, below) = (u128::from(factor), u128::from(Factor::ONE.0));
    let tasks: Option<Vec<Task>> = prepared.tasks.iter().map(|task| scaled(task, above, below)).collect();
    tasks.is_some_and(|tasks| accepts(&with_tasks(prepared, tasks)))
}

/// Returns by task how much its cost alone may grow; each smaller growth that is tried is proved, too. `None` if the
/// deadlines are not proved without growth.
pub fn margins(prepared: &Prepared) -> Vec<Option<Duration>> {
    if !is_proved(prepared) {
        return vec![None; prepared.tasks.len()];
    }
    let margin = |index: usize| {
        let wcet = prepared.tasks[index].wcet.as_ns();
        let room = prepared.tasks[index].relative_deadline.as_ns().saturating_sub(wcet);
        let more = |steps: u32| (u128::from(room) * u128::from(steps) / u128::from(STEPS)) as u64;
        let accepts = |steps: u32| {
            let mut tasks = prepared.tasks.clone();
            let cost = u128::from(wcet) + u128::from(more(steps));
            let Some(task) = scaled(&tasks[index], cost, u128::from(wcet.max(1))) else { return false };
            tasks[index] = task;
            is_proved(&with_tasks(prepared, tasks))
        };
        let found = if accepts(STEPS) { STEPS } else { bisect(0, STEPS, accepts) };
        Some(Duration::from_ns(more(below_refused(prepared, 0, found, accepts))))
    };
    (0..prepared.tasks.len()).map(margin).collect()
}

/// Returns the largest value found, at most `found`, such that all equal steps to it from `from` on are accepted.
/// `found` is accepted; `from` need not be, if it is 0.
pub(crate) fn below_refused(
    prepared: &Prepared,
    from: u32,
    found: u32,
    accepts: impl Fn(u32) -> bool,
) -> u32 {
    if smaller_costs_are_proved(prepared) {
        return found;
    }
    let mut found = found;
    loop {
        let span = u64::from(found - from);
        let step = |number: u32| from + (span * u64::from(number) / u64::from(SCAN)) as u32;
        match (1..SCAN).find(|number| step(*number) > from && !accepts(step(*number))) {
            Some(number) => found = bisect(step(number - 1), step(number), &accepts),
            None => return found,
        }
    }
}

/// True if a proof is certain to hold with smaller costs: on each processor alone, preemptively, by EDF or fixed
/// priorities that do not depend on costs. S. Baruah and A. Burns, "Sustainable scheduling analysis", RTSS 2006, for
/// tests that are exact there.
fn smaller_costs_are_proved(prepared: &Prepared) -> bool {
    let does_not_move = |key: fn(&Task) -> u64| {
        prepared.tasks.iter().all(|task| key(task) == key(&Task { wcet: Work::ZERO, ..task.clone() }))
    };
    let keeps_its_order = match prepared.scheduler.class() {
        OrderClass::Deadline => true,
        OrderClass::Fixed(key) => does_not_move(key),
        OrderClass::FixedOpenTies(_)
        | OrderClass::AfterArrival(_)
        | OrderClass::Pfair { .. }
        | OrderClass::Theorem(_)
        | OrderClass::Unanalysed => false,
    };
    let is_simple = |task: &Task| task.suspension == Suspension::None && task.program.is_empty();
    keeps_its_order
        && prepared.scheduler.is_preemptive()
        && prepared.platform.clusters.iter().all(|cluster| cluster.cpus.len() == 1)
        && prepared.charged.overheads.are_none()
        && prepared.tasks.iter().all(is_simple)
}

/// Finds by bisection the largest accepted value between one that is accepted, or 0, and one that is refused.
pub(crate) fn bisect(accepted: u32, refused: u32, mut accepts: impl FnMut(u32) -> bool) -> u32 {
    let (mut low, mut high) = (accepted, refused);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match accepts(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// Returns the system with other tasks. Weights of supertasks are computed anew from their components.
pub(crate) fn with_tasks(prepared: &Prepared, tasks: Vec<Task>) -> Prepared {
    let mut changed = Prepared { tasks, ..prepared.clone() };
    if !prepared.supertasks.is_empty() {
        let Prepared { scenario, tasks, platform, scheduler, .. } = &changed;
        changed.supertasks = supertasks(scenario, tasks, platform, scheduler);
        changed.policy_tasks.clone_from(&changed.tasks);
    }
    changed
}

/// Multiplies the costs of a task by a fraction, rounded up; `None` beyond 62 bits.
pub(crate) fn scaled(task: &Task, numerator: u128, denominator: u128) -> Option<Task> {
    let scale = |work: Work| {
        let ns = (u128::from(work.as_ns()).checked_mul(numerator)?).div_ceil(denominator);
        u64::try_from(ns).ok().filter(|ns| *ns < 1 << 62).map(Work::from_ns)
    };
    let mut larger = Task { wcet: scale(task.wcet)?, bcet: task.bcet.min(scale(task.wcet)?), ..task.clone() };
    let mut executed = 0u64;
    for step in &mut larger.program {
        if let Step::Execute(work) = step {
            *work = scale(*work)?;
            executed = executed.checked_add(work.as_ns())?;
        }
    }
    if !larger.program.is_empty() {
        larger.wcet = Work::from_ns(executed);
    }
    Some(larger)
}
