//! Mixes: some objects have one scheme and some another.
//!
//! One scheme for all objects is tried before, under every scheduler, placement, rule and protocol. A [`Search`] tries
//! mixes where that did best, and looks for a larger margin. Of few objects it tries all combinations. Of more it
//! climbs: from several beginnings it changes one object, or two at once, as long as the margin grows. A beginning is
//! what was tried before, and the scheme for each object that does best if tasks did not share the others.

use super::candidates::CandidateSystem;
use super::schemes::Schemes;
use crate::advise::sensitivity::{critical_scaling, is_proved_at, Factor};
use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use schedlab_model::Step;
use schedlab_scenario::{ResourceSpec, Scenario};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// So many objects at most have all their combinations tried.
pub const MOST_OBJECTS: usize = 5;

/// So many mixes are tried at most from one beginning: as many as so many objects have.
pub(crate) const MOST_TRIED: usize = 243;

/// How mixes of schemes were looked for, where tasks request several objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mixes {
    /// How many objects tasks request.
    pub objects: usize,
    /// All combinations were tried; else changes of one or two objects at a time, which may miss the best.
    pub is_exhaustive: bool,
    /// With how many schedulers and what goes with them.
    pub searches: usize,
    /// How many mixes were tried, in all searches.
    pub tried: usize,
    /// How many searches found a mix with a larger margin than anything else there: a way each.
    pub better: usize,
    /// How many searches ended since they had tried as many as they may.
    pub cut: usize,
}

impl Mixes {
    /// Of what searches found; `None` where there is nothing to mix, or no margin to search by.
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
            better: found.clone().filter(|found| found.mix.is_some()).count(),
            cut: found.filter(|found| found.is_cut).count(),
        })
    }
}

/// Where mixes are tried: under one scheduler, with a placement, a rule for priorities and a protocol.
#[derive(Clone, Debug)]
pub struct Search {
    /// But for its schemes.
    base: CandidateSystem,
    /// The scenario's own schemes.
    own: Schemes,
    /// What was tried before, with its margin, the best first.
    before: Vec<(Schemes, Factor)>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The best mix, if it is better than all that was tried before.
    pub(super) mix: Option<CandidateSystem>,
    pub(super) tried: usize,
    pub(super) is_cut: bool,
}

/// Where to try mixes, from `judged` candidates and their margins: with all else `as_it_is`, and under each scheduler
/// with what goes best with the scenario's own schemes, and with one for all.
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
    /// Tries mixes for `scenario`.
    pub(super) fn run(&self, scenario: &Scenario, catalog: &Catalog) -> Found {
        let asked = Asked { base: &self.base, scenario, catalog };
        let (best, mut found) = match self.own.objects() <= MOST_OBJECTS {
            true => self.all(&asked),
            false => self.climb(&asked),
        };
        found.mix =
            best.filter(|(_, margin)| *margin > self.margin_before()).map(|(mix, _)| asked.candidate(&mix));
        found
    }

    /// The best margin of what was tried before.
    fn margin_before(&self) -> Factor {
        self.before[0].1
    }

    fn is_new(&self, mix: &Schemes) -> bool {
        self.before.iter().all(|(known, _)| known != mix)
    }

    /// Every combination. Of those with one margin, the one that changes the fewest objects counts.
    fn all(&self, asked: &Asked<'_>) -> (Option<(Schemes, Factor)>, Found) {
        let (mut best, mut tried) = (None, 0);
        let mut margin = self.margin_before();
        for mix in self.own.combinations().into_iter().filter(|mix| self.is_new(mix)) {
            tried += 1;
            if let Some(larger) = asked.margin_above(&mix, margin) {
                margin = larger;
                best = Some((mix, larger));
            }
        }
        (best, Found { mix: None, tried, is_cut: false })
    }

    /// From each beginning uphill, by the first change that helps.
    fn climb(&self, asked: &Asked<'_>) -> (Option<(Schemes, Factor)>, Found) {
        let mut found = Found { mix: None, tried: 0, is_cut: false };
        let mut best: Option<(Schemes, Factor)> = None;
        let apart = self.each_alone(asked);
        let margin = asked.margin_above(&apart, Factor(0)).unwrap_or_default();
        let beginnings = [(apart, margin)].into_iter().chain(self.before.iter().cloned());
        for (begin, margin) in beginnings {
            let climbed = climb(begin, margin, |mix, than| asked.margin_above(mix, than));
            found.tried += climbed.tried;
            found.is_cut |= climbed.is_cut;
            if best.as_ref().is_none_or(|(_, margin)| climbed.top.1 > *margin) {
                best = Some(climbed.top);
            }
        }
        (best, found)
    }

    /// For each object the scheme that does best if tasks did not share the others; of several the scenario's own, or
    /// the first.
    fn each_alone(&self, asked: &Asked<'_>) -> Schemes {
        let mut chosen = self.own.clone();
        for index in 0..self.own.objects() {
            let schemes = [self.own.clone()].into_iter().chain(self.own.with_changed(index));
            let mut best: Option<(Schemes, Factor)> = None;
            for schemes in schemes {
                let margin = asked.margin_alone(&schemes, index);
                if best.as_ref().is_none_or(|(_, held)| margin > *held) {
                    best = Some((schemes, margin));
                }
            }
            if let Some((schemes, _)) = best {
                chosen = chosen.taking(index, &schemes);
            }
        }
        chosen
    }
}

/// Where a climb ended.
struct Climbed {
    top: (Schemes, Factor),
    /// How many mixes were tried.
    tried: usize,
    /// It was not at an end.
    is_cut: bool,
}

/// Goes on with the first change of one object, or of two, that gives a larger margin, until there is none.
/// `margin_above` says the margin of a mix if it is larger than another one.
fn climb(
    begin: Schemes,
    margin: Factor,
    margin_above: impl Fn(&Schemes, Factor) -> Option<Factor>,
) -> Climbed {
    let mut top = (begin, margin);
    let mut known: Vec<Schemes> = Vec::new();
    loop {
        let near = top.0.with_one_changed().into_iter().chain(top.0.with_two_changed());
        let mut higher = None;
        // What was not better than less is not better than this.
        for mix in near {
            if known.contains(&mix) {
                continue;
            }
            if known.len() == MOST_TRIED {
                return Climbed { top, tried: known.len(), is_cut: true };
            }
            higher = margin_above(&mix, top.1).map(|margin| (mix.clone(), margin));
            known.push(mix);
            if higher.is_some() {
                break;
            }
        }
        match higher {
            Some(higher) => top = higher,
            None => return Climbed { top, tried: known.len(), is_cut: false },
        }
    }
}

/// What is asked about mixes.
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
        let prepared = Prepared::for_analysis(&shared, self.catalog).ok()?;
        prepared.suits_protocol().then_some(prepared)
    }

    /// The margin of this mix, if it is larger than that.
    fn margin_above(&self, mix: &Schemes, than: Factor) -> Option<Factor> {
        let prepared = self.prepared(mix, self.scenario)?;
        let step = Factor(than.0 + 1);
        // One question spares the many that a margin takes.
        let promising = step <= Factor::LARGEST && is_proved_at(&prepared, step);
        promising.then(|| critical_scaling(&prepared)).filter(|margin| *margin > than)
    }

    /// The margin if tasks shared the object number `index` alone: operations on the others are execution like any.
    fn margin_alone(&self, mix: &Schemes, index: usize) -> Factor {
        let mut alone = self.scenario.clone();
        let is_other = |spec: &ResourceSpec| spec.object.is_some() && spec.name != mix.object(index);
        let others: Vec<bool> = alone.resources.iter().map(is_other).collect();
        let of_other = |step: &Step| matches!(step, Step::Request(asked, _) | Step::Release(asked, _) if others[asked.index()]);
        alone.tasks.iter_mut().for_each(|task| task.program.retain(|step| !of_other(step)));
        self.prepared(mix, &alone).map_or(Factor(0), |prepared| critical_scaling(&prepared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Scheme;

    /// So many locked objects that one task requests.
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
        let (one, two) = (own.with_one_changed(), own.with_two_changed());
        assert_eq!((one.len(), two.len()), (6, 12));
        assert!(one.iter().eq(&all[1..7]) && two.iter().all(|one| all[7..19].contains(one)));
    }

    /// Each of the first two alone is worth nothing; then each of the others is worth something, and all of them most.
    #[test]
    fn a_climb_changes_two_where_one_is_not_enough() {
        let worth = |mix: &Schemes, than: Factor| {
            let free = |index: usize| u32::from(mix.names()[index] == "wait-free");
            let margin = Factor(free(0) * free(1) * (10 + (2..6).map(free).sum::<u32>()));
            (margin > than).then_some(margin)
        };
        let climbed = climb(locked(6), Factor(0), worth);
        assert_eq!((climbed.top.0, climbed.top.1), (locked(6).uniform(Scheme::WaitFree), Factor(14)));
        assert!(!climbed.is_cut && climbed.tried <= MOST_TRIED, "{}", climbed.tried);
    }

    #[test]
    fn a_climb_ends() {
        let climbed = climb(locked(30), Factor(7), |_, _| None);
        assert_eq!((climbed.top, climbed.tried, climbed.is_cut), ((locked(30), Factor(7)), MOST_TRIED, true));
        let climbed = climb(locked(7), Factor(7), |_, _| None);
        assert_eq!((climbed.tried, climbed.is_cut), (14 + 84, false));
    }
}
