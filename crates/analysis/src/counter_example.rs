//! Releases and costs that prove that a deadline is missed.

use schedlab_model::JobId;

/// What happens with one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// When it is released, in nanoseconds.
    pub release: u64,
    /// What it costs, in nanoseconds.
    pub cost: u64,
}

/// Releases and costs that make a job late. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterExample {
    /// All jobs that may be released up to the late one's deadline, by id.
    pub jobs: Vec<(JobId, Choice)>,
    /// The job that is late: of several, one whose deadline is the earliest.
    pub late: JobId,
    /// Its absolute deadline.
    pub due: u64,
}
