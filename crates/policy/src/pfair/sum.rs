//! Exact comparison of a sum of weights with a number of processors, whatever the denominators.

use crate::setup::Weight;
use alloc::vec;
use alloc::vec::Vec;

/// A sum of weights in units of 2^-64, rounded down and up. It can be compared with a number unless it is very near.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimate {
    low: u128,
    high: u128,
}

impl Estimate {
    /// The sum with one more weight.
    pub(super) fn plus(self, weight: Weight) -> Self {
        let (low, high) = scaled(weight);
        Estimate { low: self.low + low, high: self.high + high }
    }

    /// The sum without a weight that it contains.
    pub(super) fn minus(self, weight: Weight) -> Self {
        let (low, high) = scaled(weight);
        Estimate { low: self.low - low, high: self.high - high }
    }

    /// Returns whether the sum is above `processors`; `None` if it is too near.
    pub(super) fn exceeds(self, processors: usize) -> Option<bool> {
        let bound = (processors as u128) << 64;
        match (self.high <= bound, self.low > bound) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }
}

fn scaled(weight: Weight) -> (u128, u128) {
    let scaled = u128::from(weight.quanta()) << 64;
    (scaled / u128::from(weight.slots()), scaled.div_ceil(u128::from(weight.slots())))
}

/// True if the weights add up to more than `processors`.
pub fn exceeds(weights: impl Iterator<Item = Weight> + Clone, processors: usize) -> bool {
    let sum = weights.clone().fold(Estimate::default(), Estimate::plus);
    sum.exceeds(processors).unwrap_or_else(|| exceeds_exactly(weights, processors))
}

/// Compares exactly, with numerator and denominator of the sum in as many digits as they need.
fn exceeds_exactly(weights: impl Iterator<Item = Weight>, processors: usize) -> bool {
    let (mut numerator, mut denominator) = (vec![0u64], vec![1u64]);
    for weight in weights {
        let mut share = denominator.clone();
        multiply(&mut share, weight.quanta());
        multiply(&mut numerator, weight.slots());
        add(&mut numerator, &share);
        multiply(&mut denominator, weight.slots());
    }
    multiply(&mut denominator, processors as u64);
    is_above(&numerator, &denominator)
}

/// Multiplies a number whose digits have 64 bits, the lowest first.
fn multiply(digits: &mut Vec<u64>, by: u64) {
    let mut carry = 0u128;
    for digit in digits.iter_mut() {
        let product = u128::from(*digit) * u128::from(by) + carry;
        *digit = product as u64;
        carry = product >> 64;
    }
    if carry > 0 {
        digits.push(carry as u64);
    }
}

fn add(digits: &mut Vec<u64>, other: &[u64]) {
    digits.resize(digits.len().max(other.len()) + 1, 0);
    let mut carry = 0u128;
    for (index, digit) in digits.iter_mut().enumerate() {
        let sum = u128::from(*digit) + u128::from(other.get(index).copied().unwrap_or(0)) + carry;
        *digit = sum as u64;
        carry = sum >> 64;
    }
}

fn is_above(a: &[u64], b: &[u64]) -> bool {
    let digit = |number: &[u64], index: usize| number.get(index).copied().unwrap_or(0);
    let longest = a.len().max(b.len());
    let differing = (0..longest).rev().find(|&index| digit(a, index) != digit(b, index));
    differing.is_some_and(|index| digit(a, index) > digit(b, index))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exceeding(weights: &[(u64, u64)], processors: usize) -> bool {
        exceeds(weights.iter().map(|&(e, p)| Weight::new(e, p).unwrap()), processors)
    }

    #[test]
    fn decides_exactly_at_the_bound() {
        assert!(!exceeding(&[(1, 3), (1, 3), (1, 3)], 1));
        assert!(!exceeding(&[(2, 3), (2, 3), (2, 3)], 2));
        assert!(exceeding(&[(2, 3), (2, 3), (2, 3), (1, 1 << 40)], 2));
        assert!(!exceeding(&[], 0));
        // p/q + (q-p)/q = 1 with two large denominators each, and one part of 2^40 more.
        let (q, r) = ((1 << 40) - 87, (1 << 40) - 167);
        let full = [(5, q), (q - 5, q), (r / 3, r), (r - r / 3, r)];
        assert!(!exceeding(&full, 2));
        let mut more = full.to_vec();
        more[0].0 += 1;
        assert!(exceeding(&more, 2));
        let mut tiny = full.to_vec();
        // 5/q grows to 5/(q-1): by 2^-78.
        tiny[0].1 -= 1;
        assert!(exceeding(&tiny, 2));
        tiny[0].1 += 2;
        assert!(!exceeding(&tiny, 2));
    }
}
