//! The parts of a bound on a response time.

use schedlab_model::TaskId;

/// What the response time of a task's job is made of besides its own work and self-suspension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The bound, in nanoseconds from the arrival on.
    pub bound: u64,
    /// How much of it passes before the release.
    pub jitter: u64,
    /// What each task takes of it; of the task itself, earlier jobs.
    pub by: Vec<(TaskId, u64)>,
}
