//! Checks of threads of other classes than `SCHED_FIFO`: the kernel's fixed priorities decide beside them.

use crate::check::mutexes::{fixed_priorities, is_fifo};
use crate::fault::{Faults, OfPart, Part};
use crate::scenario::{Scenario, TaskSpec};
use schedlab_model::ThreadClass;
use schedlab_policy::Throttling;

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

/// Checks that throttling is not stated beside other classes, which it does not stop.
pub(super) fn throttling(scenario: &Scenario, faults: &mut Faults) {
    let stops = scenario.scheduler.throttling.as_ref().is_some_and(Throttling::ever_stops);
    if stops && scenario.tasks.iter().any(|task| task.class != ThreadClass::Fifo) {
        let why = "stops threads of SCHED_FIFO alone, which is not modelled beside other classes";
        faults.of(Part::Scheduler).refuse(
            "throttling",
            "throttling",
            why,
            "no throttling, or no class of a task",
        );
    }
}
