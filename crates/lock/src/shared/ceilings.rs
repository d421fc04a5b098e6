//! Ceilings: the most urgent task that a resource in use could make wait.
//!
//! T. P. Baker, "Stack-based scheduling of realtime processes", Real-Time Systems 3(1), 1991: the ceiling of a
//! resource depends on its free units; it is the highest level of all tasks that may need more than that.

use crate::contract::{Level, Usage};
use alloc::vec::Vec;
use schedlab_model::{ResourceId, TaskId};

/// Ceilings of resources, from their users' needs and levels.
#[derive(Clone, Debug)]
pub struct CeilingTable {
    /// By resource: need and level of each user, the highest level first.
    users: Vec<Vec<(u32, Level)>>,
}

impl CeilingTable {
    /// Computes the ceilings of the resources in `usage`; `levels` by task.
    pub fn new(usage: &Usage, levels: &[Level]) -> Self {
        let of_resource = |needs: &[(TaskId, u32)]| {
            let mut users: Vec<(u32, Level)> =
                needs.iter().map(|(task, need)| (*need, levels[task.index()])).collect();
            users.sort_unstable_by_key(|(_, level)| *level);
            users
        };
        CeilingTable { users: usage.users.iter().map(|users| of_resource(&users.needs)).collect() }
    }

    /// The ceiling of `resource` while `free` units of it are free: [`Level::LOWEST`] if no user needs more.
    pub fn ceiling(&self, resource: ResourceId, free: u32) -> Level {
        let mut users = self.users[resource.index()].iter();
        users.find(|(need, _)| *need > free).map_or(Level::LOWEST, |(_, level)| *level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Users;

    /// G. Buttazzo, "Hard Real-Time Computing Systems", chapter 7: three jobs of levels 3, 2, 1 need (1, 0, 1),
    /// (2, 1, 3), (3, 1, 1) of three resources with 3, 1, 3 units. His level 3 is our level 0.
    #[test]
    fn ceilings_depend_on_the_free_units() {
        let needs = [[1, 0, 1], [2, 1, 3], [3, 1, 1]];
        let users = |resource: usize| {
            let of_task = |task: usize| (TaskId(task as u32), needs[task][resource]);
            Users { needs: (0..3).map(of_task).filter(|(_, need)| *need > 0).collect() }
        };
        let usage = Usage { users: (0..3).map(users).collect(), ..Usage::default() };
        let table = CeilingTable::new(&usage, &[Level(0), Level(1), Level(2)]);
        let buttazzo = |resource, free| match table.ceiling(ResourceId(resource), free) {
            Level::LOWEST => 0,
            Level(level) => 3 - level,
        };
        assert_eq!([0, 1, 2, 3].map(|free| buttazzo(0, free)), [3, 2, 1, 0]);
        assert_eq!([0, 1].map(|free| buttazzo(1, free)), [2, 0]);
        assert_eq!([0, 1, 2, 3].map(|free| buttazzo(2, free)), [3, 2, 2, 0]);
    }
}
