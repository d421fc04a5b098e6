//! Measured overheads of a machine, and the part of them that a scheduler is charged.
//!
//! A value that a source lacks stays absent. A simulation or an analysis takes an absent value for zero, because there
//! is no better value, and reports it: [`Charged::unknown`] names each of them.

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

/// Returns the name of a path in files: `L2`, or `memory`.
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

/// Name in overheads files for the time to leave a non-preemptive section when a preemption was delayed. It is measured
/// besides the kinds that are the same for every scheduler; analyses of locks charge it.
pub const LEAVING: &str = "leaving_np_section";

/// The overheads of a scenario: a profile and which of its values to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverheadsChoice {
    /// The name of the shipped profile that `profile` is, if it is one. The values of a shipped name never change.
    pub name: Option<String>,
    /// Statistic of the measured values to use.
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
    /// A choice of this profile, with its largest values.
    pub(crate) fn of(profile: OverheadProfile) -> OverheadsChoice {
        OverheadsChoice { name: None, statistic: Statistic::Max, profile }
    }

    /// The shipped profile of this name, with its largest values.
    pub(crate) fn shipped(name: &str) -> Option<OverheadsChoice> {
        Some(OverheadsChoice { name: Some(name.to_owned()), ..OverheadsChoice::of(shipped(name)?) })
    }

    /// Name of the overheads, for sentences.
    pub fn in_words(&self) -> &str {
        match (self.name.as_deref(), self.profile.title.as_str()) {
            (Some(name), _) => name,
            (None, "") => "the file of overheads",
            (None, title) => title,
        }
    }

    /// Name of the statistic in scenarios.
    pub fn statistic_name(&self) -> &'static str {
        let named = STATISTICS.iter().find(|(_, statistic)| *statistic == self.statistic);
        named.map_or("a percentile without a name", |(name, _)| name)
    }
}

/// Known overheads of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverheadProfile {
    /// One-line description.
    pub title: String,
    /// Machine that was measured.
    pub machine: String,
    /// Source of the numbers.
    pub source: String,
    /// Remarks for a reader.
    pub notes: String,
    /// Caches that the machine's processors share; empty if unknown.
    pub caches: Vec<SharedCache>,
    /// Values for every scheduler.
    pub all: Kinds,
    /// Values that differ by scheduler. They take precedence over those for all.
    pub schedulers: Vec<OfScheduler>,
    /// Values that differ by locking protocol. They take precedence over all others.
    pub protocols: Vec<OfProtocol>,
    /// Costs of operations on shared objects.
    pub objects: Vec<OfObject>,
    /// Measured values that nothing uses, by name.
    pub unmodelled: BTreeMap<String, Measured>,
}

impl OverheadProfile {
    /// The names of the measured values that take time and that nothing charges.
    pub(crate) fn uncharged(&self) -> Vec<&str> {
        let takes_time = |(name, value): &(&String, &Measured)| *name != LEAVING && value.takes_time();
        self.unmodelled.iter().filter(takes_time).map(|(name, _)| name.as_str()).collect()
    }
}

/// Overheads by kind.
pub type Kinds = BTreeMap<OverheadKind, Measured>;

/// Values that hold under one scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfScheduler {
    /// The scheduler that was measured.
    pub name: String,
    /// Schedulers that borrow these values: a name, or the part before the dash and `*`, such as `P-*`.
    pub stands_for: Vec<String>,
    /// Decisions of processors that share a queue, where they are modelled.
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

/// Cost of an operation on an object of one kind under one scheme; on a lock-free object, of each attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfObject {
    /// Kind of the object.
    pub kind: ObjectKind,
    /// Scheme by which tasks share the object.
    pub scheme: Scheme,
    /// Cost of an operation, by the number of tasks that share the object.
    pub access: Measured,
}

/// One measured overhead. A statistic that is `None` is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The largest value.
    pub max: Option<Value>,
    /// The mean.
    pub mean: Option<Value>,
    /// Percentiles, by tenths of a percent: the value that this part of the measurements does not exceed.
    pub percentiles: BTreeMap<u16, Value>,
    /// Number of measurements.
    pub samples: Option<u64>,
    /// For migrations: the overhead by path, each without paths of its own.
    pub paths: BTreeMap<MigrationPath, Measured>,
}

impl Measured {
    /// True if some value is by number of ready jobs.
    fn is_by_ready_jobs(&self) -> bool {
        let mut values = self.max.iter().chain(&self.mean).chain(self.percentiles.values());
        values.any(|value| matches!(value, Value::Cost(Cost::ByReadyJobs(_))))
    }

    /// True if some value is above zero.
    fn takes_time(&self) -> bool {
        let above_zero = |value: &Value| match value {
            Value::Cost(Cost::Constant(time)) => !time.is_zero(),
            Value::Cost(Cost::Linear { base, per_task_ps }) => !base.is_zero() || *per_task_ps > 0,
            Value::Cost(Cost::ByWorkingSet(rows) | Cost::ByTaskCount(rows) | Cost::ByReadyJobs(rows)) => {
                rows.iter().any(|(_, time)| !time.is_zero())
            }
            Value::NotApplicable => false,
        };
        let mut values = self.max.iter().chain(&self.mean).chain(self.percentiles.values());
        values.any(above_zero) || self.paths.values().any(Measured::takes_time)
    }
}

/// Time of one overhead, or that it does not occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The overhead takes this long.
    Cost(Cost),
    /// The overhead does not occur, such as a migration under a partitioned scheduler. This is not the same as unknown.
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
