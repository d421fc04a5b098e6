//! Ways to schedule the tasks of a scenario, with their judgement and rank.

use super::candidates::CandidateSystem;
use super::place::Assigned;
use crate::advise::sensitivity::Factor;
use crate::caveats::Caveats;
use schemars::JsonSchema;
use serde::Serialize;

/// A way to schedule a scenario. What is None is as in the scenario, or not needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Way {
    /// The scheduler, and what goes with it.
    #[serde(flatten)]
    pub candidate: CandidateSystem,
    /// Number of choices among these that differ from the scenario.
    pub changes: u32,
    #[allow(missing_docs)]
    #[serde(rename = "schedulable")]
    pub proved: bool,
    /// How much all costs may grow in percent, to a hundredth: 0 or more if proved, negative if costs must shrink,
    /// -100 if no smaller costs are proved. The search ends at 1500: the margin is then at least that.
    #[serde(rename = "margin_percent")]
    pub margin: Factor,
    /// The margin with the smallest overheads that were measured of the same code; else equal to `margin_percent`.
    #[serde(rename = "margin_at_best_percent")]
    pub margin_at_best: Factor,
    /// Rank from 1 on; ways whose margins differ by less than their uncertainty share one.
    pub rank: usize,
    /// Statements of the scenario that the way's scheduler does not heed: "places", "throttling". Such ways are ranked
    /// behind those that heed everything.
    pub unheeded: Vec<&'static str>,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub caveats: Caveats,
    /// The test that decides, if one does.
    pub test: Option<&'static str>,
    #[allow(missing_docs)]
    pub reason: String,
    /// Jobs that were late in a simulation until the horizon, where no test knows the scheduler; else None.
    pub missed: Option<u64>,
    /// Under Pfair, advice for real runs if weights leave no time to lose; else None.
    pub in_a_real_run: Option<String>,
    // Places and ranks of tasks, by which ways are told apart; empty if they are not known.
    #[serde(skip)]
    pub(super) places: Vec<Assigned>,
}

impl Way {
    /// Returns a way that cannot be judged, with the reason.
    pub(super) fn failing(candidate: &CandidateSystem, reason: String) -> Way {
        Way { candidate: candidate.clone(), reason, ..Way::default() }
    }

    /// True if some test judged the way; else it failed before, or was simulated.
    pub(super) fn is_tested(&self) -> bool {
        !self.places.is_empty() && self.missed.is_none()
    }

    /// Returns the difference of the margin between the largest and the smallest measured overheads.
    pub(crate) fn uncertainty(&self) -> Factor {
        Factor(self.margin_at_best.0.saturating_sub(self.margin.0))
    }
}

/// Ranks the ways, the best first: proved before others, and among either those that heed everything that the scenario
/// states. Ways that differ from the first of a rank by less than the uncertainty of either
/// share that rank; among them, those with the fewest changes go first.
pub(super) fn ranked(ways: &mut [Way]) {
    let order = |way: &Way| (!way.proved, !way.unheeded.is_empty());
    ways.sort_by_key(|way| (order(way), std::cmp::Reverse(way.margin), way.changes));
    let mut first = 0;
    while first < ways.len() {
        let best = &ways[first];
        let is_alike = |way: &Way| {
            let apart = best.margin.0.saturating_sub(way.margin.0);
            let known = best.uncertainty().max(way.uncertainty()).0;
            order(way) == order(best) && (apart == 0 || apart < known)
        };
        let alike = ways[first..].iter().take_while(|way| is_alike(way)).count();
        let together = &mut ways[first..first + alike];
        together.sort_by_key(|way| way.changes);
        together.iter_mut().for_each(|way| way.rank = first + 1);
        first += alike;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(scheduler: &str, margin: u32, margin_at_best: u32, changes: u32) -> Way {
        let candidate = CandidateSystem { scheduler: scheduler.to_owned(), ..CandidateSystem::default() };
        let (margin, margin_at_best) = (Factor(margin), Factor(margin_at_best));
        let proved = margin >= Factor::ONE;
        Way { candidate, changes, margin, margin_at_best, proved, ..Way::default() }
    }

    fn ranks(mut ways: Vec<Way>) -> Vec<(String, usize)> {
        ranked(&mut ways);
        ways.into_iter().map(|way| (way.candidate.scheduler, way.rank)).collect()
    }

    /// A way that is nearer to the best than the uncertainty of either is as good; among such ways, the one with the
    /// fewest changes goes first.
    #[test]
    fn margins_that_chance_tells_apart_are_ranked_alike() {
        let found = ranks(vec![
            way("near the second", 11_000, 11_000, 1),
            way("as it is", 12_001, 12_001, 0),
            way("best", 13_000, 14_000, 1),
            way("as far as is known", 12_000, 12_000, 1),
            way("not proved", 9_999, 20_000, 0),
        ]);
        let expected = [
            ("as it is", 1),
            ("best", 1),
            ("as far as is known", 3),
            ("near the second", 4),
            ("not proved", 5),
        ];
        assert_eq!(found, expected.map(|(name, rank)| (name.to_owned(), rank)));
    }

    #[test]
    fn known_margins_are_ranked_as_they_are() {
        let found = ranks(vec![
            way("b", 11_000, 11_000, 0),
            way("c", 11_000, 11_000, 1),
            way("a", 11_001, 11_001, 1),
        ]);
        assert_eq!(found, [("a".to_owned(), 1), ("b".to_owned(), 2), ("c".to_owned(), 2)]);
    }
}
