//! Which of the processors that a task fits on is taken.
//!
//! D. S. Johnson, "Near-optimal bin packing algorithms", PhD thesis, MIT, 1973, describes all of them.

use super::loads::Loads;
use crate::load::Load;
use core::cmp::Ordering;

/// A rule that chooses a processor.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, strum::AsRefStr, strum::Display, strum::VariantArray,
)]
#[strum(serialize_all = "snake_case", suffix = "_fit")]
pub enum Fit {
    /// The lowest index.
    #[default]
    First,
    /// The least loaded, among equals the lowest index. As all take the same, it is enough to look at the
    /// least loaded processor of all.
    Worst,
    /// The most loaded that it still fits on, among equals the lowest index.
    Best,
    /// The second least loaded of those that it fits on, equal loads counted each; the only one if there is one. Among
    /// equals the lowest index, so that two equally least loaded ones give the first of them.
    AlmostWorst,
    /// The processor that took the last task, or the next one that it fits on; the others are not looked
    /// at again. Stops at the first task that finds none.
    Next,
}

impl Fit {
    /// Which of `candidates`, in rising order, takes a task that fits where `fits` says so. `next` is where
    /// next fit is.
    pub(super) fn choose(
        self,
        loads: &Loads,
        candidates: &[usize],
        next: &mut usize,
        fits: impl Fn(&Load) -> bool,
    ) -> Option<usize> {
        let mut fitting = candidates.iter().copied().filter(|at| fits(&loads[*at]));
        match self {
            Fit::First => fitting.next(),
            Fit::Worst => loads.least(candidates).filter(|at| fits(&loads[*at])),
            Fit::Best => fitting.reduce(|best, at| match loads[at].compare(&loads[best]) {
                Ordering::Greater => at,
                Ordering::Less | Ordering::Equal => best,
            }),
            Fit::AlmostWorst => {
                let least = fitting.clone().reduce(|least, at| loads.lighter(least, at))?;
                let second = fitting.filter(|at| *at != least).reduce(|least, at| loads.lighter(least, at));
                // Where both are equally loaded, the one of the lower index comes first.
                Some(second.map_or(least, |at| match loads[at].compare(&loads[least]) {
                    Ordering::Equal => at.min(least),
                    Ordering::Less | Ordering::Greater => at,
                }))
            }
            Fit::Next => {
                let found = fitting.find(|at| *at >= *next);
                *next = found.unwrap_or(loads.len());
                found
            }
        }
    }
}
