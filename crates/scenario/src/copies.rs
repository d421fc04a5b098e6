//! Copies of tasks, and what they are called.

use crate::scenario::TaskSpec;

/// `count` tasks like `task`: itself if one, else numbered from one.
pub(crate) fn copies_of(task: &TaskSpec, count: usize) -> impl Iterator<Item = TaskSpec> + '_ {
    (1..=count).map(move |k| if count == 1 { task.clone() } else { numbered(task, k) })
}

fn numbered(task: &TaskSpec, k: usize) -> TaskSpec {
    TaskSpec { name: numbered_name(&task.name, k), ..task.clone() }
}

/// The task of copy `k` of the whole set, whose supertasks are copied as well.
pub(crate) fn of_copy(task: &TaskSpec, k: usize) -> TaskSpec {
    let supertask = task.supertask.as_ref().map(|name| numbered_name(name, k));
    TaskSpec { supertask, ..numbered(task, k) }
}

pub(crate) fn numbered_name(name: &str, k: usize) -> String {
    format!("{name}.{k}")
}
