//! What the systems of a run were like: every dimension of the model has to be drawn, and accepted by some test.

use super::aim::{Aimed, AIMS};
use crate::system::{Arrivals, Costs, Lateness, System};
use schedlab_model::{Alignment, Instant, ReleasePoint, Step, Suspension, Task};
use std::collections::BTreeMap;
use std::fmt;

/// By property: systems that have it, and of these, those that the test aimed at accepts near its breakdown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn(BTreeMap<String, (u64, u64)>);

/// A name, and whether a system has what it says.
type Property = (&'static str, fn(&System) -> bool);

/// Properties besides the schedulers.
const PROPERTIES: &[Property] = &[
    ("implicit deadlines", |system| system.tasks.iter().all(|task| task.relative_deadline == task.period)),
    ("constrained deadlines", |system| {
        any(system, |task| task.relative_deadline < task.period)
            && !any(system, |task| task.relative_deadline > task.period)
    }),
    ("arbitrary deadlines", |system| any(system, |task| task.relative_deadline > task.period)),
    ("release jitter", |system| any(system, |task| !task.jitter.is_zero())),
    ("jitter of the first job alone", |system| {
        system.lateness == Lateness::FirstOnly && any(system, |task| !task.jitter.is_zero())
    }),
    ("dynamic self-suspension", |system| {
        any(system, |task| matches!(task.suspension, Suspension::Dynamic(bound) if !bound.is_zero()))
    }),
    ("segmented self-suspension", |system| {
        any(system, |task| task.program.iter().any(|step| matches!(step, Step::Suspend(_))))
    }),
    ("offsets", |system| any(system, |task| task.offset > Instant::ZERO)),
    ("sporadic arrivals", |system| system.arrivals == Arrivals::Sporadic),
    ("costs below the worst", |system| system.costs == Costs::Below),
    ("releases at ticks", |system| system.platform.releases == ReleasePoint::Tick),
    ("staggered ticks", |system| system.platform.alignment == Alignment::Staggered),
    ("overheads", |system| !system.overheads.are_none()),
    ("clusters of several processors", |system| system.scope == 'C'),
];

fn any(system: &System, has: impl Fn(&Task) -> bool) -> bool {
    system.tasks.iter().any(has)
}

impl Drawn {
    /// Counts a system.
    pub(super) fn add(&mut self, aimed: &Aimed) {
        let system = &aimed.system;
        let held = PROPERTIES.iter().filter(|(_, has)| has(system)).map(|(name, _)| (*name).to_owned());
        for name in held.chain([system.scheduler()]) {
            let (systems, near) = self.0.entry(name).or_default();
            *systems += 1;
            *near += u64::from(aimed.near_breakdown);
        }
    }

    pub(super) fn merge(&mut self, other: &Drawn) {
        for (name, (systems, near)) in &other.0 {
            let entry = self.0.entry(name.clone()).or_default();
            *entry = (entry.0 + systems, entry.1 + near);
        }
    }

    /// The properties that fewer than `enough` systems near a breakdown had, clusters of schedulers apart.
    pub fn scarce(&self, enough: u64) -> Vec<String> {
        let near = |name: &str| self.0.get(name).map_or(0, |counts| counts.1);
        let names = PROPERTIES.iter().map(|(name, _)| *name).chain(SCHEDULERS.iter().copied());
        names.filter(|name| near(name) < enough).map(str::to_owned).collect()
    }
}

/// The schedulers that published tests speak of.
const SCHEDULERS: &[&str] = &[
    "P-EDF", "P-RM", "P-DM", "P-FP", "C-EDF", "C-FP", "G-EDF", "G-RM", "G-DM", "G-FP", "G-FIFO", "G-FL",
    "NP-EDF", "NP-RM", "NP-DM", "NP-FP", "NP-FIFO", "NP-FL", "NG-EDF", "NG-RM", "NG-DM", "NG-FP", "NG-FIFO",
    "NG-FL",
];

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<34} {:>9} {:>15}  ({} aims)", "drawn", "systems", "near breakdown", AIMS.len())?;
        for (name, (systems, near)) in &self.0 {
            writeln!(f, "{name:<34} {systems:>9} {near:>15}")?;
        }
        Ok(())
    }
}
