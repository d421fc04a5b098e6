//! Cache-related delays of modelled caches, as an overheads file that names them modelled.

use crate::memory::{MemoryUse, Resumption};
use schedlab_model::{Cost, Duration, OverheadKind};
use schedlab_scenario::{Kinds, Measured, OfScheduler, OverheadProfile, Scenario, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Delays of one kind, with the same working set and the same number of co-runners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays {
    /// The kind: after a preemption or a suspension, or after a migration.
    pub kind: OverheadKind,
    /// Size of the working set in bytes.
    pub working_set: u64,
    /// Number of other processors that executed jobs when the job went on.
    pub co_runners: u32,
    /// Number of delays.
    pub samples: u64,
    /// The longest delay.
    pub max: Duration,
    /// The mean delay, rounded up.
    pub mean: Duration,
}

fn kind(one: &Resumption) -> OverheadKind {
    match one.is_migration {
        true => OverheadKind::CacheRelatedMigration,
        false => OverheadKind::CacheRelatedPreemption,
    }
}

/// Groups the delays, in cycles, by `key`.
fn grouped<K: Ord>(found: &MemoryUse, key: impl Fn(&Resumption) -> K) -> BTreeMap<K, Vec<u64>> {
    let mut groups: BTreeMap<K, Vec<u64>> = BTreeMap::new();
    for one in &found.resumptions {
        if let Some(delay) = one.delay {
            groups.entry(key(one)).or_default().push(delay);
        }
    }
    groups
}

fn longest(delays: &[u64], clock_mhz: u32) -> Duration {
    nanoseconds(delays.iter().copied().max().unwrap_or(0), clock_mhz)
}

fn mean(delays: &[u64], clock_mhz: u32) -> Duration {
    nanoseconds(delays.iter().sum::<u64>().div_ceil(delays.len() as u64), clock_mhz)
}

/// Converts cycles to time, rounded up.
pub(crate) fn nanoseconds(cycles: u64, clock_mhz: u32) -> Duration {
    let ns = (u128::from(cycles) * 1_000).div_ceil(u128::from(clock_mhz));
    Duration::from_ns(u64::try_from(ns).expect("cycles of a schedule take representable time"))
}

/// Returns the delays grouped by kind, working set and number of co-runners.
pub fn delays(found: &MemoryUse, clock_mhz: u32) -> Vec<Delays> {
    let groups = grouped(found, |one| (kind(one), one.working_set, one.co_runners));
    let row = |((kind, working_set, co_runners), delays): (_, Vec<u64>)| Delays {
        kind,
        working_set,
        co_runners,
        samples: delays.len() as u64,
        max: longest(&delays, clock_mhz),
        mean: mean(&delays, clock_mhz),
    };
    groups.into_iter().map(row).collect()
}

/// Returns the largest and the mean delay by working set. A kind that did not occur is absent: it is unknown.
fn kinds(found: &MemoryUse, clock_mhz: u32) -> Kinds {
    let mut kinds: BTreeMap<OverheadKind, Vec<(u64, Vec<u64>)>> = BTreeMap::new();
    for ((kind, size), delays) in grouped(found, |one| (kind(one), one.working_set)) {
        kinds.entry(kind).or_default().push((size, delays));
    }
    let measured = |rows: Vec<(u64, Vec<u64>)>| {
        let table = |of: fn(&[u64], u32) -> Duration| {
            let rows = rows.iter().map(|(size, delays)| (*size, of(delays, clock_mhz)));
            Some(Value::Cost(Cost::ByWorkingSet(rows.collect())))
        };
        let samples = rows.iter().map(|(_, delays)| delays.len() as u64).sum();
        Measured { max: table(longest), mean: table(mean), samples: Some(samples), ..Measured::default() }
    };
    kinds.into_iter().map(|(kind, rows)| (kind, measured(rows))).collect()
}

/// Writes the notes for readers of the file: which delays did not occur, and how charges of them are guessed.
fn notes(scenario: &Scenario, found: &[(String, MemoryUse)]) -> String {
    let mut said =
        "Delays occurred in simulated schedules: they bound no other schedule. All other overheads are unknown."
            .to_owned();
    for (name, found) in found {
        for (kind, sizes) in unseen(scenario, found) {
            let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
            let _ = write!(
                said,
                " {name}: no {} of working sets of {} bytes; charges of them are guessed from other sizes.",
                kind.name(),
                sizes.join(", ")
            );
        }
    }
    said
}

/// Returns, for each kind that occurred, the working sets that fit the cache but were never loaded again in that way.
fn unseen(scenario: &Scenario, found: &MemoryUse) -> BTreeMap<OverheadKind, BTreeSet<u64>> {
    let cache = scenario.platform.memory.cache.bytes;
    let sizes = scenario.tasks.iter().map(|task| task.working_set).filter(|size| (1..=cache).contains(size));
    let sizes: BTreeSet<u64> = sizes.collect();
    let mut unseen: BTreeMap<OverheadKind, BTreeSet<u64>> = BTreeMap::new();
    for (kind, size) in grouped(found, |one| (kind(one), one.working_set)).into_keys() {
        unseen.entry(kind).or_insert_with(|| sizes.clone()).remove(&size);
    }
    unseen.retain(|_, sizes| !sizes.is_empty());
    unseen
}

/// Makes the overheads file, with the delays of each scheduler's schedule.
pub fn profile(scenario: &Scenario, found: &[(String, MemoryUse)]) -> OverheadProfile {
    let memory = scenario.platform.memory;
    let of_scheduler = |(name, found): &(String, MemoryUse)| OfScheduler {
        name: name.clone(),
        stands_for: Vec::new(),
        decisions: None,
        kinds: kinds(found, memory.clock_mhz),
    };
    let title = match scenario.title.as_str() {
        "" => "modelled: cache-related delays".to_owned(),
        title => format!("modelled: cache-related delays of {title}"),
    };
    let (cache, bus) = (memory.cache, memory.bus);
    OverheadProfile {
        title,
        machine: format!(
            "modelled: {} processors at {} MHz, {} caches of {} bytes with lines of {}. Bus cycles: read miss \
             {}, write miss {}, upgrade {}, write-back {}, {} between accesses",
            scenario.platform.processors,
            memory.clock_mhz,
            match cache.ways {
                1 => "direct-mapped".to_owned(),
                ways => format!("{ways}-way"),
            },
            cache.bytes,
            cache.line_bytes,
            bus.read_miss,
            bus.write_miss,
            bus.upgrade,
            bus.write_back,
            memory.gap
        ),
        source: "modelled by schedlab membus, not measured".to_owned(),
        notes: notes(scenario, found),
        schedulers: found.iter().map(of_scheduler).collect(),
        ..OverheadProfile::default()
    }
}
