//! Streams of random numbers that are the same on every machine.
//!
//! ChaCha with 8 rounds (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008): a stream is addressed by
//! a key (the seed and what the numbers are for) and an index, so no stream has to be consumed to reach
//! another. Floating-point numbers are made from integers by operations that IEEE 754 defines exactly.

use rand_chacha::rand_core::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Purpose of a stream. Two purposes never share numbers, so changing how one of them draws leaves the others as they
/// are: the same seed gives the same periods whatever the deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Utilizations,
    Periods,
    Deadlines,
    Arrivals,
    Jitter,
    Costs,
    Suspensions,
    Accesses,
    Utilities,
}

impl Purpose {
    /// Tag of the purpose, a part of the key. Published results depend on it: never change a tag.
    const fn tag(self) -> [u8; 8] {
        match self {
            Purpose::Utilizations => *b"utilizat",
            Purpose::Periods => *b"periods.",
            Purpose::Deadlines => *b"deadline",
            Purpose::Arrivals => *b"arrivals",
            Purpose::Jitter => *b"jitter..",
            Purpose::Costs => *b"costs...",
            Purpose::Suspensions => *b"suspensi",
            Purpose::Accesses => *b"accesses",
            Purpose::Utilities => *b"utility.",
        }
    }
}

/// One stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    numbers: ChaCha8Rng,
}

/// 2^-53, the distance of two neighbours among the numbers of [`Random::unit`].
const UNIT_STEP: f64 = 1.0 / (1u64 << 53) as f64;

impl Random {
    /// Stream `index` of `seed`, for the purpose `tag`, for uses outside this crate.
    ///
    /// The crate's own tags hold lower-case letters and dots, so begin yours with something else.
    pub fn new(seed: u64, tag: [u8; 8], index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&tag);
        let mut numbers = ChaCha8Rng::from_seed(key);
        numbers.set_stream(index);
        Random { numbers }
    }

    /// Stream number `index` of `seed` for one purpose.
    pub(crate) fn stream(seed: u64, purpose: Purpose, index: u64) -> Self {
        Self::new(seed, purpose.tag(), index)
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.numbers.next_u64()
    }

    /// Draws a number, uniform in [0, 1): a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * UNIT_STEP
    }

    /// Draws a number, uniform in (0, 1]: a multiple of 2^-53, fit for a logarithm.
    #[inline]
    pub(crate) fn positive_unit(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 * UNIT_STEP
    }

    /// Draws a number, uniform in 0..bound, without bias. Panics if `bound` is zero.
    ///
    /// D. Lemire, "Fast random integer generation in an interval", TOMACS 29(1), 2019.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below zero");
        let mut product = u128::from(self.bits()) * u128::from(bound);
        if (product as u64) < bound {
            let unfair = bound.wrapping_neg() % bound;
            while (product as u64) < unfair {
                product = u128::from(self.bits()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// Draws a number, uniform in low..=high, without bias. Panics if `low` is above `high`.
    #[inline]
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        assert!(low <= high, "an interval starts before it ends");
        match (high - low).checked_add(1) {
            Some(size) => low + self.below(size),
            None => self.bits(),
        }
    }

    /// Draws a real number, uniform in low..=high; `high` itself only if rounding makes it so.
    #[inline]
    pub(crate) fn real_between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Draws a number from the exponential distribution with this mean.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(self.positive_unit())
    }

    /// Brings `items` into a random order, each order equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that published results rest on; a change here changes every one of them. They were
    /// computed by a second implementation of ChaCha8, written from its definition.
    #[test]
    fn gives_the_same_bits_everywhere() {
        let mut random = Random::stream(1, Purpose::Utilizations, 7);
        let drawn = [random.bits(), random.bits(), random.bits()];
        assert_eq!(drawn, [10829926442760555145, 7961841356567040156, 7472863139942315727]);
        assert_eq!(random.unit().to_bits(), 0x3fea_1ab8_6788_f03f);
        assert_eq!(random.exponential(0.25).to_bits(), 0x3fbb_b3fa_35d6_8140);
        assert_eq!(random.below(1_000_000), 47_312);
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_index() {
        let first = |seed, purpose, index| Random::stream(seed, purpose, index).bits();
        let base = first(1, Purpose::Periods, 1);
        assert_ne!(base, first(2, Purpose::Periods, 1));
        assert_ne!(base, first(1, Purpose::Deadlines, 1));
        assert_ne!(base, first(1, Purpose::Periods, 2));
        assert_eq!(base, first(1, Purpose::Periods, 1));
    }

    /// Chi-squared with 6 degrees of freedom exceeds 22.46 once in a thousand; the seed is fixed.
    #[test]
    fn integers_are_uniform() {
        let mut random = Random::stream(3, Purpose::Arrivals, 0);
        let mut counts = [0f64; 7];
        for _ in 0..70_000 {
            counts[random.between(10, 16) as usize - 10] += 1.0;
        }
        let chi: f64 = counts.iter().map(|count| (count - 1e4) * (count - 1e4) / 1e4).sum();
        assert!(chi < 22.46, "{counts:?}");
    }

    /// With a bound of three quarters of the range, multiplying alone gives every third number twice as
    /// often as the others.
    #[test]
    fn integers_are_fair_for_huge_bounds() {
        let mut random = Random::stream(4, Purpose::Arrivals, 0);
        let bound = (1 << 63) + (1 << 62);
        let third = (0..10_000).filter(|_| random.below(bound) % 3 == 0).count();
        assert!((3_100..3_570).contains(&third), "a third of the draws, not half: {third}");
        assert_eq!(Random::stream(4, Purpose::Periods, 0).between(5, 5), 5);
        Random::stream(4, Purpose::Periods, 0).between(0, u64::MAX);
    }

    #[test]
    fn units_stay_in_their_interval() {
        assert_eq!((u64::MAX >> 11) as f64 * UNIT_STEP, 1.0 - UNIT_STEP);
        assert_eq!(((u64::MAX >> 11) + 1) as f64 * UNIT_STEP, 1.0);
        let mut items: Vec<u32> = (0..50).collect();
        Random::stream(5, Purpose::Periods, 0).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
