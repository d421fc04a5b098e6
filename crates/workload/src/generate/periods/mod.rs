//! How are periods distributed? Each file is an answer, and says how it is written.
//!
//! [`FORMS`] lists the answers, [`NAMES`] the distributions of the papers. All periods are whole nanoseconds.

mod automotive;
mod choice;
mod log_uniform;
mod range;
mod uniform;

pub use automotive::{ANGLE_SYNCHRONOUS_SHARE, PERIOD_SHARES};

use super::draw::TaskDistribution;
use super::form;
use super::form::{read, FormMeaning, Named, SpecForm};
use crate::words::{SpecError, Words};
use core::str::FromStr;

/// A distribution of periods, in nanoseconds.
pub type Periods = TaskDistribution<u64>;

/// The named distributions: the name, its full specification, and its source.
pub const NAMES: &[Named] = &[
    (
        "litmus",
        "uniform 10ms 100ms",
        "Calandrino et al., RTSS 2006; Brandenburg et al., RTAS 2008; Dellinger et al., 2011",
    ),
    ("2020-homogeneous", "log-uniform 10ms 100ms", EPOS),
    ("2020-heterogeneous", "log-uniform 1ms 1000ms", EPOS),
];

const EPOS: &str = "dos Santos et al., SBESC 2020, section on schedulability";

/// Every distribution. A new one is one file and one line here.
pub const FORMS: &[SpecForm<Periods>] = &[uniform::FORM, log_uniform::FORM, choice::FORM, automotive::FORM];

/// All forms besides names, with their meanings.
pub fn written() -> impl Iterator<Item = FormMeaning> {
    form::written(FORMS)
}

impl FromStr for Periods {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("periods", text);
        let name = words.word("the name of a distribution")?;
        let periods = match read(FORMS, NAMES, name, &mut words) {
            Some(read) => read?,
            None => words.written_out(name, NAMES, written())?.parse()?,
        };
        words.finish()?;
        Ok(periods)
    }
}
