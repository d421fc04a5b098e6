//! The end of a wait for a job.

/// The reason why `ClusterScheduler::next_job` returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobWait {
    /// The job has begun.
    Begun,
    /// The caller's condition to wait no longer holds.
    Ended,
}
