//! Measured costs as quantiles, and lengths of sections as a program.

use super::spread::spread;
use crate::error::Problem;
use crate::quantity::Millionths;
use crate::words::CostModel;
use schedlab_model::{ResourceId, Step, Work};

/// Statistics of a task's costs, as far as a table has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Measured {
    pub(super) least: Option<Work>,
    pub(super) mean: Option<Work>,
    /// Shares of jobs, with the cost that each does not exceed.
    pub(super) quantiles: Vec<(Millionths, Work)>,
}

impl Measured {
    /// Costs of jobs by these statistics, for a task of this WCET. Quantiles are taken as they are. A mean alone makes
    /// costs even below it and even above it, in shares that give it. Without any, each job costs the WCET.
    pub(super) fn costs(mut self, wcet: Work) -> Result<CostModel, Problem> {
        self.quantiles.sort_unstable_by_key(|(share, _)| *share);
        let all = self.least.into_iter().chain(self.quantiles.iter().map(|(_, cost)| *cost)).chain([wcet]);
        let all: Vec<Work> = all.collect();
        if let Some(pair) = all.windows(2).find(|pair| pair[0] > pair[1]) {
            let sentence = format!("a cost of {} is followed by a smaller one, {}", pair[0], pair[1]);
            return Err(Problem::rule(sentence, "least <= percentiles, in their order <= largest cost"));
        }
        if let (true, Some(mean)) = (self.quantiles.is_empty(), self.mean) {
            let least = self.least.unwrap_or(Work::from_ns(1));
            if mean < least || mean > wcet {
                let sentence = format!("the mean cost {mean} is not between the least and the largest");
                return Err(Problem::rule(sentence, format!("{least} to {wcet}")));
            }
            self.quantiles.extend(below(mean, least, wcet).map(|share| (share, mean)));
            self.least = Some(least);
        }
        match (self.quantiles.first(), self.least) {
            (None, None) => Ok(CostModel::Wcet),
            (None, Some(least)) => Ok(CostModel::Uniform(least, wcet)),
            (Some((_, first)), least) => {
                Ok(CostModel::Quantiles { least: least.unwrap_or(*first), points: self.quantiles })
            }
        }
    }
}

/// Returns the share of jobs below the mean if costs are even below and above it; `None` if all jobs cost the most.
fn below(mean: Work, least: Work, most: Work) -> Option<Millionths> {
    let room = u128::from(most.as_ns() - least.as_ns());
    let above = u128::from(most.as_ns() - mean.as_ns());
    let share = (above * 1_000_000).checked_div(room)?;
    // The largest cost occurs, however rarely.
    Millionths::from_millionths(share.min(999_999) as u32)
}

/// The program of a job of this WCET with these sections: the index of the resource, and the length in ns.
pub(super) fn program(wcet: Work, sections: &[(usize, u64)]) -> Result<Vec<Step>, Problem> {
    let sections: Vec<_> =
        sections.iter().map(|(index, length)| (ResourceId(*index as u32), 1, *length)).collect();
    let allowed = "sections that are part of the wcet";
    spread(wcet.as_ns(), &sections)
        .ok_or_else(|| Problem::refused("the sections", "are longer than the wcet", allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(least: Option<u64>, mean: Option<u64>, points: &[(u32, u64)]) -> Result<CostModel, Problem> {
        let point =
            |&(share, cost): &(u32, u64)| (Millionths::from_millionths(share).unwrap(), Work::from_ns(cost));
        let (least, mean) = (least.map(Work::from_ns), mean.map(Work::from_ns));
        Measured { least, mean, quantiles: points.iter().map(point).collect() }.costs(Work::from_ns(100))
    }

    #[test]
    fn a_mean_alone_is_kept() {
        let Ok(CostModel::Quantiles { least, points }) = of(Some(20), Some(40), &[]) else {
            panic!("quantiles")
        };
        let [(share, mean)] = points[..] else { panic!("one point") };
        // A share of 0.75 has 30 in the mean, a quarter 70: together 40.
        assert_eq!((least.as_ns(), share.millionths(), mean.as_ns()), (20, 750_000, 40));
        let below = f64::from(share.millionths()) / 1e6;
        assert_eq!(below * 30.0 + (1.0 - below) * 70.0, 40.0);
        assert!(of(Some(50), Some(40), &[]).is_err() && of(None, Some(101), &[]).is_err());
    }

    #[test]
    fn percentiles_go_before_the_mean_and_rise() {
        let Ok(CostModel::Quantiles { least, points }) = of(None, Some(40), &[(990_000, 90), (500_000, 30)])
        else {
            panic!("quantiles")
        };
        assert_eq!((least.as_ns(), points.len(), points[0].1.as_ns()), (30, 2, 30));
        assert!(of(None, None, &[(990_000, 30), (500_000, 90)]).is_err());
        assert!(of(None, None, &[(500_000, 101)]).is_err());
    }

    #[test]
    fn without_statistics_jobs_cost_the_wcet() {
        assert_eq!(of(None, None, &[]).unwrap(), CostModel::Wcet);
        let even = CostModel::Uniform(Work::from_ns(20), Work::from_ns(100));
        assert_eq!(of(Some(20), None, &[]).unwrap(), even);
    }
}
