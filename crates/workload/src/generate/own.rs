//! Distributions of the user's own, beside those of the library.

use super::draw::Draw;
use super::MAX_PERIOD_NS;
use crate::random::Random;
use crate::words::{SpecError, Words};

/// A distribution of periods or utilizations of the user's own. Its specification is its name alone.
#[derive(Clone, Copy, Debug)]
pub struct Own<T> {
    /// Name of the distribution in specifications: one word.
    pub name: &'static str,
    /// Description of the distribution, with its source.
    pub source: &'static str,
    /// Draws the next value of one task, which must depend on the random numbers alone.
    pub draw: fn(&mut Random) -> T,
}

impl Draw<u64> for Own<u64> {
    /// Draws the next period in ns, clamped to the range from 1 to [`MAX_PERIOD_NS`].
    fn draw(&self, random: &mut Random) -> u64 {
        (self.draw)(random).clamp(1, MAX_PERIOD_NS)
    }
}

impl Draw<f64> for Own<f64> {
    /// Draws the next utilization, clamped to the range from 0 to 1; 0 for NaN.
    fn draw(&self, random: &mut Random) -> f64 {
        match (self.draw)(random) {
            nothing if nothing.is_nan() => 0.0,
            drawn => drawn.clamp(0.0, 1.0),
        }
    }
}

/// Distributions that specifications may name besides the library's.
#[derive(Clone, Debug, Default)]
pub struct OwnDistributions {
    /// Distributions of the utilization of one task.
    pub utilizations: Vec<Own<f64>>,
    /// Distributions of periods, in ns.
    pub periods: Vec<Own<u64>>,
}

/// Returns the distribution of the user's own that `text` names, if there is one.
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
