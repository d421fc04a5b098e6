//! How are utilizations distributed?
//!
//! Either each task's is drawn by itself and a stopping rule ends the set, or those of a whole set are drawn
//! together so that they have a given sum. [`NAMES`] lists the distributions of the papers by name, [`FORMS`]
//! what can be written with other parameters.

mod bimodal;
mod bounded_sum;
mod exponential;
mod groups;
mod randfixedsum;
mod uniform;
mod uunifast_discard;

pub use bimodal::Bimodal;
pub use bounded_sum::{BoundedSum, BoundsError};
pub use exponential::Exponential;
pub use groups::Groups;
pub use randfixedsum::RandFixedSumTable;
pub use uniform::Uniform;
pub(super) use uunifast_discard::uunifast_discard;

use crate::generate::{Own, Plan, MAX_TASKS};
use crate::random::Random;
use crate::ratio::Ratio;
use crate::words::{SpecError, Words};
use core::str::FromStr;

/// RandFixedSum holds a table of this number squared.
const MAX_TABLE_TASKS: u32 = 2_000;

/// A distribution of utilizations.
#[derive(Clone, Debug, PartialEq)]
pub enum Utilization {
    /// Of one task at a time.
    Each(Each),
    /// Of all tasks of a set.
    Together(JointUtilizations),
}

/// A distribution of the utilization of one task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Each {
    /// Uniform in a range.
    Uniform(Uniform),
    /// Exponential, within a range.
    Exponential(Exponential),
    /// Uniform in one of two ranges.
    Bimodal(Bimodal),
    /// As the user says.
    Own(Own<f64>),
}

/// A distribution of the utilizations of a set of tasks with a given sum.
#[derive(Clone, Debug, PartialEq)]
pub enum JointUtilizations {
    /// E. Bini's UUniFast; sets with a utilization above `max` are thrown away.
    UUniFastDiscard {
        /// The largest utilization of one task.
        max: f64,
    },
    /// R. Stafford's RandFixedSum: uniform over all sets with utilizations in a range.
    RandFixedSum {
        /// The smallest utilization of one task.
        min: f64,
        /// The largest.
        max: f64,
    },
    /// Uniform over all sets where each task's utilization is in a range of its own.
    BoundedSum(Groups),
}

/// The named distributions: name, what it is written out, and where it comes from.
pub const NAMES: &[(&str, &str, &str)] = &[
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

/// What can be written besides names: the form, and what it means.
pub const FORMS: &[(&str, &str)] = &[
    ("uniform MIN MAX", "uniform in a range"),
    (
        "exponential MEAN MIN MAX",
        "exponential, redrawn until in the range; MEAN is that of the distribution before",
    ),
    ("bimodal MIN MAX MIN MAX A:B", "uniform in the first range with weight A, in the second with weight B"),
    ("uunifast-discard [max MAX]", "uniform over the sets of a given total; needs `tasks N total TOTAL`"),
    ("randfixedsum [MIN MAX]", "the same, also for totals near the number of tasks, and for a range"),
    (
        "bounded-sum N MIN MAX [N MIN MAX]...",
        "the same with several ranges: N tasks in the first, N in the next; up to 500 tasks in all",
    ),
];

impl Each {
    /// The utilization of the next task, above 0 or so, and at most 1.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> f64 {
        match self {
            Each::Uniform(uniform) => uniform.draw(random),
            Each::Exponential(exponential) => exponential.draw(random),
            Each::Bimodal(bimodal) => bimodal.draw(random),
            Each::Own(own) => own.utilization(random),
        }
    }
}

impl JointUtilizations {
    /// The plan of sets of `tasks` tasks with this total; an error if they cannot have it.
    pub(super) fn plan(&self, tasks: u32, total: Ratio) -> Result<Plan, SpecError> {
        Ok(match *self {
            JointUtilizations::UUniFastDiscard { max } => {
                within(0.0, max, MAX_TASKS, tasks, total)?;
                Plan::UUniFastDiscard { max, tasks, total: total.to_f64() }
            }
            JointUtilizations::RandFixedSum { min, max } => {
                within(min, max, MAX_TABLE_TASKS, tasks, total)?;
                Plan::RandFixedSum(RandFixedSumTable::new(tasks, total.to_f64(), min, max))
            }
            JointUtilizations::BoundedSum(ref groups) => {
                Plan::BoundedSum(groups.sampler(tasks, total)?.into())
            }
        })
    }
}

/// An error if `tasks` tasks with utilizations in one range cannot have this total.
fn within(min: f64, max: f64, most_tasks: u32, tasks: u32, total: Ratio) -> Result<(), SpecError> {
    if tasks > most_tasks {
        return Err(wrong_tasks(tasks, format!("1 to {most_tasks} for this distribution")));
    }
    let (least, most) = (min * f64::from(tasks), max * f64::from(tasks));
    if (least..=most).contains(&total.to_f64()) {
        return Ok(());
    }
    Err(wrong_total(total, format!("{least} to {most} for {tasks} tasks of utilization {min} to {max}")))
}

/// The stopping rule's number of tasks cannot be had.
fn wrong_tasks(tasks: u32, allowed: String) -> SpecError {
    SpecError::OutOfRange { field: "stop", what: "the number of tasks", value: tasks.to_string(), allowed }
}

/// Its total cannot be had.
fn wrong_total(total: Ratio, allowed: String) -> SpecError {
    SpecError::OutOfRange { field: "stop", what: "the total utilization", value: total.to_string(), allowed }
}

/// Reads a range of utilizations: 0 <= MIN < MAX <= 1.
fn range(words: &mut Words<'_>) -> Result<(f64, f64), SpecError> {
    let min = words.number("the smallest utilization")?;
    let max = words.number("the largest utilization")?;
    if min < max && max <= 1.0 {
        return Ok((min, max));
    }
    Err(words.out_of_range("the range", format!("{min} to {max}"), "0 <= MIN < MAX <= 1"))
}

fn parse_uunifast_discard(words: &mut Words<'_>) -> Result<JointUtilizations, SpecError> {
    let max = if words.take("max") { words.number("the largest utilization")? } else { 1.0 };
    if !(max > 0.0 && max <= 1.0) {
        return Err(words.out_of_range("the largest utilization", max, "above 0, at most 1"));
    }
    Ok(JointUtilizations::UUniFastDiscard { max })
}

fn parse_randfixedsum(words: &mut Words<'_>) -> Result<JointUtilizations, SpecError> {
    let (min, max) = if words.is_empty() { (0.0, 1.0) } else { range(words)? };
    Ok(JointUtilizations::RandFixedSum { min, max })
}

impl FromStr for Utilization {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("utilizations", text);
        let name = words.word("the name of a distribution")?;
        let has_parameters = !words.is_empty();
        let (each, together) = (Utilization::Each, Utilization::Together);
        let utilization = match name {
            "uniform" if has_parameters => {
                range(&mut words).map(|(min, max)| each(Each::Uniform(Uniform { min, max })))?
            }
            "exponential" if has_parameters => each(Each::Exponential(Exponential::parse(&mut words)?)),
            "bimodal" if has_parameters => each(Each::Bimodal(Bimodal::parse(&mut words)?)),
            "uunifast-discard" => together(parse_uunifast_discard(&mut words)?),
            "randfixedsum" => together(parse_randfixedsum(&mut words)?),
            "bounded-sum" => together(JointUtilizations::BoundedSum(Groups::parse(&mut words)?)),
            _ => words.written_out(name, NAMES, FORMS)?.parse()?,
        };
        words.finish()?;
        Ok(utilization)
    }
}
