//! How often threads called for the jobs of an event-driven task.

/// Numbers of calls for the jobs of one task during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// All calls.
    pub calls: u64,
    /// Calls that came too early, and whose jobs were to arrive later.
    pub delayed: u64,
    /// Calls that came while the job of an earlier one was still to arrive, and released none.
    pub refused: u64,
}
