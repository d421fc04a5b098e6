//! Deadlines of jobs, some of which have none.

use schedlab_model::Instant;

/// The deadline that an arrival's record has; nothing of a job that has none, such as a server's.
pub(crate) fn deadline(absolute_deadline: Instant) -> Option<Instant> {
    Some(absolute_deadline).filter(|at| *at < Instant::NEVER)
}
