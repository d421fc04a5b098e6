//! Joint density of several jobs: their utility over the time that they take, as a fraction.

use core::cmp::Ordering;

/// Utility over time, both sums. The time is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Density {
    pub(super) utility: u128,
    pub(super) time: u128,
}

impl Density {
    /// Joint density of both.
    pub(super) fn and(self, other: Density) -> Density {
        Density { utility: self.utility + other.utility, time: self.time + other.time }
    }

    /// Compares exactly: by products, or if one could be too large by whole parts, then by what is over them, upside
    /// down.
    pub(super) fn compare(self, other: Density) -> Ordering {
        let most = self.utility.max(self.time).max(other.utility).max(other.time);
        if most <= u64::MAX.into() {
            return (self.utility * other.time).cmp(&(other.utility * self.time));
        }
        let (mut a, mut b) = ((self.utility, self.time), (other.utility, other.time));
        let mut order = Ordering::Equal;
        let mut is_upside_down = false;
        while order.is_eq() {
            order = (a.0 / a.1).cmp(&(b.0 / b.1));
            let over = (a.0 % a.1, b.0 % b.1);
            if order.is_eq() && (over.0 == 0 || over.1 == 0) {
                order = over.0.cmp(&over.1);
                break;
            }
            if order.is_eq() {
                (a, b) = ((a.1, over.0), (b.1, over.1));
                is_upside_down = !is_upside_down;
            }
        }
        if is_upside_down {
            order.reverse()
        } else {
            order
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_compared_as_their_cross_products() {
        for n in 0..6u128.pow(4) {
            let [a, b, c, d] = [1, 6, 36, 216].map(|power| n / power % 6);
            let (left, right) = (Density { utility: a, time: b + 1 }, Density { utility: c, time: d + 1 });
            let expected = (a * (d + 1)).cmp(&(c * (b + 1)));
            assert_eq!(left.compare(right), expected, "{left:?} {right:?}");
            let large =
                |density: Density| Density { utility: density.utility << 90, time: density.time << 90 };
            assert_eq!(large(left).compare(large(right)), expected, "{left:?} {right:?}, times 2^90");
        }
        let huge = Density { utility: u128::MAX, time: u128::MAX - 1 };
        assert!(huge.compare(Density { utility: u128::MAX - 1, time: u128::MAX - 2 }).is_lt());
    }
}
