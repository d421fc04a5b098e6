//! Pieces of tasks on processors.

use schedlab_model::{TaskId, TaskPiece};

/// A task, or a piece of it, on a processor. Times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Task to which the piece belongs.
    pub task: TaskId,
    /// Time that the piece executes.
    pub cost: u64,
    /// The task's period.
    pub period: u64,
    /// Earliest begin of the piece, after the job's arrival.
    pub offset: u64,
    /// Relative deadline of the piece, after its offset.
    pub relative_deadline: u64,
}

impl Piece {
    /// The piece of a task of this period that the scenario states.
    pub(crate) fn of(task: TaskId, period: u64, stated: &TaskPiece) -> Piece {
        Piece {
            task,
            cost: stated.budget.as_ns(),
            period,
            offset: stated.begin.as_ns(),
            relative_deadline: stated.relative_deadline.as_ns(),
        }
    }
}
