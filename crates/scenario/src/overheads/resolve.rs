//! Computes the overheads that a scheduler is charged from the known overheads of a machine.

use super::{DecisionCosts, Kinds, Measured, OfObject, OverheadProfile, Value};
use schedlab_model::{Cost, Duration, ObjectKind, OverheadKind, OverheadSpec, Overheads, Scheme, Statistic};

/// Overheads that a scheduler is charged, and which of them are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charged {
    /// The overheads; zero where unknown.
    pub overheads: Overheads,
    /// All values that are zero because the profile lacks them.
    pub unknown: Vec<Unknown>,
    /// Scheduler whose values are used although they were measured for that scheduler only.
    pub borrowed_from: Option<String>,
    /// Decisions of processors that share a queue, with the sources of the numbers; `overheads` holds their costs.
    pub decisions: Option<DecisionCosts>,
}

/// A value that a profile lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Kind of the overhead.
    pub kind: OverheadKind,
    /// Missing statistic.
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
    /// Returns the cost of an operation on such an object if `tasks` tasks share it; `None` if it is unknown.
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

    /// Returns the overheads that `scheduler` is charged under the locking `protocol`.
    ///
    /// For each kind, the first of these that has it counts: the protocol's values, the scheduler's values, the values
    /// for all. A scheduler without values of its own borrows those of the first that stands for it. Estimates that
    /// schedulers of the same code share are the largest of theirs.
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
        let moves = has_run_queues(scheduler);
        for kind in OverheadKind::ALL.into_iter().filter(|kind| moves || !MOVES.contains(kind)) {
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

/// Kinds that occur under a scheduler with run queues alone; under any other they are known to take no time.
pub(super) const MOVES: [OverheadKind; 2] = [OverheadKind::Push, OverheadKind::Pull];

/// True if the scheduler of this name pushes and pulls threads between run queues. A user's own does not.
pub(super) fn has_run_queues(scheduler: &str) -> bool {
    schedlab_policy::find(scheduler).is_ok_and(|known| known.has_run_queues())
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

/// Returns the measured values; `otherwise` gives a largest value or a mean that was not measured.
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

/// True if `pattern`, a name or `P-*`, covers the scheduler `name`. The name of a user's own scheduler shows its kind.
fn covers(pattern: &str, name: &str) -> bool {
    let Some(prefix) = pattern.strip_suffix('*') else { return pattern == name };
    match schedlab_policy::find(name) {
        Ok(known) => known.prefix().is_some_and(|its| its == prefix),
        Err(_) => name.starts_with(prefix),
    }
}
