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

    /// The processor for a task that fits where `fits` says so. `next` is where next fit is.
    pub(super) fn choose(
        self,
        loads: &[Load],
        next: &mut usize,
        fits: impl Fn(&Load) -> bool,
    ) -> Option<usize> {
        match self {
            Fit::First => loads.iter().position(fits),
            Fit::Worst => Some(least_loaded(loads)).filter(|at| fits(&loads[*at])),
            Fit::Best => {
                let mut best: Option<usize> = None;
                for (at, load) in loads.iter().enumerate().filter(|(_, load)| fits(load)) {
                    if best.is_none_or(|best| load.compare(&loads[best]) == Ordering::Greater) {
                        best = Some(at);
                    }
                }
                best
            }
            Fit::Next => {
                while *next < loads.len() && !fits(&loads[*next]) {
                    *next += 1;
                }
                (*next < loads.len()).then_some(*next)
            }
        }
    }
}

/// The least loaded processor, among equals the lowest index.
pub(super) fn least_loaded(loads: &[Load]) -> usize {
    let mut least = 0;
    for (at, load) in loads.iter().enumerate() {
        if load.compare(&loads[least]) == Ordering::Less {
            least = at;
        }
    }
    least
}
