//! Jobs that may be dispatched next, with the times of their starts.

use super::jobs::{JobSpan, Span};
use super::level::Level;

/// A job that may be next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    /// Index of the job.
    pub job: usize,
    /// Earliest and latest start of the job.
    pub start: Span,
    /// Earliest and latest completion after such a start.
    pub finish: Span,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    priority: (u64, u64),
    job: usize,
}

/// The jobs that are known: all whose earliest release is before `complete_until`, by earliest release.
#[derive(Clone, Debug)]
pub(super) struct KnownJobs {
    pub jobs: Vec<JobSpan>,
    pub complete_until: u64,
}

/// Jobs that are not known yet may matter: those released up to this instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeedJobs(pub u64);

/// Finds successors; kept for its buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct Expander {
    candidates: Vec<Candidate>,
}

impl Expander {
    /// Calls `visit` with each job that may be next in a state, by falling priority. Returns how many jobs were
    /// examined.
    ///
    /// If a job is late whatever is next, a search that ends there visits that job alone. Under overload, it might
    /// otherwise never be next.
    #[inline]
    pub(crate) fn expand(
        &mut self,
        known: &KnownJobs,
        level: &Level,
        state: usize,
        goes_on: bool,
        mut visit: impl FnMut(Next),
    ) -> Result<usize, NeedJobs> {
        let free = level.free(state)[0];
        let busy_until = self.collect(known, level, state, free)?;
        if let Some(next) = self.hopeless(known, free, busy_until).filter(|_| !goes_on) {
            visit(next);
            return Ok(self.candidates.len());
        }
        self.candidates.sort_unstable_by_key(|candidate| candidate.priority);
        // The earliest time by which a more urgent job is certainly released.
        let mut urgent = u64::MAX;
        for candidate in &self.candidates {
            if urgent <= free.low {
                break;
            }
            let job = &known.jobs[candidate.job];
            let start = Span::new(job.release.low.max(free.low), busy_until.min(urgent - 1));
            if start.low <= start.high {
                let finish = Span::new(start.low + job.cost.low, start.high + job.cost.high);
                visit(Next { job: candidate.job, start, finish });
            }
            urgent = urgent.min(job.release.high);
        }
        Ok(self.candidates.len())
    }

    /// Returns a job that is late even with the earliest dispatch, if its cost is the highest possible.
    #[inline]
    fn hopeless(&self, known: &KnownJobs, free: Span, busy_until: u64) -> Option<Next> {
        self.candidates.iter().find_map(|candidate| {
            let job = &known.jobs[candidate.job];
            let start = job.release.low.max(free.low);
            (start + job.cost.high > job.due).then(|| Next {
                job: candidate.job,
                start: Span::new(start, busy_until.max(start)),
                finish: Span::new(start + job.cost.low, busy_until.max(start) + job.cost.high),
            })
        })
    }

    /// Collects the jobs that may be released before something is certainly dispatched, and returns the end of that
    /// interval.
    #[inline]
    fn collect(
        &mut self,
        known: &KnownJobs,
        level: &Level,
        state: usize,
        free: Span,
    ) -> Result<u64, NeedJobs> {
        self.candidates.clear();
        let mut certain = u64::MAX;
        let first = level.first_job();
        let bits = level.bits(state);
        let beyond = first + 64 * bits.len();
        let open = bits.iter().enumerate().flat_map(|(index, word)| {
            let base = first + 64 * index;
            Ones(!*word).map(move |bit| base + bit)
        });
        for job in open.chain(beyond..) {
            let Some(span) = known.jobs.get(job) else { break };
            if span.release.low > free.high.max(certain) {
                break;
            }
            certain = certain.min(span.release.high);
            self.candidates.push(Candidate { priority: span.priority(), job });
        }
        let until = free.high.max(certain);
        match until < known.complete_until || known.complete_until == u64::MAX {
            true => Ok(until),
            false => Err(NeedJobs(if certain == u64::MAX { known.complete_until } else { until })),
        }
    }
}

/// Iterator over the places of the bits that are set in a word.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let word = self.0;
        if word == 0 {
            return None;
        }
        self.0 = word & (word - 1);
        Some(word.trailing_zeros() as usize)
    }
}
