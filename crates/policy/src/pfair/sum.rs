//! Exact comparison of a sum of weights with a number of processors, whatever the denominators.

use crate::setup::Weight;
use schedlab_model::Natural;

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
    let (mut numerator, mut denominator) = (Natural::new(0), Natural::new(1));
    for weight in weights {
        let share = denominator.times(weight.quanta());
        numerator.multiply(weight.slots());
        numerator.add(&share);
        denominator.multiply(weight.slots());
    }
    denominator.multiply(processors as u64);
    numerator.is_above(&denominator)
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
