//! Copies of tasks, and their names.

use crate::scenario::TaskSpec;

/// Returns `count` copies of `task`: the task itself if one, else copies numbered from one.
pub(crate) fn copies_of(task: &TaskSpec, count: usize) -> impl Iterator<Item = TaskSpec> + '_ {
    (1..=count).map(move |k| if count == 1 { task.clone() } else { numbered(task, k) })
}

fn numbered(task: &TaskSpec, k: usize) -> TaskSpec {
    TaskSpec { name: numbered_name(&task.name, k), ..task.clone() }
}

/// Returns the task in copy `k` of the whole set, whose supertasks and servers are copied as well.
pub(crate) fn of_copy(task: &TaskSpec, k: usize) -> TaskSpec {
    let supertask = task.supertask.as_ref().map(|name| numbered_name(name, k));
    let server = task.server.as_ref().map(|name| numbered_name(name, k));
    TaskSpec { supertask, server, ..numbered(task, k) }
}

pub(crate) fn numbered_name(name: &str, k: usize) -> String {
    format!("{name}.{k}")
}
