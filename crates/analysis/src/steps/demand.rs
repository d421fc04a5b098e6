//! Demand at the deadlines that an examination visits.

use super::rows::{JobsOf, Kept, Rows};
use schedlab_model::TaskId;

/// Lengths, exclusive, up to which demand must be examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Limit L_a, rounded up; `None` if there is none.
    pub from_slack: Option<u64>,
    /// Limit L_b; `None` if L_a is shorter or the budget was spent.
    pub busy_period: Option<u64>,
}

impl Limit {
    /// The shorter of both limits; `None` if there is none.
    pub fn shortest(&self) -> Option<u64> {
        [self.from_slack, self.busy_period].into_iter().flatten().min()
    }
}

/// A task whose jobs may be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueTask {
    /// The task.
    pub task: TaskId,
    /// Cost of a job, in ns, with what counts as execution.
    pub cost: u64,
    /// Period, in ns.
    pub period: u64,
    /// Time from the latest release to the absolute deadline, in ns.
    pub window: u64,
}

/// A length at which the demand was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitedDeadline {
    /// The length, in ns.
    pub within: u64,
    /// Jobs that are due within it, by task, in their order; empty if the examination adds jobs one by one.
    pub jobs: Vec<JobsOf>,
    /// Work that may block, in ns; contained in the demand.
    pub blocking: u64,
    /// Demand in ns.
    pub demand: u128,
}

/// Result with which an examination ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandEnd {
    /// The demand is nowhere above the length.
    Fits,
    /// The last demand is above its length.
    Exceeds,
    /// The budget was spent.
    Spent,
}

/// How the demand of a processor was examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemandSteps {
    /// The tasks of the processor.
    pub tasks: Vec<DueTask>,
    /// Length, in ns, exclusive, up to which the demand has to be examined.
    pub limit: u64,
    /// The lengths beyond which demand without blocking is known to fit.
    pub known: Limit,
    /// Result of the examination.
    pub end: DemandEnd,
    visited: Kept<VisitedDeadline>,
    present: Vec<JobsOf>,
    blocking: u64,
    size: u64,
}

impl DemandSteps {
    /// The demand of `tasks` below `limit`, before any deadline is visited.
    pub(crate) fn new(tasks: Vec<DueTask>, limit: u64, known: Limit) -> Self {
        let (visited, present, size) = (Kept::none(), Vec::new(), tasks.len() as u64);
        DemandSteps { tasks, limit, known, end: DemandEnd::Fits, visited, present, blocking: 0, size }
    }

    /// The lengths in the order in which they were visited; the last is the last that there was.
    pub fn visited(&self) -> &[VisitedDeadline] {
        &self.visited.rows
    }

    /// Number of lengths that are left out before the last.
    pub fn left_out(&self) -> u64 {
        self.visited.left_out
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }
}

impl Rows for DemandSteps {
    fn jobs(&mut self, of: JobsOf) {
        self.present.push(of);
    }

    fn blocked(&mut self, by: u64) {
        self.blocking = by;
    }

    fn row(&mut self, length: u128, demand: u128) {
        let jobs = std::mem::take(&mut self.present);
        let (within, blocking) = (length as u64, self.blocking);
        self.visited.push(VisitedDeadline { within, jobs, blocking, demand }, self.size);
        self.size += 2 * self.tasks.len() as u64 + 2;
    }
}
