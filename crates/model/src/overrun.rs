//! Treatment of a job that executes for longer than its WCET.

/// Treatment of a job that has executed for its WCET, is not complete and is in no section. Only real jobs overrun, and
/// simulated ones that repeat real ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overrun {
    /// The job goes on.
    #[default]
    Ignore,
    /// The job goes on, and the trace records it.
    Warn,
    /// The job counts as complete. The rest of its code executes in the task's next job, with that job's budget.
    Cut,
    /// The job goes on in the background: only where nothing else is ready, under schedulers that heed priorities.
    BestEffort,
}
