//! From what is known of a machine to what a scheduler is charged.

use super::{DecisionCosts, Kinds, Measured, OfObject, OverheadProfile, Value};
use schedlab_model::{Cost, Duration, ObjectKind, OverheadKind, OverheadSpec, Overheads, Scheme, Statistic};

/// What a scheduler is charged, and what is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charged {
    /// The overheads; zero where unknown.
    pub overheads: Overheads,
    /// Every value that is zero because the profile lacks it.
    pub unknown: Vec<Unknown>,
    /// The scheduler whose values are used though they were measured for that one only.
    pub borrowed_from: Option<String>,
    /// How processors that share a queue decide, and where the numbers come from; the overheads hold what it takes.
    pub decisions: Option<DecisionCosts>,
}

/// A value that a profile lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Of which overhead.
    pub kind: OverheadKind,
    /// Which value of it.
    pub statistic: Statistic,
}

impl Charged {
    /// The kinds whose value of `statistic` the profile lacks: modelled as taking no time.
    ///
    /// A percentile is known if it or a larger one is, or the largest value.
    pub fn unknown(&self, statistic: Statistic) -> impl Iterator<Item = OverheadKind> + '_ {
        let is_lacking = move |lacking: &&Unknown| match statistic {
            Statistic::Percentile(wanted) => {
                let known = &self.overheads.get(lacking.kind).percentiles;
                lacking.statistic == Statistic::Max && known.iter().all(|(tenths, _)| *tenths < wanted)
            }
            Statistic::Max | Statistic::Mean => lacking.statistic == statistic,
        };
        self.unknown.iter().filter(is_lacking).map(|lacking| lacking.kind)
    }
}

impl OverheadProfile {
    /// What an operation on such an object costs where `tasks` tasks share it, if that is known.
    pub fn access(
        &self,
        kind: ObjectKind,
        scheme: Scheme,
        statistic: Statistic,
        tasks: usize,
    ) -> Option<Duration> {
        let is_it = |section: &&OfObject| (section.kind, section.scheme) == (kind, scheme);
        match self.objects.iter().find(is_it)?.access.get(statistic)? {
            Value::Cost(cost) => Some(cost.evaluate(tasks, 0)),
            Value::NotApplicable => Some(Duration::ZERO),
        }
    }

    /// What `scheduler` is charged under the locking `protocol`.
    ///
    /// For each kind the first of these that has it: the protocol's values, the scheduler's, those for all.
    /// A scheduler without values of its own borrows those of the first that stands for it. Estimates that schedulers
    /// of the same code share are the largest of theirs.
    pub fn charged(&self, scheduler: &str, protocol: &str) -> Charged {
        let own = self.schedulers.iter().find(|section| section.name == scheduler);
        let borrowed = || {
            self.schedulers
                .iter()
                .find(|section| section.stands_for.iter().any(|pattern| covers(pattern, scheduler)))
        };
        let section = own.or_else(borrowed);
        let protocol = self.protocols.iter().find(|section| section.name.eq_ignore_ascii_case(protocol));
        let layers: [Option<&Kinds>; 3] =
            [protocol.map(|section| &section.kinds), section.map(|section| &section.kinds), Some(&self.all)];
        let mut charged = Charged::default();
        for kind in OverheadKind::ALL {
            let measured = layers.into_iter().flatten().find_map(|kinds| kinds.get(&kind));
            let own =
                section.filter(|section| section.kinds.get(&kind).is_some_and(|own| measured == Some(own)));
            let shared = own.and_then(|section| self.shared(section, kind));
            charge(&mut charged, kind, shared.as_ref().or(measured));
        }
        charged.decisions = section.and_then(|section| section.decisions.clone());
        charged.overheads.set_deciding(charged.decisions.as_ref().map(|known| known.costs));
        if own.is_none() {
            charged.borrowed_from = section.map(|section| section.name.clone());
        }
        charged
    }
}

fn charge(charged: &mut Charged, kind: OverheadKind, measured: Option<&Measured>) {
    let measured = measured.cloned().unwrap_or_default();
    let spec = spec_of(&measured, |statistic| {
        charged.unknown.push(Unknown { kind, statistic });
        Cost::default()
    });
    charged.overheads.set(kind, spec.clone());
    for (path, of) in &measured.paths {
        // Of what is not measured of one path, that of the dearest holds.
        let dearest = |statistic| spec.get(statistic).clone();
        charged.overheads.set_migration(*path, spec_of(of, dearest));
    }
}

/// What is measured; `otherwise` says what a largest value or a mean is that is not.
fn spec_of(measured: &Measured, mut otherwise: impl FnMut(Statistic) -> Cost) -> OverheadSpec {
    let cost = |value: &Value| match value {
        Value::Cost(cost) => cost.clone(),
        Value::NotApplicable => Cost::default(),
    };
    let mut value = |statistic| measured.get(statistic).map_or_else(|| otherwise(statistic), cost);
    let (max, mean) = (value(Statistic::Max), value(Statistic::Mean));
    let percentiles = measured.percentiles.iter().map(|(tenths, value)| (*tenths, cost(value))).collect();
    OverheadSpec { max, mean, percentiles }
}

/// True if `pattern`, a name or `P-*`, covers the scheduler `name`. A user's own says by its name of which kind it is.
fn covers(pattern: &str, name: &str) -> bool {
    let Some(prefix) = pattern.strip_suffix('*') else { return pattern == name };
    match schedlab_policy::find(name) {
        Ok(known) => known.prefix().is_some_and(|its| its == prefix),
        Err(_) => name.starts_with(prefix),
    }
}
