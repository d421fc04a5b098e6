//! Measured overheads: what is known of a machine, and what of it a scheduler is charged.
//!
//! A value that a source lacks stays absent. A simulation or an analysis takes an absent value for zero,
//! because there is nothing else to take, and says so: [`Charged::unknown`] names every one of them.

mod decisions;
mod read;
mod resolve;
mod shared;
mod shipped;

pub use decisions::DecisionCosts;
pub use read::shipped;
pub use resolve::{Charged, Unknown};
pub use shipped::{shipped_names, NO_OVERHEADS};

pub(crate) use read::{caches, choice, unknown};

use crate::words::STATISTICS;
use schedlab_model::{Cost, MigrationPath, ObjectKind, OverheadKind, Scheme, SharedCache, Statistic};
use std::collections::BTreeMap;

/// What files call a path: `L2`, or `memory`.
pub(crate) fn path_name(path: MigrationPath) -> String {
    match path {
        MigrationPath::Cache(level) => format!("L{level}"),
        MigrationPath::Memory => "memory".to_owned(),
    }
}

/// The path of this name.
pub(crate) fn path_of(name: &str) -> Option<MigrationPath> {
    (1..=MOST_LEVELS)
        .map(MigrationPath::Cache)
        .chain([MigrationPath::Memory])
        .find(|path| path_name(*path) == name)
}

/// The highest level of a cache.
pub(crate) const MOST_LEVELS: u8 = 9;

/// The overheads of a scenario: a profile and which of its values to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverheadsChoice {
    /// The name of the shipped profile that `profile` is, if it is one. Such a name never changes its values.
    pub name: Option<String>,
    /// Which of the measured values to use.
    pub statistic: Statistic,
    /// The values.
    pub profile: OverheadProfile,
}

impl Default for OverheadsChoice {
    /// No overheads.
    fn default() -> Self {
        OverheadsChoice::shipped(NO_OVERHEADS).expect("it is shipped")
    }
}

impl OverheadsChoice {
    /// This profile, with its largest values.
    pub(crate) fn of(profile: OverheadProfile) -> OverheadsChoice {
        OverheadsChoice { name: None, statistic: Statistic::Max, profile }
    }

    /// The shipped profile of this name, with its largest values.
    pub(crate) fn shipped(name: &str) -> Option<OverheadsChoice> {
        Some(OverheadsChoice { name: Some(name.to_owned()), ..OverheadsChoice::of(shipped(name)?) })
    }

    /// Which of the measured values are used, as scenarios call it.
    pub fn statistic_name(&self) -> &'static str {
        let named = STATISTICS.iter().find(|(_, statistic)| *statistic == self.statistic);
        named.map_or("a percentile without a name", |(name, _)| name)
    }
}

/// What is known of a machine's overheads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverheadProfile {
    /// A line that says what this is.
    pub title: String,
    /// The machine that was measured.
    pub machine: String,
    /// Where the numbers come from.
    pub source: String,
    /// What a reader should know.
    pub notes: String,
    /// Which caches the machine's processors share; empty if unknown.
    pub caches: Vec<SharedCache>,
    /// Values for every scheduler.
    pub all: Kinds,
    /// Values that differ by scheduler; they go before those for all.
    pub schedulers: Vec<OfScheduler>,
    /// Values that differ by locking protocol; they go before all others.
    pub protocols: Vec<OfProtocol>,
    /// What operations on shared objects cost.
    pub objects: Vec<OfObject>,
    /// Measured values that nothing uses, by name.
    pub unmodelled: BTreeMap<String, Measured>,
}

/// Overheads by kind.
pub type Kinds = BTreeMap<OverheadKind, Measured>;

/// Values that hold under one scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfScheduler {
    /// The scheduler that was measured.
    pub name: String,
    /// Those that borrow its values: a name, or the part before the dash and `*`, such as `P-*`.
    pub stands_for: Vec<String>,
    /// How processors that share a queue decide, where that is modelled.
    pub decisions: Option<DecisionCosts>,
    /// The values.
    pub kinds: Kinds,
}

/// Values that hold under one locking protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfProtocol {
    /// The protocol.
    pub name: String,
    /// The values.
    pub kinds: Kinds,
}

/// What an operation on an object of one kind under one scheme costs; on a lock-free one, each attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfObject {
    /// What it is.
    pub kind: ObjectKind,
    /// How it is shared.
    pub scheme: Scheme,
    /// What it costs, by the number of tasks that share the object.
    pub access: Measured,
}

/// One measured overhead. A statistic that is `None` is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The largest value.
    pub max: Option<Value>,
    /// The mean.
    pub mean: Option<Value>,
    /// By tenths of a percent: what so many of the measurements do not exceed.
    pub percentiles: BTreeMap<u16, Value>,
    /// How many measurements stand behind it.
    pub samples: Option<u64>,
    /// Of migrations: the same by path, each without paths of its own.
    pub paths: BTreeMap<MigrationPath, Measured>,
}

/// How long one overhead takes, or that it does not occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// It takes this long.
    Cost(Cost),
    /// It does not occur, such as a migration under a partitioned scheduler. Not the same as unknown.
    NotApplicable,
}

impl Measured {
    /// The value of `statistic`.
    pub fn get(&self, statistic: Statistic) -> Option<&Value> {
        match statistic {
            Statistic::Max => self.max.as_ref(),
            Statistic::Mean => self.mean.as_ref(),
            Statistic::Percentile(tenths) => {
                self.percentiles.range(tenths..).next().map(|(_, value)| value).or(self.max.as_ref())
            }
        }
    }
}
