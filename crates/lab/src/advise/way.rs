//! One way to schedule the tasks, and what was found of it.

use super::candidates::Candidate;
use crate::prepared::Prepared;
use crate::scheduler::ranks;
use crate::sensitivity::Factor;
use schedlab_model::{ClusterId, Duration, OrderClass, Task, Work};
use schedlab_policy::Needs;

/// One way to schedule the tasks, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The scheduler, and what goes with it.
    pub candidate: Candidate,
    /// How many of these differ from what the scenario says.
    pub changes: u32,
    /// The critical scaling factor: 1 or more if deadlines are proved to be met, less if costs would have to shrink, 0 if nothing
    /// is proved however small they are.
    pub margin: Factor,
    /// True if all deadlines are proved to be met.
    pub proved: bool,
    /// Which test proves it, or why none does, with names of tasks.
    pub reason: String,
    /// Where tasks go and how urgent they are, which tells ways apart; empty where that is not known.
    pub(super) places: Vec<Place>,
}

/// Where a task goes, and how urgent it is where fixed priorities that tasks state decide. Pieces of split tasks are tasks, which differ
/// in their costs and relative deadlines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    cluster: ClusterId,
    rank: Option<u32>,
    wcet: Work,
    relative_deadline: Duration,
}

impl Place {
    /// By task.
    pub(super) fn of_tasks(prepared: &Prepared) -> Vec<Place> {
        let ranks = match (prepared.scheduler.needs(), prepared.scheduler.class) {
            (Needs::Priority, OrderClass::Fixed(key)) => ranks(key, &prepared.tasks),
            _ => Vec::new(),
        };
        let place = |(at, task): (usize, &Task)| Place {
            cluster: task.cluster,
            rank: ranks.get(at).copied(),
            wcet: task.wcet,
            relative_deadline: task.relative_deadline,
        };
        prepared.tasks.iter().enumerate().map(place).collect()
    }
}
