//! The tasks as a Pfair scheduler gets them, so that no job is late.
//!
//! Litmus-rt-2006, section 4.2, reduces periods by one quantum under staggered quanta. Here each task's slots are
//! reduced only as far as its own numbers demand ([`Share::guaranteed`]), for staggered quanta as for arrivals
//! between quantum boundaries.

use super::{fits, Share};
use crate::system::System;
use schedlab_model::{Duration, Task, Work};

/// The tasks as the scheduler should see them, or `None` if their weights add up to more than m or some task
/// cannot be guaranteed anything. `tasks` are those that `system` was made of, all on one cluster.
pub fn guaranteed(tasks: &[Task], system: &System) -> Option<Vec<Task>> {
    let length = system.quanta()?.length.as_ns();
    let mut shares = Vec::with_capacity(system.tasks.len());
    let mut given = tasks.to_vec();
    for task in &system.tasks {
        let share = Share::guaranteed(task, system)?;
        let seen = &mut given[task.id.index()];
        seen.wcet = Work::from_ns(share.quanta.checked_mul(length)?);
        seen.relative_deadline = Duration::from_ns(share.slots.checked_mul(length)?);
        shares.push(share);
    }
    fits(&shares, system).then_some(given)
}
