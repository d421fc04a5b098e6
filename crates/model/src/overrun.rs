//! What happens to a job that executes for longer than its WCET.

/// What happens to a job that has executed for its WCET, is not complete and is in no section. Only real jobs do that,
/// and simulated ones that repeat what real ones did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overrun {
    /// Nothing: it goes on.
    #[default]
    Ignore,
    /// It goes on, and the trace says so.
    Warn,
    /// It counts as complete. What is left of its code goes on in the task's next job, with that one's budget.
    Cut,
    /// It goes on in the background: only where nothing else is ready, under schedulers that heed priorities.
    BestEffort,
}
