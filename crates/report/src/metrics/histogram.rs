//! Distribution of many values in little memory.

use hdrhistogram::Histogram as Buckets;

/// Two significant digits: values below 256 have a bucket each, and every octave above them has 128 buckets.
const DIGITS: u8 = 2;

/// Distribution of unsigned integers. Count, sum and maximum are exact; a quantile is rounded up to the end of its
/// bucket, by less than one part in 128, and never beyond the maximum.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// The values, without those of the summary alone; there from the first of them on.
    buckets: Option<Buckets<u64>>,
    count: u64,
    sum: u128,
    max: u64,
}

/// Buckets that are empty count as buckets that are not there.
impl PartialEq for Histogram {
    fn eq(&self, other: &Histogram) -> bool {
        let summary = |one: &Histogram| (one.count, one.sum, one.max);
        summary(self) == summary(other) && self.steps().eq(other.steps())
    }
}

impl Eq for Histogram {}

/// Empty buckets, which grow with the largest value.
fn empty() -> Buckets<u64> {
    Buckets::new(DIGITS).expect("two digits are allowed")
}

impl Histogram {
    /// Forgets all values, and keeps the memory of the buckets.
    pub(super) fn renew(&mut self) {
        self.buckets.iter_mut().for_each(Buckets::reset);
        (self.count, self.sum, self.max) = (0, 0, 0);
    }

    /// Adds one value.
    #[inline]
    pub(crate) fn add(&mut self, value: u64) {
        self.add_to_summary(value);
        self.buckets.get_or_insert_with(empty).record(value).expect("buckets grow with their values");
    }

    /// Adds one value to count, sum and maximum alone: quantiles do not see it.
    #[inline(always)]
    pub(crate) fn add_to_summary(&mut self, value: u64) {
        // Fewer than 2^64 values are added, each below 2^64: neither can overflow.
        self.count = self.count.wrapping_add(1);
        self.sum = self.sum.wrapping_add(u128::from(value));
        self.max = self.max.max(value);
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Sum of all values.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The largest value.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The mean, for people; sum and count give it exactly.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The smallest value that at least `part` of `of` equal parts of the values do not exceed, rounded
    /// up by less than one part in 128: `quantile(95, 100)` is the 95th percentile.
    ///
    /// Panics unless `part <= of` and `of` is positive.
    pub fn quantile(&self, part: u32, of: u32) -> Option<u64> {
        assert!(of > 0 && part <= of, "a quantile lies between 0 and 1");
        let rank = (u128::from(self.count) * u128::from(part)).div_ceil(u128::from(of)).max(1);
        let mut seen = 0;
        self.steps().find_map(|(high, count)| {
            seen += u128::from(count);
            (seen >= rank).then_some(high.min(self.max))
        })
    }

    /// The largest value of each bucket that is not empty, rising, and the number of values in the bucket.
    fn steps(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.buckets.iter().flat_map(|buckets| {
            let steps = buckets.iter_recorded();
            steps.map(|step| (buckets.highest_equivalent(step.value_iterated_to()), step.count_at_value()))
        })
    }

    /// Adds all values of `other`.
    pub(crate) fn merge(&mut self, other: &Histogram) {
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
        if let Some(theirs) = &other.buckets {
            self.buckets.get_or_insert_with(empty).add(theirs).expect("buckets grow with their values");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<u64> {
        let mut x = 88172645463325252u64;
        let mut next = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x
        };
        (0..5_000).map(|i| next() >> (i % 64)).collect()
    }

    #[test]
    fn agrees_with_a_sorted_list() {
        let (mut sorted, mut histogram) = (values(), Histogram::default());
        sorted.iter().for_each(|value| histogram.add(*value));
        sorted.sort_unstable();
        assert_eq!(histogram.max(), sorted.last().copied());
        assert_eq!(histogram.sum(), sorted.iter().map(|value| u128::from(*value)).sum());
        for part in 0..=100u32 {
            let exact = sorted[(sorted.len() * part as usize).div_ceil(100).max(1) - 1];
            let told = histogram.quantile(part, 100).unwrap();
            assert!(told >= exact && told - exact <= exact / 128, "{part}: {told} for {exact}");
        }
        assert_eq!(histogram.quantile(1, 1), histogram.max());
        assert_eq!(Histogram::default().quantile(1, 2), None);
    }

    #[test]
    fn merging_is_adding_all() {
        let (mut one, mut two, mut all) = (Histogram::default(), Histogram::default(), Histogram::default());
        for (index, value) in values().into_iter().enumerate() {
            all.add(value);
            if index % 3 == 0 { &mut one } else { &mut two }.add(value);
        }
        let mut other_way = two.clone();
        other_way.merge(&one);
        one.merge(&two);
        assert!(one == all && other_way == all);
    }
}
