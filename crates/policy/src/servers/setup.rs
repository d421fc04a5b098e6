//! A budget server as its policy gets it.

use super::client_order::ClientOrder;
use super::kind::ServerKind;
use alloc::vec::Vec;
use schedlab_model::{Duration, Task, TaskId, Work};

/// A budget server: executes the jobs of its clients at its own urgency, within its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetServer {
    /// Rule by which the server has budget.
    pub kind: ServerKind,
    /// Time that clients have in each period. Positive, at most the period.
    pub budget: Work,
    /// Period of the server; under rate- and deadline-monotonic priorities, that of a task in its place.
    pub period: Duration,
    /// Time from a period's begin to the server's deadline in it, of a periodic server; of others, the period.
    pub relative_deadline: Duration,
    /// Given fixed priority, as that of a task.
    pub fixed_priority: u32,
    /// True if clients without budget have the time that no task wants.
    pub is_in_background: bool,
    /// Order of the clients among themselves.
    pub order: ClientOrder,
    /// Tasks whose jobs the server executes. All are in one cluster, of one processor unless the kind knows several.
    pub clients: Vec<TaskId>,
}

impl BudgetServer {
    /// A task in the server's place, as orders of tasks see it.
    pub fn as_task(&self) -> Task {
        let task = Task::constrained(self.budget, self.period, self.relative_deadline);
        Task { fixed_priority: self.fixed_priority, ..task }
    }
}
