//! A job as decisions see it, and how two of them compare.

use core::cmp::Ordering;
use schedlab_model::{Instant, JobId, Work};

/// A job at the time of a decision: one that is ready, or waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Which one. Breaks ties.
    pub id: JobId,
    /// By when it has to be complete: its termination time.
    pub termination: Instant,
    /// What it may still need, at most. Zero counts as one nanosecond.
    pub remaining: Work,
    /// What it adds to the load of a processor where loads are balanced: what remains, by the definitions.
    pub load: Work,
    /// What its completion after `remaining` from now on is worth, in any unit that is the same for all.
    pub utility: u64,
    /// Which of the jobs holds what it waits for, if it waits for one of them.
    pub waits_for: Option<u32>,
}

impl Candidate {
    /// Densest first: utility over remaining time, compared by products of 128 bits; ties by job id.
    pub fn by_density(&self, other: &Candidate) -> Ordering {
        let scaled = |a: &Candidate, b: &Candidate| u128::from(a.utility) * u128::from(b.time());
        scaled(other, self).cmp(&scaled(self, other)).then(self.by_id(other))
    }

    /// Earliest termination time first; ties by job id.
    pub fn by_termination(&self, other: &Candidate) -> Ordering {
        self.termination.cmp(&other.termination).then(self.by_id(other))
    }

    /// How long it may take, in nanoseconds.
    pub(crate) fn time(&self) -> u64 {
        self.remaining.as_ns().max(1)
    }

    pub(crate) fn by_id(&self, other: &Candidate) -> Ordering {
        (self.id.task.0, self.id.number).cmp(&(other.id.task.0, other.id.number))
    }
}
