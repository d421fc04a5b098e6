//! How are periods distributed?
//!
//! [`FORMS`] lists what can be written, [`NAMES`] the distributions of the papers. All periods are whole
//! nanoseconds.

mod automotive;
mod choice;
mod log_uniform;
mod uniform;

pub use automotive::{automotive, Angle, ANGLE_SYNCHRONOUS_SHARE, PERIOD_SHARES};
pub use choice::WeightedPeriods;
pub use log_uniform::LogUniform;
pub use uniform::Uniform;

use super::{Own, MAX_PERIOD_NS};
use crate::random::Random;
use crate::words::{SpecError, Words};
use core::str::FromStr;
use schedlab_model::Duration;

/// A distribution of periods.
#[derive(Clone, Debug, PartialEq)]
pub enum Periods {
    /// All values of a range equally likely.
    Uniform(Uniform),
    /// The logarithm is uniform: each order of magnitude equally likely.
    LogUniform(LogUniform),
    /// One of a list.
    Choice(WeightedPeriods),
    /// As the user says.
    Own(Own<u64>),
}

/// The named distributions: name, what it is written out, and where it comes from.
pub const NAMES: &[(&str, &str, &str)] = &[
    (
        "litmus",
        "uniform 10ms 100ms",
        "Calandrino et al., RTSS 2006; Brandenburg et al., RTAS 2008; Dellinger et al., 2011",
    ),
    ("2020-homogeneous", "log-uniform 10ms 100ms", EPOS),
    ("2020-heterogeneous", "log-uniform 1ms 1000ms", EPOS),
];

const EPOS: &str = "dos Santos et al., SBESC 2020, section on schedulability";

/// What can be written besides names: the form, and what it means.
pub const FORMS: &[(&str, &str)] = &[
    ("uniform MIN MAX [step STEP]", "all values of a range equally likely"),
    ("log-uniform MIN MAX [step STEP]", "the logarithm is uniform: each order of magnitude equally likely"),
    ("choice PERIOD[:WEIGHT]...", "one of a list, by weight"),
    ("automotive angle-dropped", "WATERS 2015 without the 15% angle-synchronous share"),
    ("automotive angle-at PERIOD", "WATERS 2015 with the angle-synchronous share at this period"),
];

impl Periods {
    /// The next period in nanoseconds. Positive.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Periods::Uniform(uniform) => uniform.draw(random),
            Periods::LogUniform(log_uniform) => log_uniform.draw(random),
            Periods::Choice(choice) => choice.draw(random),
            Periods::Own(own) => own.period(random),
        }
    }
}

/// A range of periods and the distance of neighbours in it, all in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    min: u64,
    max: u64,
    step: u64,
}

impl Range {
    fn parse(words: &mut Words<'_>) -> Result<Range, SpecError> {
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
fn period(words: &mut Words<'_>, what: &'static str) -> Result<u64, SpecError> {
    let word = words.word(what)?;
    period_in(words, what, word)
}

/// The period that `word` states.
fn period_in(words: &Words<'_>, what: &'static str, word: &str) -> Result<u64, SpecError> {
    match words.duration_in(what, word)? {
        ns if ns <= MAX_PERIOD_NS => Ok(ns),
        ns => Err(words.out_of_range("a period", time(ns), format!("up to {}", time(MAX_PERIOD_NS)))),
    }
}

/// Reads what follows `automotive`.
fn angle(words: &mut Words<'_>) -> Result<Angle, SpecError> {
    const ALLOWED: &str =
        "`angle-dropped` or `angle-at PERIOD`: what becomes of the 15% angle-synchronous share";
    match words.word("`angle-dropped` or `angle-at PERIOD`")? {
        "angle-dropped" => Ok(Angle::Dropped),
        "angle-at" => Ok(Angle::At(period(words, "the period of the angle-synchronous share")?)),
        other => Err(words.unknown(other, ALLOWED)),
    }
}

impl FromStr for Periods {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("periods", text);
        let periods = match words.word("the name of a distribution")? {
            "uniform" => Periods::Uniform(Uniform::new(Range::parse(&mut words)?)),
            "log-uniform" => Periods::LogUniform(LogUniform::new(Range::parse(&mut words)?)),
            "choice" => Periods::Choice(WeightedPeriods::parse(&mut words)?),
            "automotive" => Periods::Choice(automotive(angle(&mut words)?)),
            name => words.written_out(name, NAMES, FORMS)?.parse()?,
        };
        words.finish()?;
        Ok(periods)
    }
}
