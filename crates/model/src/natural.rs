//! Natural numbers of any size, for sums of fractions that must be compared exactly.

use alloc::vec;
use alloc::vec::Vec;

/// A natural number, in digits of 64 bits, the lowest first.
#[derive(Clone, Debug)]
pub struct Natural(Vec<u64>);

impl Natural {
    /// The number `value`.
    pub fn new(value: u64) -> Self {
        Natural(vec![value])
    }

    /// Multiplies the number by `factor`.
    pub fn multiply(&mut self, factor: u64) {
        let mut carry = 0u128;
        for digit in &mut self.0 {
            let product = u128::from(*digit) * u128::from(factor) + carry;
            *digit = product as u64;
            carry = product >> 64;
        }
        if carry > 0 {
            self.0.push(carry as u64);
        }
    }

    /// The product of the number and `factor`.
    #[must_use]
    pub fn times(&self, factor: u64) -> Natural {
        let mut product = self.clone();
        product.multiply(factor);
        product
    }

    /// Adds `other` to the number.
    pub fn add(&mut self, other: &Natural) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        let mut carry = 0u128;
        for (index, digit) in self.0.iter_mut().enumerate() {
            let sum = u128::from(*digit) + u128::from(other.digit(index)) + carry;
            *digit = sum as u64;
            carry = sum >> 64;
        }
        if carry > 0 {
            self.0.push(carry as u64);
        }
    }

    /// Returns whether the number is above `other`.
    pub fn is_above(&self, other: &Natural) -> bool {
        let longest = self.0.len().max(other.0.len());
        let differing = (0..longest).rev().find(|&index| self.digit(index) != other.digit(index));
        differing.is_some_and(|index| self.digit(index) > other.digit(index))
    }

    fn digit(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_carry() {
        let most = Natural::new(u64::MAX);
        let mut square = most.times(u64::MAX);
        // (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1, and one more is 2^128.
        square.add(&most.times(2));
        let mut next = square.clone();
        next.add(&Natural::new(1));
        assert_eq!((square.0.as_slice(), next.0.as_slice()), (&[u64::MAX; 2][..], &[0, 0, 1][..]));
        assert!(next.is_above(&square) && !square.is_above(&next) && !square.is_above(&square));
        assert!(!Natural::new(0).is_above(&Natural(vec![0, 0])));
    }
}
