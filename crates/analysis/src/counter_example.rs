//! Releases and costs that prove that a deadline is missed.

use schedlab_model::JobId;

/// Release and cost of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Release of the job, in ns.
    pub release: u64,
    /// Cost of the job, in ns.
    pub cost: u64,
}

/// Releases and costs that make a job late. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterExample {
    /// All jobs that may be released up to the late one's deadline, by id.
    pub jobs: Vec<(JobId, Choice)>,
    /// The job that is late: of several, one whose deadline is the earliest.
    pub late: JobId,
    /// Absolute deadline of the late job, in ns.
    pub due: u64,
}
