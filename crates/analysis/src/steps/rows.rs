//! Values that a loop over lengths of time hands out at each turn.

use super::Unwatched;

/// Jobs of one task in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobsOf {
    /// Their number.
    pub jobs: u64,
    /// Their work, in ns.
    pub work: u128,
}

/// Receiver of a loop's turns: for each length, the jobs of each task in turn, then the length and the sum.
pub trait Rows {
    /// Takes the jobs of the next task.
    #[inline(always)]
    fn jobs(&mut self, of: JobsOf) {
        let _ = of;
    }

    /// Takes the blocking that is added to the sum.
    #[inline(always)]
    fn blocked(&mut self, by: u64) {
        let _ = by;
    }

    /// Ends a turn: the work `sum` belongs to `length`.
    fn row(&mut self, length: u128, sum: u128);
}

impl Rows for Unwatched {
    #[inline(always)]
    fn row(&mut self, _: u128, _: u128) {}
}

impl<F: FnMut(u64, u128)> Rows for F {
    #[inline(always)]
    fn row(&mut self, length: u128, sum: u128) {
        self(length as u64, sum);
    }
}

/// Values of rows that one computation keeps.
const MOST: u64 = 100_000;

/// Rows that are kept: the first ones, and the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept<R> {
    /// The rows; the last is the last that there was.
    pub(super) rows: Vec<R>,
    /// Number of rows that are left out before the last.
    pub(super) left_out: u64,
}

impl<R> Kept<R> {
    pub(super) const fn none() -> Self {
        Kept { rows: Vec::new(), left_out: 0 }
    }

    /// Adds a row; `size` is the number of values that are kept already.
    pub(super) fn push(&mut self, row: R, size: u64) {
        match self.rows.last_mut().filter(|_| size >= MOST) {
            Some(last) => {
                *last = row;
                self.left_out += 1;
            }
            None => self.rows.push(row),
        }
    }
}
