//! What threads have to know of resources and servers before they ask the engine.

use super::{Domain, Engine};
use schedlab_model::{ResourceId, Step, Task, TaskId};

impl Domain {
    /// True if a budget server executes the jobs of `task`.
    pub(crate) fn is_client(&self, task: TaskId) -> bool {
        self.clients.get(task.index()).copied().unwrap_or(false)
    }
}

/// By resource: the mutex that it is part of, if threads may take that in a fast section.
pub(super) fn mutexes(live: &Engine, tasks: &[Task]) -> Vec<Option<usize>> {
    let requests = tasks.iter().flat_map(|task| &task.program).filter_map(|step| match step {
        Step::Request(resource, _) => Some(resource.index() + 1),
        Step::Release(..)
        | Step::Execute(_)
        | Step::Suspend(_)
        | Step::NpEnter
        | Step::NpExit
        | Step::Serve(_) => None,
    });
    (0..requests.max().unwrap_or(0)).map(|index| live.free_mutex(ResourceId(index as u32))).collect()
}

/// By resource, of the first `count`: true if a server executes the sections on it.
pub(super) fn served(live: &Engine, count: usize) -> Vec<bool> {
    (0..count).map(|index| live.server_of(ResourceId(index as u32)).is_some()).collect()
}
