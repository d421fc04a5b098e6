//! Costs of jobs: their WCET, or less.

use super::SourceError;
use crate::random::Random;
use schedlab_model::{TaskId, Work};

/// A rule for the costs of jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Costs {
    /// Every job costs the WCET.
    #[default]
    Wcet,
    /// Costs are uniform between these two, limits included.
    Between(Work, Work),
    /// Costs are these, one after the other, and again from the start.
    List(Vec<Work>),
}

impl Costs {
    /// Returns an error if a job of this rule costs nothing, or more than the WCET.
    pub(super) fn check(&self, task: TaskId, wcet: Work) -> Result<(), SourceError> {
        let costs = match self {
            Costs::Wcet => vec![wcet],
            Costs::Between(least, most) => vec![*least, *most],
            Costs::List(list) => list.clone(),
        };
        if costs.is_empty() || costs.iter().any(|cost| cost.is_zero()) {
            return Err(SourceError::NoCost(task));
        }
        if let Costs::Between(least, most) = self {
            if least > most {
                return Err(SourceError::NoRange { task, least: *least, most: *most });
            }
        }
        match costs.into_iter().find(|cost| *cost > wcet) {
            Some(cost) => Err(SourceError::Overrun { task, cost, wcet }),
            None => Ok(()),
        }
    }

    /// Returns the cost of job `number` of a task.
    #[inline]
    pub(super) fn draw(&self, number: u64, wcet: Work, random: &mut Random) -> Work {
        match self {
            Costs::Wcet => wcet,
            Costs::Between(least, most) => Work::from_ns(random.between(least.as_ns(), most.as_ns())),
            Costs::List(list) => list[(number % list.len() as u64) as usize],
        }
    }
}
