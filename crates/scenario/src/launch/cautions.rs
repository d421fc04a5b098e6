//! Cautions on the machine, and on what Linux does besides, a line each.

use super::settings::{Setting, Settings};
use crate::reserved::ReservedShare;
use schedlab_policy::Throttling;

/// Returns requirements that the machine has to meet for the settings to hold.
pub(super) fn cautions(settings: &Settings<'_>) -> Vec<String> {
    match settings.tasks.first().map(|task| task.setting) {
        None => Vec::new(),
        Some(Setting::Deadline) => of_deadline(settings),
        Some(Setting::Fifo(_)) => of_fifo(settings),
    }
}

fn of_deadline(settings: &Settings<'_>) -> Vec<String> {
    vec![
        "SCHED_DEADLINE postpones the deadline of a task that overruns its runtime: leave room above the WCET".into(),
        admission(settings.throttling),
        all_processors(settings),
    ]
}

/// Returns the caution about the kernel's admission under `throttling`.
fn admission(throttling: Throttling) -> String {
    match ReservedShare::admitted(throttling) {
        Some(admitted) => format!("the kernel admits at most {admitted} of the processors to SCHED_DEADLINE: what throttling leaves (sched_rt_runtime_us), less 5% for fair servers (from 6.12 on)"),
        None => "the kernel must admit all threads of SCHED_DEADLINE: sched_rt_runtime_us is -1".into(),
    }
}

/// Returns the caution that the machine must have the scenario's processors, if no thread is bound.
pub(super) fn all_processors(settings: &Settings<'_>) -> String {
    let number = settings.processors;
    let processors = if number == 1 { "processor" } else { "processors" };
    format!("the threads use all processors that they find: start them where there are {number} {processors}, the machine's or those of an exclusive cpuset")
}

fn of_fifo(settings: &Settings<'_>) -> Vec<String> {
    let mut lines = vec![match settings.throttling {
        stops if stops.ever_stops() => {
            let Throttling { runtime, period } = stops;
            format!("the kernel stops SCHED_FIFO after {runtime} of each {period} (sched_rt_runtime_us), or from 6.12 on after 950 ms of each second where ordinary threads wait (fair_server)")
        }
        _ => "the kernel must not stop SCHED_FIFO: sched_rt_runtime_us is -1, and from 6.12 on fair_server's runtime is 0".to_owned(),
    }];
    if settings.tasks.iter().any(|task| task.processors.len() > 1) {
        lines.push("SCHED_FIFO balances over processors by pushing and pulling: for an instant, not always the most urgent run".into());
    }
    lines
}
