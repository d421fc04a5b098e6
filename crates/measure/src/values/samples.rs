//! Values measured of one thing under the same conditions, and their statistics.
//!
//! Block-or-not-2008, section 4.1: "we determined each overhead term by discarding the top 1% of measured values, and
//! then taking the maximum (for hard real-time) or average (for soft real-time) of the remaining values".

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Measured values in ns, one for each time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<u64>);

/// Statistics of [`Samples`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Number of values, with the discarded ones.
    pub(crate) count: usize,
    /// Largest of the kept values, in ns.
    #[serde(rename = "max_ns")]
    pub(crate) max: u64,
    /// Mean of the kept values, in ns.
    #[serde(rename = "mean_ns")]
    pub(crate) mean: f64,
    /// Largest of all values, in ns.
    #[serde(rename = "worst_ns")]
    pub(crate) worst: u64,
    /// Percentiles in ns: the value that this part of all values does not exceed.
    pub(crate) percentiles_ns: BTreeMap<String, u64>,
    /// Lower bounds of bins, a sixteenth of an octave each, with the number of all values in them.
    pub(crate) bins: Vec<(u64, usize)>,
}

/// The percentiles that are kept, by name as in overheads files, in tenths of a percent.
pub(crate) const PERCENTILES: [(&str, u16); 5] =
    [("p50", 500), ("p90", 900), ("p95", 950), ("p99", 990), ("p99_9", 999)];

/// One value in this many is discarded, the largest ones.
const DISCARDED: usize = 100;
/// Number of values below which it is unknown which of them repeat.
const FEW: usize = 100;
/// One value in this many has to be about as large as one that repeats.
const REPEATS: usize = 200;
/// Number of bins in an octave.
const TO_AN_OCTAVE: f64 = 16.0;

impl From<Vec<u64>> for Samples {
    fn from(ns: Vec<u64>) -> Self {
        Samples(ns)
    }
}

impl Samples {
    /// An empty sample with room for `count` values.
    pub(crate) fn with_room(count: usize) -> Self {
        Samples(Vec::with_capacity(count))
    }

    /// Adds a value.
    pub(crate) fn add(&mut self, ns: u64) {
        self.0.push(ns);
    }

    /// Adds all values of `other`.
    pub(crate) fn append(&mut self, mut other: Samples) {
        self.0.append(&mut other.0);
    }

    /// All values, in the order in which they were added.
    pub(crate) fn values(&self) -> &[u64] {
        &self.0
    }

    /// Returns the statistics; `None` if nothing was measured.
    pub(crate) fn kept(mut self) -> Option<Kept> {
        self.0.sort_unstable();
        let count = self.0.len();
        let worst = *self.0.last()?;
        let percentile = |tenths: u16| self.0[rank(tenths, count) - 1];
        let percentiles_ns =
            PERCENTILES.iter().map(|(name, tenths)| ((*name).to_owned(), percentile(*tenths))).collect();
        let mut bins: Vec<(u64, usize)> = Vec::new();
        for ns in &self.0 {
            match bins.last_mut() {
                Some((low, many)) if bin(*ns) == *low => *many += 1,
                _ => bins.push((bin(*ns), 1)),
            }
        }
        self.0.truncate(count - count / DISCARDED);
        let sum: u128 = self.0.iter().map(|ns| u128::from(*ns)).sum();
        Some(Kept {
            count,
            max: *self.0.last().expect("not all is discarded"),
            mean: sum as f64 / self.0.len() as f64,
            worst,
            percentiles_ns,
            bins,
        })
    }
}

/// Returns how many of `count` values, at least one, do not exceed this percentile, in tenths of a percent.
fn rank(tenths: u16, count: usize) -> usize {
    (count * usize::from(tenths)).div_ceil(1_000).max(1)
}

/// Returns a percentile of all values in `all`: the upper bound of its bin, or the largest value.
pub(crate) fn percentile(all: &[&Kept], tenths: u16) -> Option<u64> {
    let mut bins: BTreeMap<u64, usize> = BTreeMap::new();
    for (low, many) in all.iter().flat_map(|kept| &kept.bins) {
        *bins.entry(*low).or_default() += many;
    }
    let mut left = rank(tenths, bins.values().sum());
    let (low, _) = bins.into_iter().find(|(_, many)| {
        let here = left <= *many;
        left = left.saturating_sub(*many);
        here
    })?;
    let worst = all.iter().map(|kept| kept.worst).max()?;
    Some(worst.min(above(low)))
}

/// Returns the largest value in `all` that repeats: at least three values, and one in two hundred, are as large but for
/// a sixteenth. What the host or an interrupt adds to a value now and then is of any length, and does not repeat. Of
/// fewer than a hundred values, and where none repeats, the largest that is kept.
pub(crate) fn repeated(all: &[&Kept]) -> Option<u64> {
    let largest = all.iter().map(|kept| kept.max).max()?;
    let mut bins: BTreeMap<u64, usize> = BTreeMap::new();
    for (low, many) in all.iter().flat_map(|kept| &kept.bins) {
        *bins.entry(*low).or_default() += many;
    }
    let count: usize = bins.values().sum();
    if count < FEW {
        return Some(largest);
    }
    let enough = (count / REPEATS).max(3);
    let about = |low: u64| bins.range(low - low / 16..=low + low / 16).map(|(_, many)| many).sum::<usize>();
    let found = bins.keys().rev().find(|low| about(**low) >= enough);
    Some(found.map_or(largest, |low| largest.min(above(*low))))
}

/// Returns the upper bound of the bin that begins at `low`.
fn above(low: u64) -> u64 {
    ((low + 1) as f64 * (1.0 / TO_AN_OCTAVE).exp2()).ceil() as u64
}

/// Returns the lower bound of the bin of `ns`.
fn bin(ns: u64) -> u64 {
    if ns == 0 {
        return 0;
    }
    let number = ((ns as f64).log2() * TO_AN_OCTAVE).floor();
    (number / TO_AN_OCTAVE).exp2() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_hundredth_is_discarded() {
        let mut samples = Samples::default();
        (1..=200).rev().for_each(|ns| samples.add(ns));
        let kept = samples.kept().unwrap();
        assert_eq!((kept.count, kept.max, kept.worst), (200, 198, 200));
        assert_eq!(kept.mean, 99.5);
        assert_eq!(kept.bins.iter().map(|(_, many)| many).sum::<usize>(), 200, "also those discarded");
        let exact = ["p50", "p90", "p95", "p99", "p99_9"].map(|name| kept.percentiles_ns[name]);
        assert_eq!(exact, [100, 180, 190, 198, 200]);
        assert!(kept.bins.is_sorted() && kept.bins.iter().any(|(low, _)| *low == 128));
    }

    /// One set has 990 values of 1,000, another ten of 50,000: 99% of all do not exceed 1,000, give or take a bin.
    #[test]
    fn percentiles_of_several_sets_are_of_all_their_values() {
        let of = |ns, many| {
            let mut samples = Samples::default();
            (0..many).for_each(|_| samples.add(ns));
            samples.kept().unwrap()
        };
        let sets = [of(1_000, 990), of(50_000, 10)];
        let all: Vec<&Kept> = sets.iter().collect();
        let at = |tenths| percentile(&all, tenths).unwrap();
        assert!((1_000..=1_046).contains(&at(500)) && at(990) == at(500), "{}", at(990));
        assert_eq!(at(999), 50_000, "no more than the largest");
        assert_eq!(percentile(&[], 500), None);
    }

    /// Of 1,000 values around 5 us twenty are a host's, from 1 ms to 20 ms; of four in a hundred at 40 us a path
    /// through the code is the cause.
    #[test]
    fn what_a_host_adds_does_not_repeat() {
        let mut samples = Samples::default();
        (0..980).for_each(|number| samples.add(5_000 + number % 40));
        (1..=20).for_each(|ms| samples.add(ms * 1_000_000));
        let kept = samples.clone().kept().unwrap();
        assert!(kept.max > 1_000_000, "the top hundredth is not all of it: {}", kept.max);
        let found = repeated(&[&kept]).unwrap();
        assert!((5_039..=5_400).contains(&found), "{found}");
        (0..40).for_each(|_| samples.add(40_000));
        let found = repeated(&[&samples.kept().unwrap()]).unwrap();
        assert!((40_000..=42_000).contains(&found), "{found}");
        let few = Kept { max: 7, bins: vec![(1, 98), (7, 1)], ..Kept::default() };
        assert_eq!((repeated(&[&few]), repeated(&[])), (Some(7), None));
    }

    /// A bin's upper bound is above all its values, whatever was rounded.
    #[test]
    fn no_value_is_above_its_bin() {
        for ns in (0..5_000).chain([u32::MAX as u64, 1 << 40, (1 << 40) - 1]) {
            assert!(bin(ns) <= ns && ns <= above(bin(ns)), "{ns}");
        }
    }

    #[test]
    fn few_values_are_all_kept_and_none_give_nothing() {
        let mut samples = Samples::default();
        samples.add(0);
        samples.add(7);
        let kept = samples.kept().unwrap();
        assert_eq!((kept.max, kept.mean, kept.bins.len()), (7, 3.5, 2));
        assert_eq!(Samples::default().kept(), None);
    }
}
