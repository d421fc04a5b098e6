//! How values are distributed, in little memory: a log-linear histogram.
//!
//! Values below 128 have a bucket each; from there on every octave [2^k, 2^(k+1)) has 128 buckets of equal
//! width. A quantile is given as the upper end of its bucket (but never beyond the maximum), so it is never too
//! small, and too large by less than one part in 128. Count, sum and maximum are exact.

/// Buckets of an octave, as a power of two.
const BITS: u32 = 7;
const BUCKETS: usize = 1 << BITS;
const OCTAVES: usize = 64 - BITS as usize + 1;

type Octave = Option<Box<[u64; BUCKETS]>>;

/// A distribution of unsigned integers.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// All of them, or none before the first value that is not of the summary alone.
    octaves: Vec<Octave>,
    count: u64,
    sum: u128,
    max: u64,
}

/// Memory that stays from other values does not count.
impl PartialEq for Histogram {
    fn eq(&self, other: &Histogram) -> bool {
        let summary = |one: &Histogram| (one.count, one.sum, one.max);
        summary(self) == summary(other) && self.buckets().eq(other.buckets())
    }
}

impl Eq for Histogram {}

/// The octave and the bucket of a value.
#[inline]
fn place(value: u64) -> (usize, usize) {
    if value < BUCKETS as u64 {
        return (0, value as usize);
    }
    let shift = 63 - value.leading_zeros() - BITS;
    (shift as usize + 1, (value >> shift) as usize & (BUCKETS - 1))
}

/// The smallest and the largest value of a bucket.
fn range((octave, bucket): (usize, usize)) -> (u64, u64) {
    if octave == 0 {
        return (bucket as u64, bucket as u64);
    }
    let shift = octave - 1;
    let low = ((BUCKETS + bucket) as u64) << shift;
    (low, low + ((1u64 << shift) - 1))
}

impl Histogram {
    /// Forgets all values, and keeps its memory.
    pub(super) fn renew(&mut self) {
        let mut octaves = core::mem::take(&mut self.octaves);
        octaves.iter_mut().flatten().for_each(|buckets| buckets.fill(0));
        *self = Histogram { octaves, ..Histogram::default() };
    }

    /// Adds one value.
    #[inline]
    pub(crate) fn add(&mut self, value: u64) {
        self.add_to_summary(value);
        let (octave, bucket) = place(value);
        match self.octaves.get_mut(octave) {
            Some(Some(buckets)) => buckets[bucket] += 1,
            Some(None) | None => self.octave(octave)[bucket] = 1,
        }
    }

    /// The buckets of an octave, which may have none yet.
    #[cold]
    fn octave(&mut self, octave: usize) -> &mut [u64; BUCKETS] {
        self.octaves.resize_with(OCTAVES, || None);
        self.octaves[octave].get_or_insert_with(|| Box::new([0; BUCKETS]))
    }

    /// Adds one value to count, sum and maximum alone: quantiles do not know of it.
    #[inline(always)]
    pub(crate) fn add_to_summary(&mut self, value: u64) {
        // Fewer than 2^64 values are added, each below 2^64: neither can overflow.
        self.count = self.count.wrapping_add(1);
        self.sum = self.sum.wrapping_add(u128::from(value));
        self.max = self.max.max(value);
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their sum.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The largest.
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
        self.buckets().find_map(|(_, high, count)| {
            seen += u128::from(count);
            (seen >= rank).then_some(high.min(self.max))
        })
    }

    /// The buckets that are not empty, rising: smallest value, largest value, count.
    fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let octaves = self.octaves.iter().enumerate();
        let filled = octaves.filter_map(|(octave, buckets)| Some((octave, buckets.as_ref()?)));
        filled.flat_map(|(octave, buckets)| {
            let counts = buckets.iter().enumerate().filter(|(_, count)| **count > 0);
            counts.map(move |(bucket, count)| {
                let (low, high) = range((octave, bucket));
                (low, high, *count)
            })
        })
    }

    /// Adds all values of `other`.
    pub(crate) fn merge(&mut self, other: &Histogram) {
        self.count += other.count;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
        for (octave, theirs) in other.octaves.iter().enumerate() {
            let Some(theirs) = theirs else { continue };
            let mine = self.octave(octave);
            mine.iter_mut().zip(theirs.iter()).for_each(|(mine, theirs)| *mine += theirs);
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
    fn each_value_lies_in_its_bucket_and_buckets_are_narrow() {
        for value in values().into_iter().chain([0, 1, 127, 128, 255, 256, u64::MAX]) {
            let (low, high) = range(place(value));
            assert!(low <= value && value <= high, "{value} in {low}..={high}");
            assert!((high - low) <= low / 128, "{low}..={high}");
        }
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
