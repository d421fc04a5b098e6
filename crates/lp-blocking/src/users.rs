//! Users of each resource, ready for counting.

use schedlab_analysis::blocking::Sharing;

/// One task's requests for one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct User {
    /// Index of the task.
    pub task: usize,
    /// Processor of the task.
    pub cluster: u32,
    /// Number of requests that a job issues.
    pub count: u64,
    /// Length of the longest request.
    pub length: u64,
}

/// By resource: its users, by processor, longest requests first. Can be filled again without allocating anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Users {
    lists: Vec<Vec<User>>,
}

impl Users {
    /// Reads `sharing`, in place of what was read before.
    pub(crate) fn read(&mut self, sharing: &Sharing) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.lists.resize_with(sharing.units().len(), Vec::new);
        for (task, sharer) in sharing.tasks().iter().enumerate() {
            for request in sharing.requests(task) {
                let (count, length) = (request.count(), request.length());
                let user = User { task, cluster: sharer.cluster, count, length };
                self.lists[request.resource as usize].push(user);
            }
        }
        for list in &mut self.lists {
            list.sort_unstable_by_key(|user| (user.cluster, u64::MAX - user.length, user.task));
        }
    }

    /// The users of each resource.
    pub(crate) fn by_resource(&self) -> &[Vec<User>] {
        &self.lists
    }
}

/// Returns whether a resource with these users is shared between processors.
pub(crate) fn is_global(users: &[User]) -> bool {
    users.first().zip(users.last()).is_some_and(|(first, last)| first.cluster != last.cluster)
}

/// The least fixed point of `next`, which never falls, or `most` if it is not below that.
pub(crate) fn least_fixed_point(most: u64, next: impl Fn(u64) -> u64) -> u64 {
    let mut value = 0;
    loop {
        let risen = next(value);
        if risen >= most || risen == value {
            return risen.min(most);
        }
        value = risen;
    }
}

/// Returns how many jobs of each task are pending at some time within an interval, as the RTSS paper counts them: a job
/// of another processor may have arrived before, one of the same processor arrives within.
pub(crate) fn jobs(sharing: &Sharing, responses: &[u64], task: usize, own: usize) -> u64 {
    let carried =
        if sharing.tasks()[task].cluster == sharing.tasks()[own].cluster { 0 } else { responses[task] };
    sharing.jobs_within(task, responses[own], carried)
}
