//! Distributions of the user's own, beside those of the library.

use super::draw::Draw;
use super::MAX_PERIOD_NS;
use crate::random::Random;
use crate::words::{SpecError, Words};

/// A distribution of periods or utilizations of the user's own. A specification is its name alone.
#[derive(Clone, Copy, Debug)]
pub struct Own<T> {
    /// Its name in specifications: one word.
    pub name: &'static str,
    /// What it is, and where it comes from.
    pub source: &'static str,
    /// The next value of one task: the same of the same random numbers.
    pub draw: fn(&mut Random) -> T,
}

impl Draw<u64> for Own<u64> {
    /// The next period in nanoseconds, held to what periods may be: from 1 to [`MAX_PERIOD_NS`].
    fn draw(&self, random: &mut Random) -> u64 {
        (self.draw)(random).clamp(1, MAX_PERIOD_NS)
    }
}

impl Draw<f64> for Own<f64> {
    /// The next utilization, held to what utilizations may be: from 0 to 1; 0 for what is no number.
    fn draw(&self, random: &mut Random) -> f64 {
        match (self.draw)(random) {
            nothing if nothing.is_nan() => 0.0,
            drawn => drawn.clamp(0.0, 1.0),
        }
    }
}

/// All that specifications may name besides what the library has.
#[derive(Clone, Debug, Default)]
pub struct OwnDistributions {
    /// Of the utilization of one task.
    pub utilizations: Vec<Own<f64>>,
    /// Of periods, in nanoseconds.
    pub periods: Vec<Own<u64>>,
}

/// The distribution of the user's own that `text` names, if it names one.
pub(super) fn find<T: Copy>(
    own: &[Own<T>],
    field: &'static str,
    text: &str,
) -> Option<Result<Own<T>, SpecError>> {
    let mut words = Words::new(field, text);
    let name = words.word("the name of a distribution").ok()?;
    let found = own.iter().find(|known| known.name == name).copied()?;
    Some(words.finish().map(|()| found))
}
