//! A linear program in integers: maximise gains subject to limits.

use schedlab_analysis::Assumption;

/// Assumption of an analysis by a linear program: the origin of the bound.
pub const WHOLE: Assumption = Assumption::LinearProgram;

/// A variable, which can be chosen up to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Gain that each unit of the variable adds to the sum that is maximised.
    pub gain: u64,
    /// Upper limit: the variable lies in 0..=limit.
    pub limit: u64,
}

/// A sum of multiples of columns that must not exceed a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    /// Column and factor; no column twice.
    pub terms: Vec<(usize, i64)>,
    /// Upper limit of the sum.
    pub limit: u64,
}

/// Maximise the sum of gain * x over the columns' x, each in 0..=limit, subject to all rows.
///
/// x = 0 is always allowed, and all limits are finite, so there is a greatest sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearProgram {
    columns: Vec<Column>,
    rows: Vec<Constraint>,
}

impl LinearProgram {
    /// Adds a column and returns its number.
    pub(crate) fn column(&mut self, gain: u64, limit: u64) -> usize {
        self.columns.push(Column { gain, limit });
        self.columns.len() - 1
    }

    /// Demands that the sum of these columns is at most `limit`.
    pub(crate) fn at_most(&mut self, columns: impl IntoIterator<Item = usize>, limit: u64) {
        self.row(columns.into_iter().map(|column| (column, 1)), limit);
    }

    /// Demands that the sum of these multiples of columns is at most `limit`.
    pub(crate) fn row(&mut self, terms: impl IntoIterator<Item = (usize, i64)>, limit: u64) {
        let terms: Vec<(usize, i64)> = terms.into_iter().collect();
        if terms.iter().any(|&(_, factor)| factor > 0) {
            self.rows.push(Constraint { terms, limit });
        }
    }

    /// The columns.
    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &[Constraint] {
        &self.rows
    }
}
