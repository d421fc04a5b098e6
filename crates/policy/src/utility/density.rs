//! Joint density of several jobs: their utility over the time that they take, as a fraction.

use core::cmp::Ordering;

/// Utility over time, both sums. The time is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Density {
    pub(super) utility: u128,
    pub(super) time: u128,
}

impl Density {
    /// Compares exactly, without a product that could be too large: by whole parts, then by what is over them, upside
    /// down.
    pub(super) fn compare(self, other: Density) -> Ordering {
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
            assert_eq!(left.compare(right), (a * (d + 1)).cmp(&(c * (b + 1))), "{left:?} {right:?}");
        }
        let huge = Density { utility: u128::MAX, time: u128::MAX - 1 };
        assert!(huge.compare(Density { utility: u128::MAX - 1, time: u128::MAX - 2 }).is_lt());
    }
}
