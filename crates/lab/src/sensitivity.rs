//! How far costs may grow before nothing proves the deadlines any more.
//!
//! The critical scaling factor is that of all costs; a task's slack is how much its own cost alone may grow. Both are found by
//! bisection over what the tests prove: what is found is proved, a step more is not. A step is a ten-thousandth of all costs, or
//! for a single task a 65,536th of what lies between its cost and its relative deadline (a nanosecond, if that is more).

use crate::analysis::proves;
use crate::prepared::Prepared;
use schedlab_model::{Duration, Step, Task, Work};
use std::fmt;

/// A factor by which costs are multiplied, in ten-thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor(pub u32);

impl Factor {
    /// Costs as they are.
    pub const ONE: Factor = Factor(10_000);
    /// Nobody looks further.
    pub const LARGEST: Factor = Factor(160_000);

    /// In percent, to a hundredth.
    pub fn percent(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 100, self.0 % 100) {
            (whole, 0) => write!(f, "{whole} %"),
            (whole, part) => write!(f, "{whole}.{part:02} %"),
        }
    }
}

/// Parts of a task's room that its slack is told in.
const STEPS: u32 = 1 << 16;

/// True if some test proves all deadlines.
pub fn is_proved(prepared: &Prepared) -> bool {
    proves(prepared)
}

/// The largest factor by which all costs may be multiplied such that deadlines are still proved to be met; critical
/// sections grow as well, best cases do not. 0 if not even a ten-thousandth of the costs is accepted.
pub fn critical_scaling(prepared: &Prepared) -> Factor {
    let accepts = |factor: u32| {
        let (above, below) = (u128::from(factor), u128::from(Factor::ONE.0));
        let tasks: Option<Vec<Task>> = prepared.tasks.iter().map(|task| scaled(task, above, below)).collect();
        tasks.is_some_and(|tasks| is_proved(&with_tasks(prepared, tasks)))
    };
    Factor(match accepts(Factor::ONE.0) {
        true if accepts(Factor::LARGEST.0) => Factor::LARGEST.0,
        true => bisect(Factor::ONE.0, Factor::LARGEST.0, accepts),
        // Most that fail do so for reasons that no cost changes.
        false if !accepts(1) => 0,
        false => bisect(1, Factor::ONE.0, accepts),
    })
}

/// By task: how much its cost alone may grow; `None` if the deadlines are not proved as it is.
pub fn slacks(prepared: &Prepared) -> Vec<Option<Duration>> {
    if !is_proved(prepared) {
        return vec![None; prepared.tasks.len()];
    }
    let slack = |at: usize| {
        let wcet = prepared.tasks[at].wcet.as_ns();
        let room = prepared.tasks[at].relative_deadline.as_ns().saturating_sub(wcet);
        let more = |steps: u32| (u128::from(room) * u128::from(steps) / u128::from(STEPS)) as u64;
        let accepts = |steps: u32| {
            let mut tasks = prepared.tasks.clone();
            let cost = u128::from(wcet) + u128::from(more(steps));
            let Some(task) = scaled(&tasks[at], cost, u128::from(wcet.max(1))) else { return false };
            tasks[at] = task;
            is_proved(&with_tasks(prepared, tasks))
        };
        let steps = if accepts(STEPS) { STEPS } else { bisect(0, STEPS, accepts) };
        Some(Duration::from_ns(more(steps)))
    };
    (0..prepared.tasks.len()).map(slack).collect()
}

/// The largest accepted value found between one that is accepted, or 0, and one that is not.
fn bisect(accepted: u32, refused: u32, accepts: impl Fn(u32) -> bool) -> u32 {
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

fn with_tasks(prepared: &Prepared, tasks: Vec<Task>) -> Prepared {
    Prepared { tasks, ..prepared.clone() }
}

/// The task with its costs multiplied, rounded up; `None` beyond 64 bits.
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
