//! The parts of a bound on a response time.

use schedlab_model::TaskId;

/// Parts of the response time of a task's job, besides its own work and self-suspension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The bound, in nanoseconds from the arrival on.
    pub bound: u64,
    /// Part of the response time that passes before the release, in ns.
    pub jitter: u64,
    /// Time that each task's jobs take of the response time; for the task itself, its earlier jobs.
    pub by: Vec<(TaskId, u64)>,
}
