//! Schemes of objects, and the ones that may be tried.

use schedlab_model::Scheme;
use schedlab_scenario::Scenario;
use serde::{Serialize, Serializer};
use std::fmt;

/// A scheme for each object that tasks request, in the order of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schemes(Vec<(String, Scheme)>);

impl Schemes {
    /// Returns the schemes that the scenario states.
    pub(super) fn of(scenario: &Scenario) -> Schemes {
        let is_requested = |index: usize| scenario.tasks.iter().any(|task| task.requests(index));
        let requested = scenario.resources.iter().enumerate().filter(|(index, _)| is_requested(*index));
        Schemes(requested.filter_map(|(_, spec)| Some((spec.name.clone(), spec.scheme()?))).collect())
    }

    /// Returns the number of objects.
    pub(super) fn objects(&self) -> usize {
        self.0.len()
    }

    /// Gives all objects the same scheme.
    pub(super) fn uniform(&self, scheme: Scheme) -> Schemes {
        Schemes(self.0.iter().map(|(name, _)| (name.clone(), scheme)).collect())
    }

    /// True if all objects have the same scheme.
    pub(super) fn is_uniform(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0].1 == pair[1].1)
    }

    /// Lists the schemes to try instead: if `each`, another scheme of one object alone, and then one scheme for all.
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

    /// Changes the scheme of the object at `index`.
    fn with(&self, index: usize, scheme: Scheme) -> Schemes {
        let mut changed = self.clone();
        changed.0[index].1 = scheme;
        changed
    }

    /// Lists all schemes that differ in one object, by object.
    pub(super) fn with_one_changed(&self) -> Vec<Schemes> {
        (0..self.objects()).flat_map(|index| self.with_changed(index)).collect()
    }

    /// Lists all schemes that differ in the object at `index`.
    fn with_changed(&self, index: usize) -> impl Iterator<Item = Schemes> + '_ {
        let own = self.0[index].1;
        Scheme::ALL.into_iter().filter(move |one| *one != own).map(move |one| self.with(index, one))
    }

    /// Lists all combinations of schemes, ordered by the number of objects that differ.
    pub(super) fn combinations(&self) -> Vec<Schemes> {
        let mut all = vec![self.clone()];
        for index in 0..self.objects() {
            let changed: Vec<Schemes> = all.iter().flat_map(|one| one.with_changed(index)).collect();
            all.extend(changed);
        }
        all.sort_by_key(|one| one.changed(self).count());
        all
    }

    /// Iterates over the objects whose schemes differ from `own`, which has the same objects.
    fn changed<'a>(&'a self, own: &'a Schemes) -> impl Iterator<Item = &'a (String, Scheme)> {
        self.0.iter().zip(&own.0).filter(|(one, own)| one != own).map(|(one, _)| one)
    }

    /// Returns only the schemes that differ from the scenario's.
    pub(super) fn changes(&self, scenario: &Scenario) -> Schemes {
        Schemes(self.changed(&Schemes::of(scenario)).cloned().collect())
    }

    /// Returns the scenario with these schemes.
    pub(super) fn apply(&self, mut scenario: Scenario) -> Scenario {
        for (name, scheme) in &self.0 {
            let specs = scenario.resources.iter_mut().filter(|spec| spec.name == *name);
            specs.filter_map(|spec| spec.object.as_mut()).for_each(|object| object.scheme = *scheme);
        }
        scenario
    }

    /// Returns the names of the schemes by object, by which two are told apart.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|(_, scheme)| scheme.name()).collect()
    }
}

/// Groups objects by scheme, such as "commands, events lock-free; readings wait-free".
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

/// Writes a map from the object's name to its scheme.
impl Serialize for Schemes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, scheme)| (name, scheme.name())))
    }
}
