//! Lengths less k costs, k = (m - 1 + sqrt(5 m^2 - 6 m + 1)) / 2m, compared exactly.

use num_bigint::BigInt;
use num_traits::Signed;
use std::cmp::Ordering;

/// Compares L - kC of two tasks, given as (L, C).
///
/// L_a - L_b < k (C_a - C_b) if and only if 2m (L_a - L_b) - (m - 1) (C_a - C_b) is below the root times C_a - C_b:
/// signs first, then squares.
pub(super) fn compare(a: (u64, u64), b: (u64, u64), processors: u32) -> Ordering {
    let m = BigInt::from(processors.max(1));
    let lengths = BigInt::from(a.0) - b.0;
    let costs = BigInt::from(a.1) - b.1;
    let left = 2 * &m * lengths - (&m - 1) * &costs;
    let radicand = 5 * &m * &m - 6 * &m + 1;
    let signed_square = |value: &BigInt| value * value.abs();
    signed_square(&left).cmp(&(radicand * signed_square(&costs)))
}
