//! Pieces of tasks that are split between processors.

use crate::ids::CpuId;
use crate::time::{Duration, Work};

/// A part of each job of a task, on a processor of its own. The pieces of a job execute one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskPiece {
    /// Processor on which the piece executes.
    pub cpu: CpuId,
    /// Service that a job receives there before it goes on to its next piece. The last piece of a task gives a job all
    /// that it still needs.
    pub budget: Work,
    /// Earliest begin of the piece, after the job's arrival.
    pub begin: Duration,
    /// Time that the piece has from its earliest begin on.
    pub relative_deadline: Duration,
}
