//! Checks of threads of other classes than `SCHED_FIFO`: the kernel's fixed priorities decide beside them.

use crate::check::mutexes::{fixed_priorities, is_fifo};
use crate::fault::OfPart;
use crate::scenario::{Scenario, TaskSpec};
use schedlab_model::ThreadClass;

/// Checks the class of a task.
pub(super) fn class(scenario: &Scenario, task: &TaskSpec, faults: &mut OfPart<'_>) {
    if task.class == ThreadClass::Fifo {
        return;
    }
    let value = format!("\"{}\"", task.class.name());
    if !is_fifo(scenario) {
        let why =
            format!("is beside the kernel's fixed priorities, which {} is not", scenario.scheduler_name());
        faults.refuse("class", value, why, format!("scheduler = {}, or no class", fixed_priorities()));
    } else if task.has_requests() {
        let why = "is of a thread that takes mutexes, whose rules between classes are not modelled";
        faults.refuse("class", value, why, "fifo, or no request");
    }
}
