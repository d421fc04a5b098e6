//! Fractions of big integers, reduced only when they are read.
//!
//! Reducing after each addition costs more than all the rest when ten thousand periods are involved.
//! Sums and products are therefore built as balanced trees of unreduced fractions, and compared by
//! multiplying out.

use super::Pair;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;
use std::fmt;

/// A fraction with a positive denominator, not necessarily in lowest terms.
#[derive(Clone, Debug)]
pub struct Fraction {
    numerator: BigInt,
    denominator: BigInt,
}

impl Fraction {
    /// `numerator / denominator`. Panics unless the denominator is positive.
    pub fn new(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> Self {
        let (numerator, denominator) = (numerator.into(), denominator.into());
        assert!(denominator.is_positive(), "a fraction's denominator is positive");
        Fraction { numerator, denominator }
    }

    /// A whole number.
    pub fn integer(value: impl Into<BigInt>) -> Self {
        Fraction { numerator: value.into(), denominator: BigInt::one() }
    }

    /// The sum of `terms`.
    pub fn sum(terms: &[Pair]) -> Self {
        let leaves = terms.iter().map(|&(n, d)| Fraction::new(n, d)).collect();
        Self::fold(leaves, Fraction::integer(0), Fraction::plus)
    }

    /// The sum of any fractions.
    pub fn sum_of(terms: Vec<Fraction>) -> Self {
        Self::fold(terms, Fraction::integer(0), Fraction::plus)
    }

    /// The product of `1 + term` over all `terms`.
    pub(crate) fn product_of_successors(terms: &[Pair]) -> Self {
        let leaves = terms.iter().map(|&(n, d)| Fraction::new(BigInt::from(n) + d, d)).collect();
        Self::fold(leaves, Fraction::integer(1), Fraction::times)
    }

    fn fold(mut level: Vec<Fraction>, empty: Fraction, join: fn(&Fraction, &Fraction) -> Fraction) -> Self {
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => join(a, b),
                    other => other[0].clone(),
                })
                .collect();
        }
        level.pop().unwrap_or(empty)
    }

    /// `self + other`.
    pub fn plus(&self, other: &Fraction) -> Fraction {
        Fraction {
            numerator: &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    /// `self - other`.
    pub fn minus(&self, other: &Fraction) -> Fraction {
        Fraction {
            numerator: &self.numerator * &other.denominator - &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    /// `self * other`.
    pub fn times(&self, other: &Fraction) -> Fraction {
        Fraction {
            numerator: &self.numerator * &other.numerator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    /// `self / divisor`. Panics unless the divisor is positive.
    pub fn over(&self, divisor: &Fraction) -> Fraction {
        assert!(divisor.numerator.is_positive(), "a divisor is positive");
        Fraction {
            numerator: &self.numerator * &divisor.denominator,
            denominator: &self.denominator * &divisor.numerator,
        }
    }

    /// Compares two fractions.
    pub fn compare(&self, other: &Fraction) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }

    /// True if the fraction is above zero.
    pub(crate) fn is_positive(&self) -> bool {
        self.numerator.is_positive()
    }

    /// The least integer that is not below the fraction.
    pub fn ceiling(&self) -> BigInt {
        Integer::div_ceil(&self.numerator, &self.denominator)
    }

    /// The greatest integer that is not above the fraction.
    pub fn floor(&self) -> BigInt {
        Integer::div_floor(&self.numerator, &self.denominator)
    }

    /// Returns the fraction in lowest terms.
    pub fn reduced(&self) -> Fraction {
        let (numerator, denominator) = self.lowest_terms();
        Fraction { numerator, denominator }
    }

    /// Numerator and denominator in lowest terms.
    pub fn lowest_terms(&self) -> (BigInt, BigInt) {
        let divisor = self.numerator.gcd(&self.denominator);
        if divisor.is_zero() {
            return (BigInt::zero(), BigInt::one());
        }
        (&self.numerator / &divisor, &self.denominator / &divisor)
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Fraction) -> bool {
        self.compare(other).is_eq()
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        self.compare(other)
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (numerator, denominator) = self.lowest_terms();
        if denominator.is_one() {
            write!(f, "{numerator}")
        } else {
            write!(f, "{numerator}/{denominator}")
        }
    }
}
