//! Values measured of one thing under the same conditions, and what is kept of them.
//!
//! Block-or-not-2008, section 4.1: "we determined each overhead term by discarding the top 1% of measured values, and then
//! taking the maximum (for hard real-time) or average (for soft real-time) of the remaining values".

use serde::{Deserialize, Serialize};

/// Nanoseconds, one for each time that something was measured.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<u64>);

/// What is kept of [`Samples`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// How many values there were, the discarded ones included.
    pub count: usize,
    /// The largest of those kept, in nanoseconds.
    #[serde(rename = "max_ns")]
    pub max: u64,
    /// The mean of those kept, in nanoseconds.
    #[serde(rename = "mean_ns")]
    pub mean: f64,
    /// The largest of all, in nanoseconds.
    #[serde(rename = "worst_ns")]
    pub worst: u64,
    /// Lower bounds of bins, a quarter of an octave each, and how many of those kept are in them.
    pub bins: Vec<(u64, usize)>,
}

/// One in so many values is discarded, the largest ones.
const DISCARDED: usize = 100;
/// Bins to an octave.
const TO_AN_OCTAVE: f64 = 4.0;

impl Samples {
    /// No values, and room for so many.
    pub fn with_room(count: usize) -> Self {
        Samples(Vec::with_capacity(count))
    }

    /// Adds a value.
    pub fn add(&mut self, ns: u64) {
        self.0.push(ns);
    }

    /// Adds all values of `other`.
    pub fn append(&mut self, mut other: Samples) {
        self.0.append(&mut other.0);
    }

    /// All values, in the order in which they were added.
    pub fn values(&self) -> &[u64] {
        &self.0
    }

    /// What is kept; nothing if nothing was measured.
    pub fn kept(mut self) -> Option<Kept> {
        self.0.sort_unstable();
        let count = self.0.len();
        let worst = *self.0.last()?;
        self.0.truncate(count - count / DISCARDED);
        let sum: u128 = self.0.iter().map(|ns| u128::from(*ns)).sum();
        let mut bins: Vec<(u64, usize)> = Vec::new();
        for ns in &self.0 {
            match bins.last_mut() {
                Some((low, many)) if bin(*ns) == *low => *many += 1,
                _ => bins.push((bin(*ns), 1)),
            }
        }
        Some(Kept {
            count,
            max: *self.0.last().expect("not all is discarded"),
            mean: sum as f64 / self.0.len() as f64,
            worst,
            bins,
        })
    }
}

/// The lower bound of the bin of `ns`.
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
        assert_eq!(kept.bins.iter().map(|(_, many)| many).sum::<usize>(), 198);
        assert!(kept.bins.is_sorted() && kept.bins.iter().any(|(low, _)| *low == 128));
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
