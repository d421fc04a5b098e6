//! Time for which the kernel accounts: intervals, and the part of any other interval that they fill.

use schedlab_model::{Duration, Instant};

/// Disjoint intervals by time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covered(Vec<(Instant, Instant)>);

impl Covered {
    /// Returns the union of the intervals.
    pub(crate) fn of(mut intervals: Vec<(Instant, Instant)>) -> Self {
        intervals.sort_unstable();
        let mut merged: Vec<(Instant, Instant)> = Vec::new();
        for (from, to) in intervals {
            match merged.last_mut() {
                Some((_, end)) if from <= *end => *end = to.max(*end),
                _ => merged.push((from, to)),
            }
        }
        Covered(merged)
    }

    /// Returns how much of the time between `from` and `to` the intervals cover.
    pub(crate) fn within(&self, from: Instant, to: Instant) -> Duration {
        let first = self.0.partition_point(|(_, end)| *end <= from);
        let met = self.0[first..].iter().take_while(|(begin, _)| *begin < to);
        let length = |(begin, end): &(Instant, Instant)| (*end).min(to).saturating_since((*begin).max(from));
        Duration::from_ns(met.map(|interval| length(interval).as_ns()).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The covered part of every interval agrees with a list of the nanoseconds that are covered.
    #[test]
    fn what_is_covered_counts_once() {
        let ns = Instant::from_ns;
        let given = [(30, 34), (2, 9), (5, 7), (9, 12), (20, 20), (33, 40)];
        let accounted = Covered::of(given.map(|(from, to)| (ns(from), ns(to))).to_vec());
        for from in 0..45 {
            for to in from..45 {
                let covered =
                    (from..to).filter(|at| given.iter().any(|(begin, end)| (begin..end).contains(&at)));
                assert_eq!(
                    accounted.within(ns(from), ns(to)).as_ns(),
                    covered.count() as u64,
                    "{from}..{to}"
                );
            }
        }
    }
}
