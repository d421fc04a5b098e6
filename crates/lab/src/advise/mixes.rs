//! Mixes of schemes: some objects have one scheme and some another.
//!
//! Before, one scheme for all objects is tried under every scheduler, placement, rule and protocol. A [`Search`] tries
//! mixes where that gave the best margins, and looks for a larger one. If there are few objects, it tries all
//! combinations; else it changes the scheme of each object alone, while the others keep the scenario's.

use super::candidates::CandidateSystem;
use super::schemes::Schemes;
use crate::advise::sensitivity::{critical_scaling, is_proved_at, Factor};
use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use schedlab_scenario::Scenario;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Up to this many objects the search is exhaustive.
pub const MOST_OBJECTS: usize = 5;

/// The search for mixes of schemes, where tasks request several objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mixes {
    /// Number of objects that tasks request.
    pub objects: usize,
    /// True if all combinations were tried; else another scheme of each object alone, which may miss the best.
    pub is_exhaustive: bool,
    /// Number of searches: schedulers, each with a placement, priorities and a protocol.
    pub searches: usize,
    /// Number of mixes that were tried in all searches.
    pub tried: usize,
    /// Number of searches that found a mix with a larger margin than anything else there; each adds a way.
    pub better: usize,
}

impl Mixes {
    /// Summarizes the searches; `None` if there is nothing to mix, or no margin to search by.
    pub(super) fn of<'f>(
        scenario: &Scenario,
        found: impl Iterator<Item = &'f Found> + Clone,
    ) -> Option<Mixes> {
        let objects = Schemes::of(scenario).objects();
        let searched = found.clone().next().is_some();
        (objects > 1 && searched).then(|| Mixes {
            objects,
            is_exhaustive: objects <= MOST_OBJECTS,
            searches: found.clone().count(),
            tried: found.clone().map(|found| found.tried).sum(),
            better: found.filter(|found| found.mix.is_some()).count(),
        })
    }
}

/// A search for mixes under one scheduler, with one placement, rule for priorities and protocol.
#[derive(Clone, Debug)]
pub struct Search {
    /// The candidate whose schemes the search replaces.
    base: CandidateSystem,
    /// The scenario's own schemes.
    own: Schemes,
    /// Schemes that were tried before with their margins, the best first.
    before: Vec<(Schemes, Factor)>,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The best mix, if it is better than everything that was tried before.
    pub(super) mix: Option<CandidateSystem>,
    pub(super) tried: usize,
}

/// Chooses where to try mixes, from `judged` candidates and their margins: with everything else `as_it_is`, and under
/// each scheduler with what goes best with the scenario's own schemes, and with each scheme for all objects.
pub(super) fn searches(
    scenario: &Scenario,
    as_it_is: &CandidateSystem,
    judged: &[(&CandidateSystem, Factor)],
) -> Vec<Search> {
    let own = Schemes::of(scenario);
    if own.objects() < 2 {
        return Vec::new();
    }
    let shared = |one: &CandidateSystem| one.schemes.clone().unwrap_or_else(|| own.clone());
    let mut best: BTreeMap<(&str, Vec<&str>), usize> = BTreeMap::new();
    for (index, (one, margin)) in judged.iter().enumerate() {
        let schemes = shared(one);
        if schemes == own || schemes.is_uniform() {
            let held = best.entry((&one.scheduler, schemes.names())).or_insert(index);
            *held = if *margin > judged[*held].1 { index } else { *held };
        }
    }
    let mut places: BTreeSet<usize> = best.into_values().collect();
    places.extend(judged.iter().position(|(one, _)| one.is_but_for_schemes(as_it_is)));
    let mut searches: Vec<Search> = Vec::new();
    for (base, _) in places.into_iter().map(|index| judged[index]) {
        if searches.iter().any(|search| search.base.is_but_for_schemes(base)) {
            continue;
        }
        let here = judged.iter().filter(|(one, _)| one.is_but_for_schemes(base));
        let mut before: Vec<(Schemes, Factor)> = here.map(|(one, margin)| (shared(one), *margin)).collect();
        before.sort_by_key(|(_, margin)| Reverse(*margin));
        searches.push(Search { base: base.clone(), own: own.clone(), before });
    }
    searches
}

impl Search {
    /// Tries mixes for `scenario`. Of mixes with equal margins, the one that changes the fewest objects wins.
    pub(super) fn run(&self, scenario: &Scenario, catalog: &Catalog) -> Found {
        let asked = Asked { base: &self.base, scenario, catalog };
        let (mut best, mut tried) = (None, 0);
        // The best margin of everything that was tried before.
        let mut margin = self.before[0].1;
        for mix in self.mixes().into_iter().filter(|mix| self.is_new(mix)) {
            tried += 1;
            if let Some(larger) = asked.margin_above(&mix, margin) {
                margin = larger;
                best = Some(mix);
            }
        }
        Found { mix: best.map(|mix| asked.candidate(&mix)), tried }
    }

    fn is_new(&self, mix: &Schemes) -> bool {
        self.before.iter().all(|(known, _)| known != mix)
    }

    /// Lists every combination for few objects; for more, the mixes that differ from the scenario's in one object.
    fn mixes(&self) -> Vec<Schemes> {
        match self.own.objects() <= MOST_OBJECTS {
            true => self.own.combinations(),
            false => self.own.with_one_changed(),
        }
    }
}

/// The scenario and the candidate for which a search judges mixes.
struct Asked<'s> {
    base: &'s CandidateSystem,
    scenario: &'s Scenario,
    catalog: &'s Catalog,
}

impl Asked<'_> {
    fn candidate(&self, mix: &Schemes) -> CandidateSystem {
        CandidateSystem { schemes: Some(mix.clone()), ..self.base.clone() }
    }

    fn prepared(&self, mix: &Schemes, scenario: &Scenario) -> Option<Prepared> {
        let shared = self.candidate(mix).apply(scenario, self.catalog).ok()?;
        Prepared::for_analysis(&shared, self.catalog).ok()
    }

    /// Returns the margin of this mix, if it is larger than `than`.
    fn margin_above(&self, mix: &Schemes, than: Factor) -> Option<Factor> {
        let prepared = self.prepared(mix, self.scenario)?;
        let step = Factor(than.0 + 1);
        // One question first can spare the many that a margin takes.
        let promising = step <= Factor::LARGEST && is_proved_at(&prepared, step);
        promising.then(|| critical_scaling(&prepared)).filter(|margin| *margin > than)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Scheme;

    /// Returns the schemes of this many locked objects, all requested by one task.
    fn locked(objects: usize) -> Schemes {
        let object = |n| format!("[[resource]]\nname = \"o{n}\"\nkind = \"heap\"\nscheme = \"locked\"\n");
        let step = |n| format!("\"request o{n}\", \"execute 1 us\", \"release o{n}\"");
        let objects = 0..objects;
        let text = format!(
            "schedlab = 1\n{}[[task]]\nname = \"t\"\nperiod = \"1 ms\"\nprogram = [{}]\n",
            objects.clone().map(object).collect::<String>(),
            objects.map(step).collect::<Vec<_>>().join(", ")
        );
        Schemes::of(&Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}")))
    }

    #[test]
    fn combinations_are_all_there_are_the_nearest_first() {
        let own = locked(3).uniform(Scheme::LockFree);
        let all = own.combinations();
        let distinct: BTreeSet<_> = all.iter().map(Schemes::names).collect();
        assert_eq!((all.len(), distinct.len()), (27, 27));
        let near: Vec<usize> =
            all.iter().map(|one| one.names().iter().filter(|name| **name != "lock-free").count()).collect();
        assert!(near.is_sorted() && near[0] == 0, "{near:?}");
        assert!(own.with_one_changed().iter().eq(&all[1..7]));
    }
}
