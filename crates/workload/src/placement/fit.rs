//! Choice among the processors on which a task fits.
//!
//! D. S. Johnson, "Near-optimal bin packing algorithms", PhD thesis, MIT, 1973, describes all of them.

use crate::load::Load;

/// A rule that chooses a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::AsRefStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", suffix = "_fit")]
pub enum Fit {
    /// The lowest index on which the task fits.
    #[default]
    First,
    /// The least loaded processor on which the task fits, among equals the lowest index.
    Worst,
    /// The most loaded processor on which the task still fits, among equals the lowest index.
    Best,
    /// The second least loaded of the processors on which the task fits, equal loads counted each; the only one if
    /// there is one. Among equals the lowest index, so that two equally least loaded ones give the first of them.
    AlmostWorst,
    /// The processor that took the last task, or the next one on which the task fits; earlier ones are never tried
    /// again. The packing stops at the first task that finds none.
    Next,
}

impl Fit {
    /// Returns which of `candidates` takes a task, where `fits` decides whether it fits on one. Each rule tries them in
    /// its own order, and stops as soon as it may, because a test may take long. `next` is the position of next fit.
    pub(super) fn choose(
        self,
        loads: &[Load],
        candidates: &mut [usize],
        next: &mut usize,
        mut fits: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        let compare = |a: usize, b: usize| loads[a].compare(&loads[b]);
        match self {
            Fit::First | Fit::Next => {}
            Fit::Worst | Fit::AlmostWorst => {
                candidates.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
            }
            Fit::Best => candidates.sort_unstable_by(|&a, &b| compare(b, a).then(a.cmp(&b))),
        }
        let begin = if self == Fit::Next { *next } else { 0 };
        let mut fitting = candidates.iter().copied().filter(|bin| *bin >= begin && fits(*bin));
        let found = fitting.next();
        match self {
            Fit::First | Fit::Worst | Fit::Best => found,
            // Where both are equally loaded, the one of the lower index came first.
            Fit::AlmostWorst => found.map(|least| {
                let second = fitting.next().filter(|bin| compare(*bin, least).is_gt());
                second.unwrap_or(least)
            }),
            Fit::Next => {
                *next = found.unwrap_or(loads.len());
                found
            }
        }
    }
}

/// The least loaded of `candidates`, among equals the first.
pub(super) fn least_loaded(loads: &[Load], candidates: &[usize]) -> Option<usize> {
    candidates.iter().copied().min_by(|a, b| loads[*a].compare(&loads[*b]))
}
