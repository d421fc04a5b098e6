//! How objects are shared: which schemes may be tried for them.

use schedlab_model::Scheme;
use schedlab_scenario::Scenario;
use serde::{Serialize, Serializer};
use std::fmt;

/// A scheme for each object that tasks request, in the order of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schemes(Vec<(String, Scheme)>);

impl Schemes {
    /// Those of the scenario.
    pub(super) fn of(scenario: &Scenario) -> Schemes {
        let is_requested = |index: usize| scenario.tasks.iter().any(|task| task.requests(index));
        let requested = scenario.resources.iter().enumerate().filter(|(index, _)| is_requested(*index));
        Schemes(requested.filter_map(|(_, spec)| Some((spec.name.clone(), spec.scheme()?))).collect())
    }

    /// How many objects there are.
    pub(super) fn objects(&self) -> usize {
        self.0.len()
    }

    /// One scheme for all of them.
    pub(super) fn uniform(&self, scheme: Scheme) -> Schemes {
        Schemes(self.0.iter().map(|(name, _)| (name.clone(), scheme)).collect())
    }

    /// Whether all have one scheme.
    pub(super) fn is_uniform(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0].1 == pair[1].1)
    }

    /// What is tried instead: if `each`, another scheme of one object alone, and then one scheme for all.
    pub(super) fn others(&self, each: bool) -> Vec<Schemes> {
        let alone = if each { self.with_one_changed() } else { Vec::new() };
        let mut found: Vec<Schemes> = Vec::new();
        for one in alone.into_iter().chain(Scheme::ALL.map(|scheme| self.uniform(scheme))) {
            if one != *self && !found.contains(&one) {
                found.push(one);
            }
        }
        found
    }

    /// The same with another scheme of the object at place `index`.
    fn with(&self, index: usize, scheme: Scheme) -> Schemes {
        let mut changed = self.clone();
        changed.0[index].1 = scheme;
        changed
    }

    /// All that differ in one object, by object.
    pub(super) fn with_one_changed(&self) -> Vec<Schemes> {
        (0..self.objects()).flat_map(|index| self.with_changed(index)).collect()
    }

    /// All that differ in the object at place `index`.
    fn with_changed(&self, index: usize) -> impl Iterator<Item = Schemes> + '_ {
        let own = self.0[index].1;
        Scheme::ALL.into_iter().filter(move |one| *one != own).map(move |one| self.with(index, one))
    }

    /// All combinations, those first that differ in the fewest objects.
    pub(super) fn combinations(&self) -> Vec<Schemes> {
        let mut all = vec![self.clone()];
        for index in 0..self.objects() {
            let changed: Vec<Schemes> = all.iter().flat_map(|one| one.with_changed(index)).collect();
            all.extend(changed);
        }
        all.sort_by_key(|one| one.changed(self).count());
        all
    }

    /// What differs from `own`, which has the same objects.
    fn changed<'a>(&'a self, own: &'a Schemes) -> impl Iterator<Item = &'a (String, Scheme)> {
        self.0.iter().zip(&own.0).filter(|(one, own)| one != own).map(|(one, _)| one)
    }

    /// What differs from the scenario's, alone.
    pub(super) fn changes(&self, scenario: &Scenario) -> Schemes {
        Schemes(self.changed(&Schemes::of(scenario)).cloned().collect())
    }

    /// The scenario with its objects shared so.
    pub(super) fn apply(&self, mut scenario: Scenario) -> Scenario {
        for (name, scheme) in &self.0 {
            let specs = scenario.resources.iter_mut().filter(|spec| spec.name == *name);
            specs.filter_map(|spec| spec.object.as_mut()).for_each(|object| object.scheme = *scheme);
        }
        scenario
    }

    /// By object: what tells two apart.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|(_, scheme)| scheme.name()).collect()
    }
}

/// By scheme, such as "commands, events lock-free; readings wait-free".
impl fmt::Display for Schemes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |scheme: Scheme| {
            let names: Vec<&str> =
                self.0.iter().filter(|(_, own)| *own == scheme).map(|(name, _)| name.as_str()).collect();
            (!names.is_empty()).then(|| format!("{} {}", names.join(", "), scheme.name()))
        };
        f.write_str(&Scheme::ALL.into_iter().filter_map(of).collect::<Vec<_>>().join("; "))
    }
}

/// A scheme by object.
impl Serialize for Schemes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, scheme)| (name, scheme.name())))
    }
}
