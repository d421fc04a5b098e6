//! An upper bound on a program's greatest sum, which integers are enough to check.
//!
//! *Weak duality.* Let y >= 0 give each row a price. For every allowed x, with A the rows' factors and b their limits,
//! the sum of c x is at most the sum of b y + (c - A^T y) x, since A x <= b and y >= 0; and the second part is at most
//! the sum of limit * max(0, c - A^T y) over the columns. So *every* choice of prices gives a bound; a solver is only
//! asked for good ones.

use crate::program::LinearProgram;

/// Denominator of prices, which has many divisors.
pub const UNIT: u64 = 5040;

/// Returns the bound that follows from these prices (in 1 / `UNIT`), rounded up; `None` if it is too large to compute.
pub(crate) fn bound(program: &LinearProgram, prices: &[u64]) -> Option<u64> {
    assert_eq!(prices.len(), program.rows().len(), "each row has a price");
    let mut sum = 0i128;
    // What is left of each column's gain.
    let left = |column: &crate::program::Column| i128::from(column.gain) * i128::from(UNIT);
    let mut rest: Vec<i128> = program.columns().iter().map(left).collect();
    for (row, &price) in program.rows().iter().zip(prices) {
        sum = sum.checked_add(i128::from(row.limit).checked_mul(i128::from(price))?)?;
        for &(column, factor) in &row.terms {
            rest[column] = rest[column].checked_sub(i128::from(factor).checked_mul(i128::from(price))?)?;
        }
    }
    for (column, rest) in program.columns().iter().zip(rest) {
        sum = sum.checked_add(i128::from(column.limit).checked_mul(rest.max(0))?)?;
    }
    // The sum is not negative: limits and prices are not.
    u64::try_from((sum + i128::from(UNIT) - 1) / i128::from(UNIT)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximise 3 x + 2 y, x <= 4, y <= 4, x + y <= 5: 14 at (4, 1).
    fn program() -> LinearProgram {
        let mut program = LinearProgram::default();
        let (x, y) = (program.column(3, 4), program.column(2, 4));
        program.at_most([x, y], 5);
        program
    }

    #[test]
    fn every_price_gives_a_bound_and_the_right_one_is_tight() {
        let bounds = [0, 1, 2, 3, 4].map(|price| bound(&program(), &[price * UNIT]).unwrap());
        assert_eq!(bounds, [20, 17, 14, 15, 20]);
        // A price between: 5 * 7/3 + 4 * 2/3, rounded up.
        assert_eq!(bound(&program(), &[7 * UNIT / 3]), Some(15));
    }

    #[test]
    fn a_negative_factor_lends() {
        let mut program = LinearProgram::default();
        let (x, chosen) = (program.column(5, 9), program.column(0, 1));
        program.row([(x, 1), (chosen, -2)], 1);
        // x <= 1 + 2 chosen <= 3.
        assert_eq!(bound(&program, &[5 * UNIT]), Some(15));
    }

    #[test]
    fn what_is_too_large_is_no_bound() {
        let mut program = LinearProgram::default();
        program.column(u64::MAX, u64::MAX);
        assert_eq!(bound(&program, &[]), None);
    }
}
