//! Sums of fractions that are compared exactly: utilizations, densities, loads of processors.
//!
//! A sum is kept as its fractions and as a floating-point number with a bound on its error. That number decides nearly
//! every comparison; where it cannot, an interval of fixed-point numbers may, and at last a sum of big rationals does.

use crate::ratio::Ratio;
use core::cmp::Ordering;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// The exact sum of fractions.
#[derive(Clone, Debug, Default)]
pub struct Load {
    parts: Vec<(u64, u64)>,
    /// The sum in floating point, off by less than [`unclear`] returns.
    nearly: f64,
}

/// Returns how far two sums of `terms` fractions in all may be apart without floating point deciding which is larger. A
/// quotient is off by three roundings, which are half of `EPSILON` each, and each addition by one more; twice as much
/// as that leaves room for the roundings of the comparison itself.
#[inline]
fn unclear(a: f64, b: f64, terms: usize) -> f64 {
    (a + b) * uncertainty(terms)
}

/// Returns the bound of [`unclear`] as a part of what the two sums add up to; it only grows with the number of
/// fractions.
#[inline]
pub(crate) fn uncertainty(terms: usize) -> f64 {
    (terms as f64 + 8.0) * f64::EPSILON
}

#[inline]
pub(crate) fn quotient((numerator, denominator): (u64, u64)) -> f64 {
    numerator as f64 / denominator as f64
}

/// Bounds on a number without big integers: it is `low` or more, `high` or less, in units of 2^-64.
///
/// `high` is `None` where it cannot be represented.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    low: u128,
    high: Option<u128>,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { low: 0, high: Some(0) }
    }
}

impl Bounds {
    fn of(numerator: u64, denominator: u64) -> Bounds {
        let (scaled, denominator) = (u128::from(numerator) << 64, u128::from(denominator));
        let low = scaled / denominator;
        Bounds { low, high: Some(low + u128::from(low * denominator != scaled)) }
    }

    fn plus(self, other: Bounds) -> Bounds {
        let high = self.high.and_then(|a| other.high.and_then(|b| a.checked_add(b)));
        Bounds { low: self.low.saturating_add(other.low), high }
    }

    /// Compares the two numbers; `None` if the bounds do not decide.
    fn compare(self, other: Bounds) -> Option<Ordering> {
        if other.high.is_some_and(|high| self.low > high) {
            return Some(Ordering::Greater);
        }
        if self.high.is_some_and(|high| high < other.low) {
            return Some(Ordering::Less);
        }
        let known = self.high == Some(self.low) && other.high == Some(other.low);
        known.then(|| self.low.cmp(&other.low))
    }
}

fn rational((numerator, denominator): (u64, u64)) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

impl Load {
    /// Sets the sum to zero.
    pub(crate) fn clear(&mut self) {
        self.parts.clear();
        self.nearly = 0.0;
    }

    /// Adds a numerator over a denominator. Panics if the denominator is zero.
    #[inline]
    pub(crate) fn add(&mut self, part: (u64, u64)) {
        assert!(part.1 > 0, "a fraction's denominator is positive");
        self.nearly += quotient(part);
        self.parts.push(part);
    }

    /// Compares this sum with another one.
    pub(crate) fn compare(&self, other: &Load) -> Ordering {
        let unclear = unclear(self.nearly, other.nearly, self.parts.len() + other.parts.len());
        match self.nearly - other.nearly {
            above if above > unclear => Ordering::Greater,
            above if above < -unclear => Ordering::Less,
            // Equal parts in the same order are frequent: copies of one task on two processors.
            _ if self.parts == other.parts => Ordering::Equal,
            _ => self.bounds().compare(other.bounds()).unwrap_or_else(|| self.exact().cmp(&other.exact())),
        }
    }

    /// Compares this sum plus the fraction `extra` with `bound`.
    #[inline]
    pub(crate) fn compare_with(&self, extra: (u64, u64), bound: Ratio) -> Ordering {
        let limit = (bound.numerator(), bound.denominator());
        let (sum, nearly) = (self.nearly + quotient(extra), quotient(limit));
        let unclear = unclear(sum, nearly, self.parts.len() + 2);
        match sum - nearly {
            above if above > unclear => Ordering::Greater,
            above if above < -unclear => Ordering::Less,
            _ => self.compare_exactly(extra, bound),
        }
    }

    #[cold]
    fn compare_exactly(&self, extra: (u64, u64), bound: Ratio) -> Ordering {
        let limit = Bounds::of(bound.numerator(), bound.denominator());
        let sum = self.bounds().plus(Bounds::of(extra.0, extra.1));
        sum.compare(limit).unwrap_or_else(|| (self.exact() + rational(extra)).cmp(&bound.exact()))
    }

    /// The sum in fixed point.
    fn bounds(&self) -> Bounds {
        self.parts.iter().fold(Bounds::default(), |sum, part| sum.plus(Bounds::of(part.0, part.1)))
    }

    /// Returns the largest `n` for which this sum plus `n / denominator` is at most `bound`; `None` if the sum exceeds
    /// the bound by itself.
    pub(crate) fn room(&self, bound: Ratio, denominator: u64) -> Option<u64> {
        let (limit, bounds) = (Bounds::of(bound.numerator(), bound.denominator()), self.bounds());
        let scaled =
            |high: u128, low: u128| Some(high.checked_sub(low)?.checked_mul(denominator.into())? >> 64);
        let least = bounds.high.and_then(|high| scaled(limit.low, high));
        let most = limit.high.and_then(|high| scaled(high, bounds.low));
        match (least, most) {
            (Some(least), Some(most)) if least == most => least.try_into().ok(),
            _ => {
                let rest = bound.exact() - self.exact();
                let whole = (rest * rational((denominator, 1))).floor();
                (whole >= BigRational::zero()).then(|| whole.to_u64().unwrap_or(u64::MAX))
            }
        }
    }

    /// The sum itself.
    pub(crate) fn exact(&self) -> BigRational {
        self.parts.iter().fold(BigRational::zero(), |sum, part| sum + rational(*part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Random};

    fn load(parts: &[(u64, u64)]) -> Load {
        let mut load = Load::default();
        parts.iter().for_each(|part| load.add(*part));
        load
    }

    #[test]
    fn three_thirds_are_one() {
        let thirds = load(&[(1, 3), (1, 3), (1, 3)]);
        assert_eq!(thirds.compare_with((0, 1), Ratio::ONE), Ordering::Equal);
        assert_eq!(thirds.compare(&load(&[(1, 2), (1, 2)])), Ordering::Equal);
        assert_eq!(load(&[(1, 3), (1, 3)]).compare_with((1, 3), Ratio::ONE), Ordering::Equal);
        assert_eq!(thirds.room(Ratio::ONE, 1_000), Some(0));
        assert_eq!(thirds.room(Ratio::new(1, 2).unwrap(), 1_000), None);
    }

    /// Differences below what the interval can see, in both directions.
    #[test]
    fn sees_the_smallest_difference() {
        let huge = u64::MAX;
        let (a, b) = (load(&[(huge - 2, huge - 1)]), load(&[(huge - 1, huge)]));
        assert_eq!(a.compare(&b), Ordering::Less);
        assert_eq!(b.compare(&a), Ordering::Greater);
        assert_eq!(b.compare_with((0, 1), Ratio::ONE), Ordering::Less);
        assert_eq!(b.compare_with((1, huge), Ratio::ONE), Ordering::Equal);
    }

    /// Densities of absurd inputs neither wrap nor panic.
    #[test]
    fn stands_the_largest_numbers() {
        let huge = load(&[(u64::MAX, 1), (u64::MAX, 1), (1, 3)]);
        assert_eq!(huge.compare_with((0, 1), Ratio::whole(u64::MAX)), Ordering::Greater);
        assert_eq!(huge.compare(&load(&[(u64::MAX, 1), (u64::MAX, 1)])), Ordering::Greater);
        assert_eq!(huge.room(Ratio::whole(4), 10), None);
        assert_eq!(load(&[]).room(Ratio::whole(u64::MAX), u64::MAX), Some(u64::MAX));
    }

    /// Sums agree with big rationals alone, on sums that often meet the bound exactly.
    #[test]
    fn agrees_with_big_rationals() {
        let mut random = Random::stream(11, Purpose::Periods, 0);
        let mut equal = 0;
        for _ in 0..3_000 {
            let mut parts =
                |n| (0..n).map(|_| (random.between(1, 3), random.between(1, 4))).collect::<Vec<_>>();
            let (a, b) = (load(&parts(4)), load(&parts(3)));
            assert_eq!(a.compare(&b), a.exact().cmp(&b.exact()));
            let bound = Ratio::new(random.between(6, 15), 3).unwrap();
            let got = a.compare_with((0, 1), bound);
            assert_eq!(got, a.exact().cmp(&bound.exact()));
            equal += u32::from(got == Ordering::Equal);
            if let Some(room) = a.room(bound, 24) {
                assert_ne!(a.compare_with((room, 24), bound), Ordering::Greater);
                assert_eq!(a.compare_with((room + 1, 24), bound), Ordering::Greater);
            } else {
                assert_eq!(got, Ordering::Greater);
            }
        }
        assert!(equal > 50, "the equal case was met {equal} times only");
    }
}
