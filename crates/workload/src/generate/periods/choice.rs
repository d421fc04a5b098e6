//! One of a list of periods, by weight.

use super::range::period_in;
use super::Periods;
use crate::generate::draw::Draw;
use crate::generate::form::SpecForm;
use crate::random::Random;
use crate::words::{SpecError, Words};

pub(super) const FORM: SpecForm<Periods> = SpecForm {
    written: &[("choice PERIOD[:WEIGHT]...", "one of a list, by weight")],
    read: |words| Ok(Periods::new(WeightedPeriods::parse(words)?)),
};

/// Periods in nanoseconds with their weights.
#[derive(Debug)]
pub(super) struct WeightedPeriods {
    /// Periods, each with the sum of the weights up to and including its own.
    periods: Vec<(u64, u64)>,
    /// The sum of all weights. Positive.
    total: u64,
}

impl WeightedPeriods {
    /// Makes the choice among these periods by these weights. Panics if all weights are zero.
    pub(super) fn new(weighted: impl IntoIterator<Item = (u64, u32)>) -> Self {
        let mut total = 0;
        let periods: Vec<(u64, u64)> = weighted
            .into_iter()
            .map(|(period, weight)| {
                total += u64::from(weight);
                (period, total)
            })
            .collect();
        assert!(total > 0, "some period has a weight");
        WeightedPeriods { periods, total }
    }

    fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
        let mut weighted = Vec::new();
        while weighted.is_empty() || !words.is_empty() {
            let word = words.word("a period")?;
            let (ns, weight) = word.split_once(':').unwrap_or((word, "1"));
            let weight = match weight.parse() {
                Ok(weight) if weight > 0 => weight,
                _ => return Err(words.malformed("a weight", weight, "a whole number from 1")),
            };
            weighted.push((period_in(words, "a period", ns)?, weight));
        }
        Ok(Self::new(weighted))
    }
}

impl Draw<u64> for WeightedPeriods {
    fn draw(&self, random: &mut Random) -> u64 {
        let drawn = random.below(self.total);
        self.periods[self.periods.partition_point(|(_, up_to)| *up_to <= drawn)].0
    }
}
