//! Ranges of utilizations: their reader, and checks of which sets can keep them.

use crate::ratio::Ratio;
use crate::words::{SpecError, Words};

/// Reads a range of utilizations: 0 <= MIN < MAX <= 1.
pub(super) fn range(words: &mut Words<'_>) -> Result<(f64, f64), SpecError> {
    let min = words.number("the smallest utilization")?;
    let max = words.number("the largest utilization")?;
    if min < max && max <= 1.0 {
        return Ok((min, max));
    }
    Err(words.out_of_range("the range", format!("{min} to {max}"), "0 <= MIN < MAX <= 1"))
}

/// Returns an error if `tasks` tasks, more than `most_tasks` or with utilizations in one range, cannot have this total.
pub(super) fn check_total(
    (min, max): (f64, f64),
    most_tasks: u32,
    tasks: u32,
    total: Ratio,
) -> Result<(), SpecError> {
    if tasks > most_tasks {
        return Err(wrong_tasks(tasks, format!("1 to {most_tasks} for this distribution")));
    }
    let (least, most) = (min * f64::from(tasks), max * f64::from(tasks));
    if (least..=most).contains(&total.to_f64()) {
        return Ok(());
    }
    Err(wrong_total(total, format!("{least} to {most} for {tasks} tasks of utilization {min} to {max}")))
}

/// Error: the stopping rule's number of tasks is impossible.
pub(super) fn wrong_tasks(tasks: u32, allowed: String) -> SpecError {
    SpecError::OutOfRange { field: "stop", what: "the number of tasks", value: tasks.to_string(), allowed }
}

/// Error: the stopping rule's total is impossible.
pub(super) fn wrong_total(total: Ratio, allowed: String) -> SpecError {
    SpecError::OutOfRange { field: "stop", what: "the total utilization", value: total.to_string(), allowed }
}
