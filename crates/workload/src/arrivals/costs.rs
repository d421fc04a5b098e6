//! What jobs cost: their WCET, or less.
//!
//! [`FORMS`] lists what can be written.

use super::SourceError;
use crate::random::Random;
use crate::ratio::Ratio;
use crate::words::{allowed, SpecError, Words};
use core::fmt;
use core::str::FromStr;
use schedlab_model::{OneWord, TaskId, Work};

/// A rule for the costs of jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Costs {
    /// Always the WCET.
    #[default]
    Wcet,
    /// Always this.
    Fixed(Work),
    /// Always this part of the WCET, rounded up, at least 1 ns.
    Fraction(Ratio),
    /// Uniform between this and the WCET.
    Uniform(Work),
    /// Uniform between these two, limits included.
    Between(Work, Work),
    /// Uniform between this part of the WCET, rounded up, at least 1 ns, and the WCET.
    UniformFraction(Ratio),
    /// These, one after the other, and from the start again.
    List(Vec<Work>),
}

/// This part of `wcet`, rounded up, at least 1 ns, at most what can be represented.
fn part(of: Ratio, wcet: Work) -> u64 {
    let scaled = u128::from(wcet.as_ns()) * u128::from(of.numerator());
    scaled.div_ceil(of.denominator().into()).clamp(1, u64::MAX.into()) as u64
}

impl Costs {
    /// An error if a job of this rule costs nothing, or more than the WCET where overruns are not wanted.
    pub(super) fn check(&self, task: TaskId, wcet: Work, overruns: bool) -> Result<(), SourceError> {
        let costs = match self {
            Costs::Wcet => vec![wcet],
            Costs::Fixed(cost) => vec![*cost],
            Costs::Fraction(of) => vec![Work::from_ns(part(*of, wcet))],
            Costs::Uniform(least) => vec![*least, wcet],
            Costs::Between(least, most) => vec![*least, *most],
            Costs::UniformFraction(of) => vec![Work::from_ns(part(*of, wcet)), wcet],
            Costs::List(list) => list.clone(),
        };
        let drawn = matches!(self, Costs::Uniform(_) | Costs::UniformFraction(_));
        if costs.is_empty() || costs.iter().any(|cost| cost.is_zero()) {
            return Err(SourceError::NoCost(task));
        }
        if let Costs::Between(least, most) = self {
            if least > most {
                return Err(SourceError::NoRange { task, least: *least, most: *most });
            }
        }
        match costs.into_iter().find(|cost| *cost > wcet) {
            Some(cost) if drawn || !overruns => Err(SourceError::Overrun { task, cost, wcet }),
            _ => Ok(()),
        }
    }

    /// The cost of job `number` of a task.
    #[inline]
    pub(super) fn draw(&self, number: u64, wcet: Work, random: &mut Random) -> Work {
        match self {
            Costs::Wcet => wcet,
            Costs::Fixed(cost) => *cost,
            Costs::Fraction(of) => Work::from_ns(part(*of, wcet)),
            Costs::Uniform(least) => Work::from_ns(random.between(least.as_ns(), wcet.as_ns())),
            Costs::Between(least, most) => Work::from_ns(random.between(least.as_ns(), most.as_ns())),
            Costs::UniformFraction(of) => Work::from_ns(random.between(part(*of, wcet), wcet.as_ns())),
            Costs::List(list) => list[(number % list.len() as u64) as usize],
        }
    }
}

/// What can be written: the form, and what it means.
pub const FORMS: &[(&str, &str)] = &[
    ("wcet", "always the WCET"),
    ("fixed COST", "always this"),
    ("fraction F", "always this part of the WCET"),
    ("uniform BCET", "uniform between this and the WCET"),
    ("uniform-fraction F", "uniform between this part of the WCET and the WCET"),
    ("between LEAST MOST", "uniform between these two"),
    ("list COST...", "these, one after the other, and from the start again"),
];

impl FromStr for Costs {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("costs", text);
        let cost = |words: &mut Words<'_>| words.duration("the cost").map(Work::from_ns);
        let costs = match words.word("the name of a rule")? {
            "wcet" => Costs::Wcet,
            "fixed" => Costs::Fixed(cost(&mut words)?),
            "fraction" => Costs::Fraction(words.ratio("the part of the wcet")?),
            "uniform" => Costs::Uniform(cost(&mut words)?),
            "between" => Costs::Between(cost(&mut words)?, cost(&mut words)?),
            "uniform-fraction" => Costs::UniformFraction(words.ratio("the part of the wcet")?),
            "list" => {
                let mut list = vec![cost(&mut words)?];
                while !words.is_empty() {
                    list.push(cost(&mut words)?);
                }
                Costs::List(list)
            }
            other => return Err(words.unknown(other, allowed(FORMS))),
        };
        words.finish()?;
        Ok(costs)
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Costs::Wcet => write!(f, "wcet"),
            Costs::Fixed(cost) => write!(f, "fixed {}", OneWord::from(*cost)),
            Costs::Fraction(of) => write!(f, "fraction {of}"),
            Costs::Uniform(least) => write!(f, "uniform {}", OneWord::from(*least)),
            Costs::Between(least, most) => {
                write!(f, "between {} {}", OneWord::from(*least), OneWord::from(*most))
            }
            Costs::UniformFraction(of) => write!(f, "uniform-fraction {of}"),
            Costs::List(list) => {
                write!(f, "list")?;
                list.iter().try_for_each(|cost| write!(f, " {}", OneWord::from(*cost)))
            }
        }
    }
}
