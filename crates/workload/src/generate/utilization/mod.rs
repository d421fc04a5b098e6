//! How are utilizations distributed? Each file is an answer, and says how it is written.
//!
//! Either each task's is drawn by itself and a stopping rule ends the set, or those of a whole set are drawn
//! together so that they have a given sum. [`EACH`] and [`TOGETHER`] list the answers, [`NAMES`] the distributions of
//! the papers.

mod bimodal;
mod bounded_sum;
mod exponential;
mod groups;
mod randfixedsum;
mod range;
mod together;
mod uniform;
mod uunifast_discard;

pub use bounded_sum::{BoundedSum, BoundsError};
pub use randfixedsum::RandFixedSumTable;
pub use together::JointUtilizations;
pub(super) use together::Sampler;

use super::draw::TaskDistribution;
use super::form;
use super::form::{read, FormMeaning, Named, SpecForm};
use crate::words::{SpecError, Words};
use core::str::FromStr;

/// A distribution of the utilization of one task.
pub type Each = TaskDistribution<f64>;

/// A distribution of utilizations.
#[derive(Clone, Debug)]
pub enum Utilization {
    /// Distribution of the utilization of one task at a time.
    Each(Each),
    /// Joint distribution of the utilizations of all tasks of a set.
    Together(JointUtilizations),
}

/// The named distributions: the name, its full specification, and its source.
pub const NAMES: &[Named] = &[
    ("uniform-light", "uniform 0.001 0.1", LITMUS),
    ("uniform-medium", "uniform 0.1 0.4", LITMUS),
    ("uniform-heavy", "uniform 0.5 0.9", LITMUS),
    ("exponential-light", "exponential 0.05 0.001 0.1", LITMUS),
    ("exponential-medium", "exponential 0.25 0.1 0.4", LITMUS),
    ("exponential-heavy", "exponential 0.7 0.5 0.9", LITMUS),
    ("bimodal", "bimodal 0.001 0.5 0.5 0.999 8:1", LITMUS),
    ("2006-fig9-light", "uniform 0.1 0.5", FIG9),
    ("2006-fig9-heavy", "uniform 0.5 0.9", FIG9),
    ("2006-fig9-bimodal", "bimodal 0.1 0.5 0.5 0.9 2:8", FIG9),
    ("BLU", "uniform 0.001 0.1", CHRONOS),
    ("BMU", "uniform 0.1 0.4", CHRONOS),
    ("BHU", "uniform 0.5 0.9", CHRONOS),
    ("BLB", "bimodal 0.001 0.5 0.5 0.9 8:1", CHRONOS),
    ("BMB", "bimodal 0.001 0.5 0.5 0.9 6:3", CHRONOS),
    ("BHB", "bimodal 0.001 0.5 0.5 0.9 4:5", CHRONOS),
    ("bimodal-light", "bimodal 0.001 0.5 0.5 0.9 8:1", CHRONOS),
    ("bimodal-medium", "bimodal 0.001 0.5 0.5 0.9 6:3", CHRONOS),
    ("bimodal-heavy", "bimodal 0.001 0.5 0.5 0.9 4:5", CHRONOS),
    ("2020-light", "exponential 0.1 0 1", EPOS),
    ("2020-medium", "exponential 0.25 0 1", EPOS),
    ("2020-heavy", "exponential 0.5 0 1", EPOS),
];

const LITMUS: &str = "Calandrino et al., RTSS 2006, section 4.2; Brandenburg et al., RTAS 2008, section 4.2";
const FIG9: &str = "Calandrino et al., RTSS 2006, figures 9 and 10";
const CHRONOS: &str = "Dellinger et al., 2011, section 3.2";
const EPOS: &str =
    "dos Santos et al., SBESC 2020, section on schedulability (redrawn into [0, 1], as in the SchedCAT it used)";

/// Every distribution of one task's utilization. A new one is one file and one line here.
pub const EACH: &[SpecForm<Each>] = &[uniform::FORM, exponential::FORM, bimodal::FORM];

/// Every distribution over whole sets. A new one is one file and one line here.
pub const TOGETHER: &[SpecForm<JointUtilizations>] =
    &[uunifast_discard::FORM, randfixedsum::FORM, groups::FORM];

/// All forms besides names, with their meanings.
pub fn written() -> impl Iterator<Item = FormMeaning> {
    form::written(EACH).chain(form::written(TOGETHER))
}

impl FromStr for Utilization {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("utilizations", text);
        let name = words.word("the name of a distribution")?;
        let each = read(EACH, NAMES, name, &mut words).map(|each| each.map(Utilization::Each));
        let found = each.or_else(|| {
            read(TOGETHER, NAMES, name, &mut words).map(|together| together.map(Utilization::Together))
        });
        let utilization = match found {
            Some(found) => found?,
            None => words.written_out(name, NAMES, written())?.parse()?,
        };
        words.finish()?;
        Ok(utilization)
    }
}
