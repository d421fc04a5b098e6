//! Floating point with a bound on its error: decides the clear cases, refuses the rest.

use super::Pair;
use std::cmp::Ordering;

/// Twice the unit roundoff of binary64.
pub const EPSILON: f64 = f64::EPSILON;

/// `numerator / denominator`, off by at most three roundings.
#[inline]
pub fn quotient(pair: Pair) -> f64 {
    pair.0 as f64 / pair.1 as f64
}

/// Bounds the relative error of a sum of `terms` nonnegative [`quotient`]s.
///
/// Each quotient is off by a factor (1 + u)^3 at most and summation by (1 + u)^(n - 1), where u is half
/// of [`EPSILON`]. The bound returned is more than twice that for any n below 2^40.
#[inline]
pub(crate) fn relative_error(terms: usize) -> f64 {
    (terms as f64 + 8.0) * EPSILON
}

/// Compares a value known up to `error` with `limit`, or `None` where that is too close to tell.
#[inline]
pub fn compare(value: f64, error: f64, limit: f64) -> Option<Ordering> {
    if value + 2.0 * error < limit {
        Some(Ordering::Less)
    } else if value - 2.0 * error > limit {
        Some(Ordering::Greater)
    } else {
        None
    }
}
