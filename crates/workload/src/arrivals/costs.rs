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
    /// Costs are drawn by their quantiles: shares of jobs in millionths, both rising, with the cost that a share does
    /// not exceed. Costs are even between a quantile and the next, from the least cost to the WCET.
    Quantiles {
        /// The least cost of a job.
        least: Work,
        /// The quantiles between the least cost and the WCET.
        points: Vec<(u32, Work)>,
    },
}

impl Costs {
    /// Returns an error if a job of this rule costs nothing, or more than the WCET.
    pub(super) fn check(&self, task: TaskId, wcet: Work) -> Result<(), SourceError> {
        let costs = match self {
            Costs::Wcet => vec![wcet],
            Costs::Between(least, most) => vec![*least, *most],
            Costs::List(list) => list.clone(),
            Costs::Quantiles { least, points } => {
                [*least].into_iter().chain(points.iter().map(|(_, cost)| *cost)).collect()
            }
        };
        if costs.is_empty() || costs.iter().any(|cost| cost.is_zero()) {
            return Err(SourceError::NoCost(task));
        }
        // A list may rise and fall; limits and quantiles rise.
        if matches!(self, Costs::Between(..) | Costs::Quantiles { .. }) {
            if let Some(pair) = costs.windows(2).find(|pair| pair[0] > pair[1]) {
                return Err(SourceError::NoRange { task, least: pair[0], most: pair[1] });
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
            Costs::Quantiles { least, points } => drawn(*least, points, wcet, random),
        }
    }
}

/// Shares of jobs are in parts of this.
const ALL: u32 = 1_000_000;

/// Draws a share of jobs, then a cost between the quantiles around it.
fn drawn(least: Work, points: &[(u32, Work)], wcet: Work, random: &mut Random) -> Work {
    let share = random.below(ALL.into()) as u32;
    let above = points.partition_point(|(until, _)| *until <= share);
    let low = above.checked_sub(1).map_or(least, |index| points[index].1);
    let high = points.get(above).map_or(wcet, |point| point.1);
    Work::from_ns(random.between(low.as_ns(), high.as_ns()))
}
