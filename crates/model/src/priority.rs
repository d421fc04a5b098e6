//! Priorities: the urgency of jobs.

use crate::ids::{JobId, TaskId};
use core::fmt;

/// The coarse part of a priority, most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// Above all base priorities: a boosted lock holder.
    Boosted = 0,
    /// The usual band of jobs.
    Base = 1,
    /// Below all base priorities: best-effort work.
    Background = 2,
}

/// A job's priority: its band, then its priority point (smaller is more urgent), then its job id.
///
/// All three are compared, in that order, so two live jobs never tie. Inheritance copies all three:
/// with the point alone, a third job with a better tie-break could preempt the lock holder.
///
/// Deliberately not `Ord`, since `<` would read as "lower priority": write [`Priority::is_higher_than`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Priority(u128);

const POINT_BITS: u32 = 62;
const POINT_SHIFT: u32 = 64;
const BAND_SHIFT: u32 = POINT_SHIFT + POINT_BITS;

impl Priority {
    /// The largest priority point: 2^62 - 1, in nanoseconds 146 years.
    pub const MAX_POINT: u64 = (1 << POINT_BITS) - 1;

    /// A priority in the [`Band::Base`] band. Panics if the point is above [`Self::MAX_POINT`].
    #[inline]
    pub const fn new(point: u64, tie: JobId) -> Self {
        Self::in_band(Band::Base, point, tie)
    }

    /// A priority in `band`. Panics if the point is above [`Self::MAX_POINT`].
    #[inline]
    pub const fn in_band(band: Band, point: u64, tie: JobId) -> Self {
        assert!(point <= Self::MAX_POINT, "a priority point is at most 2^62 - 1");
        Priority(
            (band as u128) << BAND_SHIFT
                | (point as u128) << POINT_SHIFT
                | (tie.task.0 as u128) << 32
                | tie.number as u128,
        )
    }

    /// True if a job of this priority goes before one of `other`.
    #[inline]
    pub const fn is_higher_than(self, other: Priority) -> bool {
        self.0 < other.0
    }

    /// The more urgent of the two.
    pub const fn higher_of(self, other: Priority) -> Priority {
        if other.is_higher_than(self) {
            other
        } else {
            self
        }
    }

    /// The band.
    pub const fn band(self) -> Band {
        match self.0 >> BAND_SHIFT {
            0 => Band::Boosted,
            1 => Band::Base,
            _ => Band::Background,
        }
    }

    /// The priority point: smaller is more urgent.
    pub const fn point(self) -> u64 {
        (self.0 >> POINT_SHIFT) as u64 & Self::MAX_POINT
    }

    /// The job whose id breaks ties. An inherited priority carries the id of the job it came from.
    #[inline]
    pub const fn tie(self) -> JobId {
        JobId { task: TaskId((self.0 >> 32) as u32), number: self.0 as u32 }
    }

    /// The whole priority as one integer, smaller is more urgent, loses nothing.
    #[inline]
    pub const fn key(self) -> u128 {
        self.0
    }

    /// Band and point as one integer: two priorities with different ranks need no tie-break.
    #[inline]
    pub const fn rank(self) -> u64 {
        (self.0 >> POINT_SHIFT) as u64
    }

    /// The priority of a [`Self::key`].
    #[inline]
    pub const fn from_key(key: u128) -> Priority {
        Priority(key)
    }
}

impl fmt::Debug for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}:{}:{}", self.band(), self.point(), self.tie())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(task: u32, number: u32) -> JobId {
        JobId::new(TaskId(task), number)
    }

    #[test]
    fn compares_band_then_point_then_task_then_number() {
        let rising = [
            Priority::in_band(Band::Boosted, Priority::MAX_POINT, job(9, 9)),
            Priority::new(0, job(0, 5)),
            Priority::new(0, job(1, 0)),
            Priority::new(0, job(1, 1)),
            Priority::new(1, job(0, 0)),
            Priority::new(Priority::MAX_POINT, job(0, 0)),
            Priority::in_band(Band::Background, 0, job(0, 0)),
        ];
        for pair in rising.windows(2) {
            assert!(pair[0].is_higher_than(pair[1]), "{pair:?}");
            assert!(!pair[1].is_higher_than(pair[0]), "{pair:?}");
        }
    }

    #[test]
    fn gives_back_what_it_was_made_of() {
        let p = Priority::in_band(Band::Background, 77, job(5, 8));
        assert_eq!((p.band(), p.point(), p.tie()), (Band::Background, 77, job(5, 8)));
        assert_eq!(Priority::from_key(p.key()), p);
    }
}
