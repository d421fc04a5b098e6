//! Patterns of arrivals: periodic, sporadic, or listed.

use super::{up_to, SourceError};
use crate::random::Random;
use schedlab_model::{Duration, Instant, Task, TaskId};

/// A pattern of arrivals. Two jobs of a task are never closer than its period, unless listed so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Arrivals {
    /// The first job arrives at the offset, each other exactly one period after the one before.
    #[default]
    Periodic,
    /// Each job, the first too, arrives later than it could by a random delay, uniform in `0..=max`.
    SporadicUniform {
        /// The longest delay.
        max: Duration,
        /// Task whose random numbers these delays share; `None` for numbers of their own.
        like: Option<TaskId>,
    },
    /// Jobs arrive at these times and no others, whatever the offset. Times before the task joins are left out.
    Listed(Vec<Instant>),
}

/// Position of one task in its pattern.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// The last arrival, if there was one.
    last: Option<Instant>,
    /// Number of listed arrivals that are over.
    listed: usize,
}

impl Arrivals {
    /// Returns an error if listed times go back.
    pub(super) fn check(&self, task: TaskId) -> Result<(), SourceError> {
        match self {
            Arrivals::Listed(times) if !times.is_sorted() => Err(SourceError::UnorderedArrivals(task)),
            Arrivals::Periodic | Arrivals::SporadicUniform { .. } | Arrivals::Listed(_) => Ok(()),
        }
    }

    /// The next arrival of `task`, or `None` beyond the last or beyond the end of time.
    #[inline]
    pub(super) fn next(&self, progress: &mut Progress, task: &Task, random: &mut Random) -> Option<Instant> {
        let longest_delay = match self {
            Arrivals::Periodic => Duration::ZERO,
            Arrivals::SporadicUniform { max, .. } => *max,
            Arrivals::Listed(times) => {
                let skipped = times[progress.listed..].iter().position(|time| *time >= task.join)?;
                progress.listed += skipped + 1;
                return Some(times[progress.listed - 1]);
            }
        };
        let earliest = match progress.last {
            None => task.offset.max(task.join),
            Some(last) => last.checked_add(task.period)?,
        };
        let arrival = earliest.checked_add(up_to(longest_delay, random))?;
        progress.last = Some(arrival);
        Some(arrival)
    }
}
