//! Which job goes first, as far as tests and locking protocols may rely on it.

use crate::task::Task;

/// What a scheduler promises of its order. A scheduler chooses a class, a test accepts classes: neither needs to know the other.
#[derive(Clone, Copy, Debug)]
pub enum OrderClass {
    /// Fixed priorities: the task with the smaller key goes first; ties by job id.
    Fixed(fn(&Task) -> u64),
    /// The earlier absolute deadline goes first; ties by job id.
    Deadline,
    /// The earlier priority point goes first; ties by job id. The point lies this long after the arrival, a constant of
    /// the task in a cluster of so many processors.
    AfterArrival(fn(&Task, u32) -> u64),
    /// Quantum by quantum, by the Pfair windows of subtasks.
    Pfair {
        /// Whether a subtask may execute before its window, within its job.
        early_release: bool,
    },
    /// Any other order: no test relies on it, so nothing is proved that not every scheduler guarantees.
    Unanalysed,
}
