//! Jobs as decisions see them, and comparisons of two jobs.

use core::cmp::Ordering;
use schedlab_model::{Instant, JobId, Work};

/// A job at the time of a decision: one that is ready, or waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Id of the job, which breaks ties.
    pub id: JobId,
    /// Termination time of the job, by which it has to be complete.
    pub termination: Instant,
    /// Longest time that the job may still need. Zero counts as one nanosecond.
    pub remaining: Work,
    /// Work that the job adds to the load of a processor where loads are balanced: by the definitions, what remains.
    pub load: Work,
    /// Utility of a completion after `remaining` from now on, in any unit that is the same for all jobs.
    pub utility: u64,
    /// Index of the job that holds what this one waits for, if it waits for one of them.
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

    /// Longest time that the job may take, in ns.
    pub(crate) fn time(&self) -> u64 {
        self.remaining.as_ns().max(1)
    }

    pub(crate) fn by_id(&self, other: &Candidate) -> Ordering {
        (self.id.task.0, self.id.number).cmp(&(other.id.task.0, other.id.number))
    }
}
