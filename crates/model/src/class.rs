//! Which job goes first, as far as tests and locking protocols may rely on it.

use crate::task::Task;
use crate::time::Instant;

/// What a scheduler promises of its order. A scheduler chooses a class, a test accepts classes: neither needs to know
/// the other.
#[derive(Clone, Copy, Debug)]
pub enum OrderClass {
    /// Fixed priorities: the task with the smaller key goes first; ties by job id.
    Fixed(fn(&Task) -> u64),
    /// Fixed priorities: the task with the smaller key goes first. Of tasks with equal keys any may go first, now one
    /// and now another: Linux takes them first come, first served.
    FixedOpenTies(fn(&Task) -> u64),
    /// The earlier absolute deadline goes first; ties by job id.
    Deadline,
    /// The earlier priority point goes first; ties by job id. The point lies this long after the arrival, a constant of
    /// the task in a cluster of so many processors.
    AfterArrival(fn(&Task, u32) -> Point),
    /// Quantum by quantum, by the Pfair windows of subtasks. A task that runs in slots that follow each other keeps its
    /// processor, unless the affinity says otherwise: overheads are charged so.
    Pfair {
        /// Whether a subtask may execute before its window, within its job.
        early_release: bool,
    },
    /// Any other order: no test relies on it, so nothing is proved that not every scheduler guarantees.
    Unanalysed,
}

impl OrderClass {
    /// The key of fixed priorities, if it is of these.
    pub fn fixed_key(self) -> Option<fn(&Task) -> u64> {
        if let OrderClass::Fixed(key) = self {
            return Some(key);
        }
        None
    }

    /// True if it is that of absolute deadlines.
    pub fn is_deadline(self) -> bool {
        matches!(self, OrderClass::Deadline)
    }

    /// True if it is one of Pfair.
    pub fn is_pfair(self) -> bool {
        matches!(self, OrderClass::Pfair { .. })
    }
}

/// How long after a job's arrival its priority point lies. Points are compared within a cluster only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// In parts of a nanosecond.
    pub after: u64,
    /// How many parts a nanosecond has, so that points are whole numbers; the same for all tasks of a cluster. At least
    /// 1.
    pub parts: u32,
}

impl Point {
    /// So many whole nanoseconds after the arrival.
    pub const fn whole(after: u64) -> Point {
        Point { after, parts: 1 }
    }

    /// The point of a job that arrives then; `u64::MAX`, which is no priority point, if 64 bits do not hold it.
    #[inline]
    pub fn of_arrival(self, arrival: Instant) -> u64 {
        arrival.as_ns().saturating_mul(u64::from(self.parts)).saturating_add(self.after)
    }
}
