//! Which of the processors that a task fits on is taken.
//!
//! D. S. Johnson, "Near-optimal bin packing algorithms", PhD thesis, MIT, 1973, describes all of them.

use crate::load::Load;
use core::cmp::Ordering;

/// A rule that chooses a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// The lowest index.
    #[default]
    First,
    /// The least loaded, among equals the lowest index. As all take the same, it is enough to look at the
    /// least loaded processor of all.
    Worst,
    /// The most loaded that it still fits on, among equals the lowest index.
    Best,
    /// The processor that took the last task, or the next one that it fits on; the others are not looked
    /// at again. Stops at the first task that finds none.
    Next,
}

impl Fit {
    /// All rules.
    pub const ALL: [Fit; 4] = [Fit::First, Fit::Worst, Fit::Best, Fit::Next];

    /// The rule's name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Fit::First => "first_fit",
            Fit::Worst => "worst_fit",
            Fit::Best => "best_fit",
            Fit::Next => "next_fit",
        }
    }

    /// Which of `candidates`, in rising order, takes a task that fits where `fits` says so. `next` is where
    /// next fit is.
    pub(super) fn choose(
        self,
        loads: &[Load],
        candidates: &[usize],
        next: &mut usize,
        fits: impl Fn(&Load) -> bool,
    ) -> Option<usize> {
        let mut fitting = candidates.iter().copied().filter(|at| fits(&loads[*at]));
        match self {
            Fit::First => fitting.next(),
            Fit::Worst => least_loaded(loads, candidates).filter(|at| fits(&loads[*at])),
            Fit::Best => fitting.reduce(|best, at| match loads[at].compare(&loads[best]) {
                Ordering::Greater => at,
                Ordering::Less | Ordering::Equal => best,
            }),
            Fit::Next => {
                let found = fitting.find(|at| *at >= *next);
                *next = found.unwrap_or(loads.len());
                found
            }
        }
    }
}

/// The least loaded of `candidates`, among equals the first.
pub(super) fn least_loaded(loads: &[Load], candidates: &[usize]) -> Option<usize> {
    candidates.iter().copied().reduce(|least, at| match loads[at].compare(&loads[least]) {
        Ordering::Less => at,
        Ordering::Greater | Ordering::Equal => least,
    })
}
