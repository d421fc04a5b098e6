//! Deadlines of jobs, some of which have none.

use schedlab_model::Instant;

/// Returns the deadline in an arrival's record; `None` for a job that has none, such as a server's.
pub(crate) fn deadline(absolute_deadline: Instant) -> Option<Instant> {
    Some(absolute_deadline).filter(|at| *at < Instant::NEVER)
}
