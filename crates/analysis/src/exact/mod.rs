//! Comparison of numbers without rounding.
//!
//! A test compares a sum or a product of fractions with a small integer. Floating point answers first,
//! with a bound on its own error ([`filter`]); only where the two sides are closer than that bound are
//! they computed exactly ([`Fraction`]). The answer never depends on rounding.

pub mod filter;
mod fraction;

pub use fraction::Fraction;

use std::cmp::Ordering;

/// `a/b` as numerator and denominator; the denominator is positive.
pub type Pair = (u64, u64);

/// Compares two fractions.
pub fn compare(a: Pair, b: Pair) -> Ordering {
    (u128::from(a.0) * u128::from(b.1)).cmp(&(u128::from(b.0) * u128::from(a.1)))
}

/// Compares the sum of `terms` with `limit`.
pub fn compare_sum(terms: &[Pair], limit: u64) -> Ordering {
    compare_sum_of(terms.iter().copied(), limit)
}

/// Compares the sum of terms that are not stored anywhere with `limit`.
pub fn compare_sum_of(terms: impl Iterator<Item = Pair> + Clone, limit: u64) -> Ordering {
    let add = |(sum, count), term| (sum + filter::quotient(term), count + 1);
    let (sum, count): (f64, usize) = terms.clone().fold((0.0, 0), add);
    filter::compare(sum, sum * filter::relative_error(count), limit as f64)
        .unwrap_or_else(|| Fraction::sum(&terms.collect::<Vec<_>>()).compare(&Fraction::integer(limit)))
}

/// Compares the sum of `terms` with a fraction.
pub(crate) fn compare_sum_to(terms: &[Pair], limit: Pair) -> Ordering {
    let sum: f64 = terms.iter().map(|&term| filter::quotient(term)).sum();
    let (error, approximate) = (filter::relative_error(terms.len()), filter::quotient(limit));
    filter::compare(sum, (sum + approximate) * error, approximate)
        .unwrap_or_else(|| Fraction::sum(terms).compare(&Fraction::new(limit.0, limit.1)))
}

/// Compares the product of `1 + term` over all `terms` with `limit`.
pub(crate) fn compare_product(terms: &[Pair], limit: u64) -> Ordering {
    let product: f64 = terms.iter().map(|&term| 1.0 + filter::quotient(term)).product();
    // Each factor is off by five roundings at most, so the doubled bound for sums covers it.
    filter::compare(product, product * 2.0 * filter::relative_error(terms.len()), limit as f64)
        .unwrap_or_else(|| Fraction::product_of_successors(terms).compare(&Fraction::integer(limit)))
}

/// The least integer that is not below the sum of `terms`.
pub(crate) fn ceiling_of_sum(terms: &[Pair]) -> u64 {
    let sum: f64 = terms.iter().map(|&term| filter::quotient(term)).sum();
    let error = sum * filter::relative_error(terms.len());
    let (low, high) = ((sum - error).ceil(), (sum + error).ceil());
    if low == high && high < 1e15 {
        return high as u64;
    }
    u64::try_from(Fraction::sum(terms).ceiling()).expect("a sum of utilizations below 2^64")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_is_found_where_floating_point_cannot_see_it() {
        // 1/3 + 1/7 + 11/21 = 1, and one unit in 2^55 less or more is not.
        assert_eq!(compare_sum(&[(1, 3), (1, 7), (11, 21)], 1), Ordering::Equal);
        let big = 1 << 55;
        assert_eq!(compare_sum(&[(big - 1, big), (1, big)], 1), Ordering::Equal);
        assert_eq!(compare_sum(&[(big - 1, big), (1, big + 1)], 1), Ordering::Less);
        assert_eq!(compare_sum(&[(big - 1, big), (1, big - 1)], 1), Ordering::Greater);
        assert_eq!(compare_sum_to(&[(1, 3), (1, 6)], (2, 4)), Ordering::Equal);
        assert_eq!(compare_sum_to(&[(1, 3), (1, 6)], (big, 2 * big + 1)), Ordering::Greater);
        assert_eq!(compare_sum_to(&[(1, 3), (1, 6)], (big + 1, 2 * big + 1)), Ordering::Less);
    }

    #[test]
    fn products_compare_exactly() {
        assert_eq!(compare_product(&[(1, 2), (1, 3)], 2), Ordering::Equal);
        let big = 1 << 50;
        assert_eq!(compare_product(&[(1, 2), (big, 3 * big + 1)], 2), Ordering::Less);
        assert_eq!(compare_product(&[(1, 2), (big, 3 * big - 1)], 2), Ordering::Greater);
    }

    /// (n+1)/n (n+2)/(n+1) ... 2n/(2n-1) = 2, on whatever side of 2 floating point comes out.
    #[test]
    fn telescopes_to_equality() {
        for n in 1..200 {
            let mut terms: Vec<Pair> = (n..2 * n).map(|k| (1, k)).collect();
            assert_eq!(compare_product(&terms, 2), Ordering::Equal, "{n}");
            terms[0] = (1 << 40, (n << 40) + 1);
            assert_eq!(compare_product(&terms, 2), Ordering::Less, "{n}");
        }
    }

    #[test]
    fn ceilings_are_exact_at_integers() {
        assert_eq!(ceiling_of_sum(&[(1, 2), (1, 2)]), 1);
        assert_eq!(ceiling_of_sum(&[(1, 2), ((1 << 54) + 1, 1 << 55)]), 2);
        assert_eq!(ceiling_of_sum(&[]), 0);
    }
}
