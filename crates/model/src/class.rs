//! Order classes: the properties of an order of jobs on which tests and locking protocols may rely.

use crate::task::Task;
use crate::theorem::Theorem;
use crate::time::Instant;

/// Order that a scheduler promises. A scheduler chooses a class, a test accepts classes: neither needs to know the
/// other.
#[derive(Clone, Copy, Debug)]
pub enum OrderClass {
    /// Fixed priorities: the task with the smaller key goes first; ties by job id.
    Fixed(fn(&Task) -> u64),
    /// Fixed priorities: the task with the smaller key goes first. Of tasks with equal keys, any may go first each
    /// time: Linux takes them first come, first served.
    FixedOpenTies(fn(&Task) -> u64),
    /// The earlier absolute deadline goes first; ties by job id.
    Deadline,
    /// The earlier priority point goes first; ties by job id. The point lies this long after the arrival, a constant of
    /// the task in a cluster of this many processors.
    AfterArrival(fn(&Task, u32) -> Point),
    /// Subtasks go quantum by quantum, by their Pfair windows. Overheads are charged as if a task that runs in slots
    /// that follow each other keeps its processor, unless the affinity rules otherwise.
    Pfair {
        /// True if a subtask may execute before its window, within its job.
        early_release: bool,
        /// True if the order is optimal on any number of processors; else it is on at most two.
        breaks_ties: bool,
    },
    /// No order: a theorem speaks of the scheduler as a whole.
    Theorem(Theorem),
    /// Any other order: no test relies on it, so nothing is proved that not every scheduler guarantees.
    Unanalysed,
}

impl OrderClass {
    /// Returns the key of fixed priorities, if the class has them.
    pub fn fixed_key(self) -> Option<fn(&Task) -> u64> {
        if let OrderClass::Fixed(key) = self {
            return Some(key);
        }
        None
    }

    /// True if the class is that of absolute deadlines.
    pub fn is_deadline(self) -> bool {
        matches!(self, OrderClass::Deadline)
    }

    /// True if the class is that of Pfair.
    pub fn is_pfair(self) -> bool {
        matches!(self, OrderClass::Pfair { .. })
    }
}

/// Distance from a job's arrival to its priority point. Points are compared within a cluster only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The distance, in parts of a nanosecond.
    pub after: u64,
    /// Number of parts of a nanosecond, so that points are whole numbers; the same for all tasks of a cluster. At least
    /// 1.
    pub parts: u32,
}

impl Point {
    /// A point `after` whole nanoseconds after the arrival.
    pub const fn whole(after: u64) -> Point {
        Point { after, parts: 1 }
    }

    /// Returns the priority point of a job that arrives at `arrival`; `u64::MAX`, which is no priority point, if 64
    /// bits do not hold it.
    #[inline]
    pub fn of_arrival(self, arrival: Instant) -> u64 {
        arrival.as_ns().saturating_mul(u64::from(self.parts)).saturating_add(self.after)
    }
}
