//! Which schedulers, placements, priorities and protocols keep a task set's deadlines, by which margin, and what would
//! have to change.
//!
//! A [`Plan`] lists everything that applies to a scenario ([`candidates`]); what of it comes to the same ([`alike`]) is
//! judged once, in any order and on any thread. What is proved is ranked by its critical scaling factor, what is not
//! says why. Margins that differ by less than is known of measured overheads are ranked alike. Ways that put every task
//! at the same place with the same priorities are one way. Where tasks share several objects, mixes of schemes are
//! tried once the ways with one scheme for all are judged ([`mixes`]). If the scenario's own way is not proved, single
//! changes are looked for ([`changes`]).

mod alike;
mod candidates;
mod changes;
mod costs;
pub(crate) mod judged;
mod mixes;
mod other_placement;
mod place;
pub mod reach;
mod schemes;
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
use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use schedlab_scenario::{OverheadProfile, Scenario};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// What `advise` finds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Advice {
    /// The scenario itself is proved.
    pub as_it_is: bool,
    /// With each of them the scenario's own way would be proved, the best of a kind first; empty if none is needed.
    pub single_changes: Vec<Change>,
    /// How mixes of schemes were looked for; None where tasks request fewer than two objects.
    pub mixes: Option<Mixes>,
    /// Objects whose operations count as their sections say: the overheads do not say what they cost.
    pub unknown_costs: Vec<UnknownCosts>,
    /// The best first.
    pub ways: Vec<Way>,
}

/// What a search for a mix found.
#[derive(Clone, Debug)]
pub struct Mixed {
    found: mixes::Found,
    /// The best mix, if it is better than what was known before.
    judged: Option<JudgedWay>,
}

/// A way that has been judged.
#[derive(Clone, Debug)]
pub struct JudgedWay {
    /// Its place among all that were to be tried.
    index: usize,
    /// What was found.
    pub way: Way,
}

/// What is to be tried for a scenario.
#[derive(Clone, Debug)]
pub struct Plan {
    scenario: Scenario,
    catalog: Catalog,
    candidates: Vec<CandidateSystem>,
    /// The overheads as the smallest that were estimated, if estimates differ.
    at_least: Option<OverheadProfile>,
}

impl Plan {
    /// Everything in `catalog` that applies to `scenario`.
    pub fn of(scenario: &Scenario, catalog: &Catalog) -> Plan {
        let candidates = candidates::all(scenario, catalog);
        let at_least = scenario.overheads.profile.at_least();
        Plan { scenario: scenario.clone(), catalog: catalog.clone(), candidates, at_least }
    }

    /// How many ways there are.
    pub fn ways(&self) -> usize {
        self.candidates.len()
    }

    /// What becomes of way `index`; `None` if the protocol is not for this scheduler.
    pub fn outline(&self, index: usize) -> Option<Outline> {
        let scenario = match self.candidates[index].apply(&self.scenario, &self.catalog) {
            Ok(scenario) => scenario,
            Err(errors) => return Some(Outline::failing(index, errors.to_string())),
        };
        let prepared = match Prepared::for_analysis(&scenario, &self.catalog) {
            Ok(prepared) => prepared,
            Err(error) => return Some(Outline::failing(index, error.to_string())),
        };
        if !prepared.suits_protocol() {
            // That is no advice.
            return None;
        }
        Some(match prepared.policies() {
            Ok(_) => Outline::of(index, &prepared),
            Err(error) => Outline::failing(index, error.to_string()),
        })
    }

    /// The outlines, those together that one judgement is for.
    pub fn alike(&self, outlines: Vec<Outline>) -> Vec<Vec<Outline>> {
        alike::grouped(outlines)
    }

    /// Judges what comes to the same.
    pub fn judge(&self, alike: &[Outline]) -> Vec<JudgedWay> {
        let first = self.judge_one(&alike[0]);
        let way = |outline: &Outline| {
            let candidate = self.candidates[outline.candidate].clone();
            let (changes, places) = (candidate.changes(&self.scenario), outline.places.clone());
            JudgedWay { index: outline.candidate, way: Way { candidate, changes, places, ..first.clone() } }
        };
        alike.iter().map(way).collect()
    }

    fn judge_one(&self, outline: &Outline) -> Way {
        let candidate = &self.candidates[outline.candidate];
        match &outline.fails {
            Some(reason) => Way::failing(candidate, reason.clone()),
            None => self.judge_candidate(candidate),
        }
    }

    /// Judges one that can be.
    fn judge_candidate(&self, candidate: &CandidateSystem) -> Way {
        let (scenario, prepared) = self.prepared(candidate);
        let (proved, test, reason) = judged(&prepared);
        let margin = critical_scaling(&prepared);
        let at_best = self.at_least.as_ref().and_then(|least| {
            let mut cheaper = scenario.clone();
            cheaper.overheads.profile = least.clone();
            Prepared::for_analysis(&cheaper, &self.catalog).ok()
        });
        // Bisection may end on an island below.
        let margin_at_best = at_best.map_or(margin, |cheaper| critical_scaling(&cheaper).max(margin));
        let in_a_real_run = Spare::of(&prepared).filter(|_| proved).and_then(|spare| spare.advice());
        let missed = reason.observed_misses();
        let reason = reason.in_words(&prepared.scenario);
        let failing = Way::failing(candidate, reason);
        Way { margin, margin_at_best, proved, test, missed, in_a_real_run, ..failing }
    }

    /// The scenario as `candidate` says; that can be was found before.
    fn prepared(&self, candidate: &CandidateSystem) -> (Scenario, Prepared) {
        let scenario = candidate.apply(&self.scenario, &self.catalog).expect("it could be applied before");
        let prepared = Prepared::for_analysis(&scenario, &self.catalog).expect("it could be prepared before");
        (scenario, prepared)
    }

    /// Where to look for mixes of schemes, once all ways are judged.
    pub fn searches(&self, judged: &[JudgedWay]) -> Vec<Search> {
        let mut tested: Vec<&JudgedWay> = judged.iter().filter(|judged| judged.way.is_tested()).collect();
        tested.sort_by_key(|judged| judged.index);
        let margins: Vec<_> =
            tested.iter().map(|judged| (&judged.way.candidate, judged.way.margin)).collect();
        mixes::searches(&self.scenario, &self.candidates[0], &margins)
    }

    /// What the search number `index` finds.
    pub fn mix(&self, index: usize, search: &Search) -> Mixed {
        let found = search.run(&self.scenario, &self.catalog);
        let judged = found.mix.as_ref().map(|candidate| {
            let places = Assigned::of_tasks(&self.prepared(candidate).1);
            let changes = candidate.changes(&self.scenario);
            let way = Way { changes, places, ..self.judge_candidate(candidate) };
            JudgedWay { index: self.candidates.len() + index, way }
        });
        Mixed { found, judged }
    }

    /// What to look into besides, once all ways are judged: nothing if the scenario as it is is proved.
    pub fn probes(&self) -> Vec<Probe> {
        match self.as_it_is() {
            true => Vec::new(),
            false => Probe::all(&self.scenario),
        }
    }

    /// The change that `probe` is about, if it helps.
    pub fn probe(&self, probe: Probe) -> Option<Change> {
        probe.look(&self.scenario, &self.catalog)
    }

    /// Ranks the ways, and puts them together with what searches and probes found.
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

/// Ways with the same scheduler and protocol, places and priorities are one: that with the fewest changes. What fails
/// before it has places is one way under all protocols if it fails for the same reason.
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
