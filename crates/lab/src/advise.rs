//! Advice: which schedulers, placements, priorities and protocols keep a task set's deadlines, by which margin, and
//! what would have to change.
//!
//! A [`Plan`] lists all ways that apply to a scenario ([`candidates`]). Ways that lead to the same analysis ([`alike`])
//! are judged once, in any order and on any thread. Proved ways are ranked by their margins; the
//! others come with a reason. Margins that differ by less than the uncertainty of measured overheads are ranked alike.
//! Ways that put every task at the same place with the same priorities are one way. If tasks share several objects,
//! mixes of schemes are tried once the ways with one scheme for all are judged ([`mixes`]). If the scenario's own way
//! is not proved, single changes are looked for ([`changes`]).

mod alike;
mod candidates;
mod changes;
mod costs;
pub(crate) mod judged;
pub mod linux;
mod mixes;
mod other_placement;
mod place;
pub mod reach;
mod schemes;
pub mod sections;
pub mod sensitivity;
pub(crate) mod spare;
mod way;

pub use alike::Outline;
pub use candidates::CandidateSystem;
pub use changes::{Change, Kind, Probe};
pub use costs::UnknownCosts;
pub use mixes::{Mixes, Search, MOST_OBJECTS};
pub use other_placement::other_placement;
pub use schemes::Schemes;
pub use way::Way;

use crate::advise::judged::judged;
use crate::advise::place::Assigned;
use crate::advise::sensitivity::{critical_scaling, is_proved};
use crate::advise::spare::Spare;
use crate::caveats::Caveats;
use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use schedlab_scenario::{OverheadProfile, Scenario, Unheeded};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The result of `advise` for a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Advice {
    /// True if all deadlines of the scenario as it is are proved.
    pub as_it_is: bool,
    /// Changes each of which alone would prove the scenario's own way, the best of a kind first; empty if none is
    /// needed.
    pub single_changes: Vec<Change>,
    /// The search for mixes of schemes; None where tasks request fewer than two objects.
    pub mixes: Option<Mixes>,
    /// Objects without stated costs of operations: the overheads lack them, so that operations count as their sections.
    pub unknown_costs: Vec<UnknownCosts>,
    /// All ways to schedule the scenario, the best first.
    pub ways: Vec<Way>,
}

/// The result of a search for a better mix of schemes.
#[derive(Clone, Debug)]
pub struct Mixed {
    found: mixes::Found,
    /// The best mix, if it is better than everything that was judged before.
    judged: Option<JudgedWay>,
}

/// A way with its judgement.
#[derive(Clone, Debug)]
pub struct JudgedWay {
    /// Index of the way among all that the plan lists.
    index: usize,
    /// The way and the result of judging it.
    pub way: Way,
}

/// The ways to try for a scenario.
#[derive(Clone, Debug)]
pub struct Plan {
    scenario: Scenario,
    catalog: Catalog,
    candidates: Vec<CandidateSystem>,
    /// The overheads with the smallest of several estimates; `None` if the estimates do not differ.
    at_least: Option<OverheadProfile>,
}

impl Plan {
    /// Lists all ways in `catalog` that apply to `scenario`.
    pub fn of(scenario: &Scenario, catalog: &Catalog) -> Plan {
        let candidates = candidates::all(scenario, catalog);
        let at_least = scenario.overheads.profile.at_least();
        Plan { scenario: scenario.clone(), catalog: catalog.clone(), candidates, at_least }
    }

    /// Returns the number of ways.
    pub fn ways(&self) -> usize {
        self.candidates.len()
    }

    /// Prepares way `index` and outlines what there is to judge; `None` if the protocol does not suit its scheduler or
    /// tasks.
    pub fn outline(&self, index: usize) -> Option<Outline> {
        let scenario = match self.candidates[index].apply(&self.scenario, &self.catalog) {
            Ok(scenario) => scenario,
            Err(errors) => return Some(Outline::failing(index, errors.to_string())),
        };
        let prepared = match Prepared::for_analysis(&scenario, &self.catalog) {
            Ok(prepared) => prepared,
            // A protocol that does not suit is left out of the advice.
            Err(error) if error.is_of_protocol() => return None,
            Err(error) => return Some(Outline::failing(index, error.to_string())),
        };
        Some(match prepared.policies() {
            Ok(_) => Outline::of(index, &prepared),
            Err(error) => Outline::failing(index, error.to_string()),
        })
    }

    /// Groups the outlines that one judgement answers together.
    pub fn alike(&self, outlines: Vec<Outline>) -> Vec<Vec<Outline>> {
        alike::grouped(outlines)
    }

    /// Judges the first of these outlines, and gives its result to all of them.
    pub fn judge(&self, alike: &[Outline]) -> Vec<JudgedWay> {
        let first = self.judge_one(&alike[0]);
        let way = |outline: &Outline| {
            let candidate = self.candidates[outline.candidate].clone();
            let (changes, places) = (candidate.changes(&self.scenario), outline.places.clone());
            let way = Way { candidate, changes, places, ..first.clone() };
            JudgedWay { index: outline.candidate, way: self.with_caveats(way) }
        };
        alike.iter().map(way).collect()
    }

    /// Returns the way with what it leaves out and rests on.
    fn with_caveats(&self, way: Way) -> Way {
        let Ok(made) = way.candidate.apply(&self.scenario, &self.catalog) else { return way };
        let unheeded = made.unheeded().iter().map(Unheeded::name).collect();
        Way { unheeded, caveats: Caveats::of(&made), ..way }
    }

    fn judge_one(&self, outline: &Outline) -> Way {
        let candidate = &self.candidates[outline.candidate];
        match &outline.fails {
            Some(reason) => Way::failing(candidate, reason.clone()),
            None => self.judge_candidate(candidate),
        }
    }

    /// Judges a candidate that can be prepared.
    fn judge_candidate(&self, candidate: &CandidateSystem) -> Way {
        let (scenario, prepared) = self.prepared(candidate);
        let (proved, test, reason) = judged(&prepared);
        let margin = critical_scaling(&prepared);
        let at_best = self.at_least.as_ref().and_then(|least| {
            let mut cheaper = scenario.clone();
            cheaper.overheads.profile = least.clone();
            Prepared::for_analysis(&cheaper, &self.catalog).ok()
        });
        // Bisection with the cheaper overheads may end at a smaller margin, on an island of proved costs.
        let margin_at_best = at_best.map_or(margin, |cheaper| critical_scaling(&cheaper).max(margin));
        let in_a_real_run = Spare::of(&prepared).filter(|_| proved).and_then(|spare| spare.advice());
        let missed = reason.observed_misses();
        let reason = reason.in_words(&prepared.scenario);
        let failing = Way::failing(candidate, reason);
        Way { margin, margin_at_best, proved, test, missed, in_a_real_run, ..failing }
    }

    /// Applies `candidate` to the scenario and prepares it, which has succeeded before.
    fn prepared(&self, candidate: &CandidateSystem) -> (Scenario, Prepared) {
        let scenario = candidate.apply(&self.scenario, &self.catalog).expect("it could be applied before");
        let prepared = Prepared::for_analysis(&scenario, &self.catalog).expect("it could be prepared before");
        (scenario, prepared)
    }

    /// Returns the searches for mixes of schemes, once all ways are judged.
    pub fn searches(&self, judged: &[JudgedWay]) -> Vec<Search> {
        let mut tested: Vec<&JudgedWay> = judged.iter().filter(|judged| judged.way.is_tested()).collect();
        tested.sort_by_key(|judged| judged.index);
        let margins: Vec<_> =
            tested.iter().map(|judged| (&judged.way.candidate, judged.way.margin)).collect();
        mixes::searches(&self.scenario, &self.candidates[0], &margins)
    }

    /// Runs search number `index`.
    pub fn mix(&self, index: usize, search: &Search) -> Mixed {
        let found = search.run(&self.scenario, &self.catalog);
        let judged = found.mix.as_ref().map(|candidate| {
            let places = Assigned::of_tasks(&self.prepared(candidate).1);
            let changes = candidate.changes(&self.scenario);
            let way = Way { changes, places, ..self.judge_candidate(candidate) };
            JudgedWay { index: self.candidates.len() + index, way: self.with_caveats(way) }
        });
        Mixed { found, judged }
    }

    /// Returns the single changes to look into, once all ways are judged; none if the scenario is proved as it is.
    pub fn probes(&self) -> Vec<Probe> {
        match self.as_it_is() {
            true => Vec::new(),
            false => Probe::all(&self.scenario),
        }
    }

    /// Returns the change that `probe` looks for, if it helps.
    pub fn probe(&self, probe: Probe) -> Option<Change> {
        probe.look(&self.scenario, &self.catalog)
    }

    /// Ranks the ways, and puts them together with the results of searches and probes.
    pub fn conclude(&self, mut judged: Vec<JudgedWay>, mixed: Vec<Mixed>, probed: Vec<Change>) -> Advice {
        let mixes = Mixes::of(&self.scenario, mixed.iter().map(|mixed| &mixed.found));
        judged.extend(mixed.into_iter().filter_map(|mixed| mixed.judged));
        judged.sort_by_key(|judged| judged.index);
        let mut ways = distinct(judged.into_iter().map(|judged| judged.way).collect());
        way::ranked(&mut ways);
        let as_it_is = self.as_it_is();
        let single_changes = match as_it_is {
            true => Vec::new(),
            false => changes::of_ways(&self.scenario, &ways).into_iter().chain(probed).collect(),
        };
        let unknown_costs =
            costs::unknown(&self.scenario, candidates::attempts(&self.scenario, &self.catalog));
        Advice { ways, single_changes, as_it_is, mixes, unknown_costs }
    }

    fn as_it_is(&self) -> bool {
        Prepared::of(&self.scenario, &self.catalog).is_ok_and(|prepared| is_proved(&prepared))
    }
}

/// Keeps of ways with equal scheduler, protocol, places and priorities the one with the fewest changes. A way that
/// fails before it has places is kept once for all protocols under which it fails for the same reason.
fn distinct(mut ways: Vec<Way>) -> Vec<Way> {
    let (mut known, mut failed) = (BTreeSet::new(), BTreeSet::new());
    ways.sort_by_key(|way| way.changes);
    ways.retain(|way| {
        let CandidateSystem { scheduler, placement, priorities, protocol, schemes } = way.candidate.clone();
        match way.places.is_empty() {
            true => failed.insert((scheduler, placement, priorities, way.reason.clone())),
            false => {
                let schemes = schemes.map(|schemes| schemes.names());
                known.insert((scheduler, protocol, schemes, way.places.clone()))
            }
        }
    });
    ways
}
