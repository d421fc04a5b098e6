//! The jobs that are explored.

use schedlab_model::{JobId, TaskId};

/// An interval of whole nanoseconds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The least.
    pub low: u64,
    /// The greatest.
    pub high: u64,
}

impl Span {
    /// From `low` to `high`.
    pub const fn new(low: u64, high: u64) -> Span {
        Span { low, high }
    }

    /// True if the intervals have a time in common.
    #[inline]
    pub const fn intersects(self, other: Span) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// True if this interval contains all of `other`.
    #[inline]
    pub const fn contains(self, other: Span) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The least interval that contains both.
    #[inline]
    pub fn hull(self, other: Span) -> Span {
        Span { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// One job with its uncertain parameters. Times in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSpan {
    /// Id of the job; of two jobs with equal priority points, the smaller id goes first.
    pub id: JobId,
    /// Earliest and latest release.
    pub release: Span,
    /// Least and greatest cost.
    pub cost: Span,
    /// Absolute deadline.
    pub due: u64,
    /// Priority point: smaller is more urgent.
    pub point: u64,
}

impl JobSpan {
    /// Returns the key by which jobs are compared: the smaller one goes first.
    #[inline]
    pub(super) fn priority(&self) -> (u64, u64) {
        (self.point, u64::from(self.id.task.0) << 32 | u64::from(self.id.number))
    }

    /// The order of indices: by earliest release, then by task.
    pub(super) fn place(&self) -> (u64, TaskId, u32) {
        (self.release.low, self.id.task, self.id.number)
    }
}

/// Why jobs cannot be explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobsError {
    /// An interval ends before it begins.
    #[error("{}: the {field} ends before it begins", name(*.job))]
    EmptySpan {
        /// Id of the job.
        job: JobId,
        /// Name of the field.
        field: &'static str,
    },
    /// A time is beyond what is explored.
    #[error("{}: the {field} is beyond {} ns", name(*.job), JobsError::LATEST)]
    TooLate {
        /// Id of the job.
        job: JobId,
        /// Name of the field.
        field: &'static str,
    },
    /// Two jobs have the same id.
    #[error("{}: there are two jobs of this name", name(*.0))]
    SameId(JobId),
    /// The platform has no processor.
    #[error("0 processors; allowed: from 1")]
    NoProcessor,
    /// There are more jobs than an exploration takes.
    #[error("{0} jobs; allowed: up to {most}", most = JobsError::MOST)]
    TooMany(usize),
}

fn name(job: JobId) -> String {
    format!("T{}J{}", job.task.0, job.number)
}

impl JobsError {
    /// Releases up to here, and costs that add up to no more, are explored: no sum leaves 64 bits.
    pub(crate) const LATEST: u64 = 1 << 61;
    /// Most jobs that are explored.
    pub const MOST: usize = 1 << 24;

    /// Returns the first error in `jobs`.
    pub(super) fn check(jobs: &[JobSpan], processors: u32) -> Result<(), JobsError> {
        if processors == 0 {
            return Err(JobsError::NoProcessor);
        }
        if jobs.len() > JobsError::MOST {
            return Err(JobsError::TooMany(jobs.len()));
        }
        let mut costs = 0u64;
        for job in jobs {
            for (field, span) in [("release", job.release), ("cost", job.cost)] {
                if span.low > span.high {
                    return Err(JobsError::EmptySpan { job: job.id, field });
                }
            }
            if job.release.high > JobsError::LATEST {
                return Err(JobsError::TooLate { job: job.id, field: "release" });
            }
            costs = costs.saturating_add(job.cost.high);
            if costs > JobsError::LATEST {
                return Err(JobsError::TooLate { job: job.id, field: "sum of costs" });
            }
        }
        let mut ids: Vec<JobId> = jobs.iter().map(|job| job.id).collect();
        ids.sort_unstable();
        match ids.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(JobsError::SameId(pair[0])),
            None => Ok(()),
        }
    }
}
