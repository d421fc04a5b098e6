//! Reads periods, and ranges of them.

use crate::generate::MAX_PERIOD_NS;
use crate::words::{SpecError, Words};
use schedlab_model::Duration;

/// A range of periods and the distance of neighbours in it, all in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) step: u64,
}

impl Range {
    pub(super) fn parse(words: &mut Words<'_>) -> Result<Range, SpecError> {
        let min = period(words, "the shortest period")?;
        let max = period(words, "the longest period")?;
        let step = if words.take("step") { words.duration("the step")? } else { 1 };
        let wrong = |what, value, allowed: String| Err(words.out_of_range(what, time(value), allowed));
        if max < min {
            return wrong("the longest period", max, format!("{} and above", time(min)));
        }
        if min % step != 0 || max % step != 0 {
            return wrong("the step", step, format!("what divides both {} and {}", time(min), time(max)));
        }
        Ok(Range { min, max, step })
    }
}

fn time(ns: u64) -> String {
    Duration::from_ns(ns).to_string()
}

/// Reads a period.
pub(super) fn period(words: &mut Words<'_>, what: &'static str) -> Result<u64, SpecError> {
    let word = words.word(what)?;
    period_in(words, what, word)
}

/// The period that `word` states.
pub(super) fn period_in(words: &Words<'_>, what: &'static str, word: &str) -> Result<u64, SpecError> {
    match words.duration_in(what, word)? {
        ns if ns <= MAX_PERIOD_NS => Ok(ns),
        ns => Err(words.out_of_range("a period", time(ns), format!("up to {}", time(MAX_PERIOD_NS)))),
    }
}
