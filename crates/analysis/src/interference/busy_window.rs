//! Fixed priorities on one processor: what more urgent tasks execute in a busy window.

use schedlab_model::{Duration, Task, TaskId};

/// Returns the work of each task of `more_urgent` in a busy window of this length: ceil((window + J) / T) jobs.
pub fn in_busy_window(
    tasks: &[Task],
    more_urgent: impl Iterator<Item = TaskId>,
    window: Duration,
) -> Vec<(TaskId, u128)> {
    let taken = |id: TaskId| {
        let task = &tasks[id.index()];
        let released = u128::from(window.as_ns()) + u128::from(task.jitter.as_ns());
        (id, released.div_ceil(task.period.as_ns().into()) * u128::from(task.wcet.as_ns()))
    };
    more_urgent.map(taken).collect()
}
