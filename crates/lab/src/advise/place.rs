//! Places and ranks of tasks, by which ways are told apart.

use crate::prepare::prepared::Prepared;
use crate::prepare::scheduler::ranks;
use schedlab_model::{ClusterId, Duration, Task, Work};
use schedlab_policy::Needs;

/// The place of a task, and its rank if fixed priorities that tasks state decide. Pieces of split tasks are tasks,
/// which differ in their costs and relative deadlines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Assigned {
    cluster: ClusterId,
    rank: Option<u32>,
    wcet: Work,
    relative_deadline: Duration,
}

impl Assigned {
    /// Returns the places of all tasks, by task.
    pub(super) fn of_tasks(prepared: &Prepared) -> Vec<Assigned> {
        let given = prepared.scheduler.needs() == Needs::Priority;
        let key = prepared.scheduler.class().fixed_key().filter(|_| given);
        let ranks = key.map_or_else(Vec::new, |key| ranks(key, &prepared.tasks));
        let place = |(index, task): (usize, &Task)| Assigned {
            cluster: task.cluster,
            rank: ranks.get(index).copied(),
            wcet: task.wcet,
            relative_deadline: task.relative_deadline,
        };
        prepared.tasks.iter().enumerate().map(place).collect()
    }
}
