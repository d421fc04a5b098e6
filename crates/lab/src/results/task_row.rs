//! Tasks as rows of a table.

use schedlab_model::{Duration, Suspension};
use schedlab_scenario::{write_abort_handler, write_utility, TaskSpec};
use schemars::JsonSchema;
use serde::Serialize;

/// A row of a task set. A terminal shows the columns that come first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TaskRow {
    index: usize,
    name: String,
    wcet_ns: u64,
    period_ns: u64,
    relative_deadline_ns: u64,
    utilization: f64,
    offset_ns: u64,
    jitter_ns: u64,
    suspension_ns: u64,
    working_set_bytes: u64,
    fixed_priority: Option<u32>,
    priority_point_ns: Option<u64>,
    /// A time/utility function as in a scenario file, such as `{ linear = 10, last = 2 }`.
    utility: Option<String>,
    /// An abort handler as in a scenario file, such as `{ cost = "1 ms", utility = 2 }`.
    abort_handler: Option<String>,
    processor: Option<u16>,
    cluster: Option<u16>,
}

/// Writes each task as a row.
pub fn task_rows(tasks: &[TaskSpec]) -> Vec<TaskRow> {
    let row = |(index, task): (usize, &TaskSpec)| TaskRow {
        index,
        name: task.name.clone(),
        wcet_ns: task.wcet.as_ns(),
        period_ns: task.period.as_ns(),
        relative_deadline_ns: task.relative_deadline.as_ns(),
        utilization: task.wcet.as_ns() as f64 / task.period.as_ns() as f64,
        offset_ns: task.offset.as_ns(),
        jitter_ns: task.jitter.as_ns(),
        suspension_ns: match task.suspension {
            Suspension::None => 0,
            Suspension::Dynamic(bound) => bound.as_ns(),
            Suspension::Segmented => task.program.iter().map(|step| step.suspends().as_ns()).sum(),
        },
        working_set_bytes: task.working_set,
        fixed_priority: task.priority,
        priority_point_ns: task.priority_point.map(Duration::as_ns),
        utility: task.utility.as_ref().map(write_utility),
        abort_handler: task.abort_handler.as_ref().map(write_abort_handler),
        processor: task.processor,
        cluster: task.cluster,
    };
    tasks.iter().enumerate().map(row).collect()
}
