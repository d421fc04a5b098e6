//! How far costs may grow before nothing proves the deadlines any more.
//!
//! The critical scaling factor is that of all costs; a task's slack is how much its own cost alone may grow. Both are found by
//! bisection over what the tests prove: a larger factor than the one found is not proved, the one found is.

use crate::analysis::prove;
use crate::prepared::Prepared;
use schedlab_analysis::Answer;
use schedlab_model::{Duration, Step, Task, Work};

/// Factors are counted in hundredths, up to this.
pub const LARGEST_PERCENT: u32 = 1600;

/// True if some test proves all deadlines.
pub fn is_proved(prepared: &Prepared) -> bool {
    prove(prepared)
        .is_ok_and(|found| found.analysis.is_some_and(|analysis| analysis.hard == Answer::Schedulable))
}

/// The largest factor, in percent, by which all costs may be multiplied such that deadlines are still proved to be met; critical
/// sections grow as well, best cases do not. 0 if not even a hundredth of the costs is accepted.
pub fn critical_scaling_percent(prepared: &Prepared) -> u32 {
    let accepts = |percent: u32| {
        let tasks: Option<Vec<Task>> =
            prepared.tasks.iter().map(|task| scaled(task, percent.into(), 100)).collect();
        tasks.is_some_and(|tasks| is_proved(&with_tasks(prepared, tasks)))
    };
    match accepts(100) {
        true => bisect(100, LARGEST_PERCENT, accepts),
        false => bisect(0, 100, accepts),
    }
}

/// By task: how much its cost alone may grow; `None` if the deadlines are not proved as it is.
pub fn slacks(prepared: &Prepared) -> Vec<Option<Duration>> {
    if !is_proved(prepared) {
        return vec![None; prepared.tasks.len()];
    }
    let slack = |at: usize| {
        let wcet = prepared.tasks[at].wcet.as_ns();
        // In 256ths of what is left of the period: fine enough to compare tasks by.
        let room = prepared.tasks[at].relative_deadline.as_ns().saturating_sub(wcet);
        let more = |steps: u32| (u128::from(room) * u128::from(steps) / 256) as u64;
        let accepts = |steps: u32| {
            let mut tasks = prepared.tasks.clone();
            let cost = u128::from(wcet) + u128::from(more(steps));
            let Some(task) = scaled(&tasks[at], cost, u128::from(wcet.max(1))) else { return false };
            tasks[at] = task;
            is_proved(&with_tasks(prepared, tasks))
        };
        Some(Duration::from_ns(more(bisect(0, 256, accepts))))
    };
    (0..prepared.tasks.len()).map(slack).collect()
}

/// The largest accepted value found between one that is accepted, or 0, and one that may be.
fn bisect(accepted: u32, largest: u32, accepts: impl Fn(u32) -> bool) -> u32 {
    if accepts(largest) {
        return largest;
    }
    let (mut low, mut high) = (accepted, largest);
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
fn scaled(task: &Task, numerator: u128, denominator: u128) -> Option<Task> {
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
