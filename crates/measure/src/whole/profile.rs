//! Makes an overheads file of measurements.
//!
//! Overheads that were not measured are absent. `max` is the largest value that repeats, unless the largest one of all
//! is asked for. A maximum that clearly grows with the number of tasks is a line, raised until no task set is above it;
//! any other is a constant, the largest of all sets. Working sets give a table, with all lines written: over the
//! longest path, and over each by the nearest cache that both processors share.

use super::row::MeasuredRow;
use super::steps::{alignment, ACCESSES};
use crate::costs::cache::Access;
use crate::machine::topology::Path;
use crate::runs::findings::{CONTEXT_SWITCH, IPI, LEAVING, RELEASE, SCHEDULING, TICK, TIMER_LATENCY};
use crate::values::fit::trend;
use crate::values::samples::{percentile, repeated, PERCENTILES};
use schedlab_model::{Alignment, Cost, Duration, MigrationPath, OverheadKind};
use schedlab_policy::{find as find_scheduler, Scheduler, Scope, EDF};
use schedlab_scenario::{Kinds, Measured, OfProtocol, OfScheduler, OverheadProfile, Value};
use std::collections::BTreeMap;

/// Returns the prefixes of the schedulers that borrow the values of a measured one: from P-EDF all that decide for each
/// processor, from G-EDF all others.
fn stands_for(measured: &Scheduler) -> Vec<String> {
    let is_edf = |scope| measured.name == Scheduler::of_order(EDF, true, scope).name;
    let scopes: &[Scope] = match measured.scope {
        Scope::Partitioned if is_edf(Scope::Partitioned) => &[Scope::Partitioned],
        Scope::Global if is_edf(Scope::Global) => &[Scope::Global, Scope::Clustered],
        Scope::Partitioned | Scope::Global | Scope::Clustered => &[],
    };
    let prefix = |(scope, preemptive): (&Scope, bool)| Scheduler::of_order(EDF, preemptive, *scope).prefix();
    let each = scopes.iter().flat_map(|scope| [(scope, true), (scope, false)]);
    each.filter_map(prefix).map(|prefix| format!("{prefix}*")).collect()
}

/// Way in which a kind of overhead is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Under each scheduler, by this name in rows.
    OfScheduler(&'static str),
    /// Under each locking protocol.
    OfProtocol,
    /// By working set.
    Reload,
    /// As a part of other overheads: the runtime's calls are measured whole, with the time that they spend in the
    /// kernel.
    Within,
}

fn way(kind: OverheadKind) -> Way {
    match kind {
        OverheadKind::Release => Way::OfScheduler(RELEASE),
        OverheadKind::Tick => Way::OfScheduler(TICK),
        OverheadKind::Scheduling => Way::OfScheduler(SCHEDULING),
        OverheadKind::ContextSwitch => Way::OfScheduler(CONTEXT_SWITCH),
        OverheadKind::Ipi => Way::OfScheduler(IPI),
        OverheadKind::LockAcquire | OverheadKind::LockRelease => Way::OfProtocol,
        OverheadKind::CacheRelatedPreemption | OverheadKind::CacheRelatedMigration => Way::Reload,
        OverheadKind::SyscallEntry | OverheadKind::SyscallExit => Way::Within,
        OverheadKind::Push | OverheadKind::Pull => Way::OfScheduler(kind.name()),
    }
}

/// Returns the kinds that are measured in this way.
fn kinds_by(wanted: Way) -> impl Iterator<Item = OverheadKind> {
    OverheadKind::ALL.into_iter().filter(move |kind| way(*kind) == wanted)
}

/// Measured values that nothing uses.
const UNMODELLED: [&str; 5] = [TIMER_LATENCY, LEAVING, "system_call", "kernel_migration", "interrupt"];

/// Meaning of the file's `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Most {
    /// The largest value that repeats.
    Repeated,
    /// The largest value, once the top hundredth is discarded.
    Largest,
}

/// Makes a profile of the values of `rows`; its texts are set by the caller.
pub(crate) fn profile(rows: &[MeasuredRow], most: Most) -> OverheadProfile {
    let mut all = cache(rows, Alignment::Aligned, most);
    all.extend(kinds_by(Way::Within).map(|kind| (kind, not_applicable())));
    let unmodelled = UNMODELLED.iter().filter_map(|what| {
        let found: Vec<&MeasuredRow> = rows.iter().filter(|row| row.what == *what).collect();
        constant(&found, most).map(|measured| ((*what).to_owned(), measured))
    });
    // A row of a protocol says nothing of its scheduler.
    let schedulers = names(rows.iter().filter(|row| row.protocol.is_none()).map(|row| &row.scheduler));
    let protocols = names(rows.iter().map(|row| &row.protocol));
    OverheadProfile {
        all,
        schedulers: schedulers.into_iter().map(|name| of_scheduler(rows, name, most)).collect(),
        protocols: protocols.into_iter().map(|name| of_protocol(rows, name, most)).collect(),
        unmodelled: unmodelled.collect(),
        ..OverheadProfile::default()
    }
}

/// Returns the different names in `rows`, in their order.
fn names<'a>(rows: impl Iterator<Item = &'a Option<String>>) -> Vec<&'a str> {
    let mut known: Vec<&str> = Vec::new();
    for name in rows.flatten() {
        if !known.contains(&name.as_str()) {
            known.push(name);
        }
    }
    known
}

fn of_scheduler(rows: &[MeasuredRow], name: &str, most: Most) -> OfScheduler {
    let own: Vec<&MeasuredRow> =
        rows.iter().filter(|row| row.scheduler.as_deref() == Some(name) && row.protocol.is_none()).collect();
    let mut kinds = Kinds::new();
    for kind in OverheadKind::ALL {
        let Way::OfScheduler(what) = way(kind) else { continue };
        let of: Vec<&MeasuredRow> = own.iter().filter(|row| row.what == what).copied().collect();
        if let Some(measured) = by_tasks(&of, most) {
            kinds.insert(kind, measured);
        }
    }
    let scheduler = find_scheduler(name).ok();
    let stands_for = scheduler.as_ref().map(stands_for).unwrap_or_default();
    let quanta = scheduler.as_ref().and_then(|scheduler| scheduler.quanta);
    if scheduler.as_ref().is_some_and(|scheduler| scheduler.kernel_class().is_some()) {
        // Of the kernel's own class nothing else is measured, and it has ticks.
        return OfScheduler { name: name.to_owned(), decisions: None, stands_for, kinds };
    }
    // Releases are part of ticks where quanta drive the scheduler; without them there are no ticks.
    kinds.insert(if quanta.is_some() { OverheadKind::Release } else { OverheadKind::Tick }, not_applicable());
    if scheduler.is_some_and(|scheduler| scheduler.scope == Scope::Partitioned) {
        kinds.insert(OverheadKind::CacheRelatedMigration, not_applicable());
        // Each processor decides for itself.
        kinds.entry(OverheadKind::Ipi).or_insert_with(not_applicable);
    }
    if quanta == Some(Alignment::Staggered) {
        kinds.extend(cache(rows, Alignment::Staggered, most));
    }
    OfScheduler { name: name.to_owned(), decisions: None, stands_for, kinds }
}

fn of_protocol(rows: &[MeasuredRow], name: &str, most: Most) -> OfProtocol {
    let of = |kind: OverheadKind| {
        let own = |row: &&MeasuredRow| row.protocol.as_deref() == Some(name) && row.what == kind.name();
        let own: Vec<&MeasuredRow> = rows.iter().filter(own).collect();
        constant(&own, most).map(|measured| (kind, measured))
    };
    let kinds = kinds_by(Way::OfProtocol).filter_map(of).collect();
    OfProtocol { name: name.to_owned(), kinds }
}

fn not_applicable() -> Measured {
    Measured { max: Some(Value::NotApplicable), mean: Some(Value::NotApplicable), ..Measured::default() }
}

fn ns(value: f64) -> Duration {
    Duration::from_ns(value.max(0.0).ceil() as u64)
}

fn measured(max: Cost, mean: Cost, rows: &[&MeasuredRow]) -> Measured {
    let samples = rows.iter().map(|row| row.kept.count as u64).sum();
    Measured {
        max: Some(Value::Cost(max)),
        mean: Some(Value::Cost(mean)),
        samples: Some(samples),
        ..Measured::default()
    }
}

/// Returns all percentiles, each computed by `of`.
fn percentiles(of: impl Fn(u16) -> Option<Cost>) -> BTreeMap<u16, Value> {
    PERCENTILES.iter().filter_map(|(_, tenths)| Some((*tenths, Value::Cost(of(*tenths)?)))).collect()
}

/// Returns a percentile of all values behind `rows`.
fn pooled(rows: &[&MeasuredRow], tenths: u16) -> Option<Duration> {
    let all: Vec<_> = rows.iter().map(|row| &row.kept).collect();
    percentile(&all, tenths).map(Duration::from_ns)
}

/// Returns the mean of all values behind `rows`.
fn mean(rows: &[&MeasuredRow]) -> f64 {
    let count: f64 = rows.iter().map(|row| row.kept.count as f64).sum();
    rows.iter().map(|row| row.kept.mean * row.kept.count as f64).sum::<f64>() / count
}

impl Most {
    /// Returns the value for `max`, of all values behind `rows`.
    fn of(self, rows: &[&MeasuredRow]) -> Option<u64> {
        match self {
            Most::Repeated => repeated(&rows.iter().map(|row| &row.kept).collect::<Vec<_>>()),
            Most::Largest => rows.iter().map(|row| row.kept.max).max(),
        }
    }
}

fn constant(rows: &[&MeasuredRow], most: Most) -> Option<Measured> {
    let max = Cost::Constant(Duration::from_ns(most.of(rows)?));
    let mut measured = measured(max, Cost::Constant(ns(mean(rows))), rows);
    measured.percentiles = percentiles(|tenths| pooled(rows, tenths).map(Cost::Constant));
    Some(measured)
}

/// Returns constants, or lines in the number of tasks.
fn by_tasks(rows: &[&MeasuredRow], most: Most) -> Option<Measured> {
    let constant = constant(rows, most)?;
    // A row that does not say of how many tasks is on no line.
    let points = |of: &dyn Fn(&MeasuredRow) -> Option<f64>| -> Vec<(f64, f64)> {
        rows.iter().filter_map(|row| Some((row.tasks? as f64, of(row)?))).collect()
    };
    let of_max = line(&points(&|row| most.of(&[row]).map(|ns| ns as f64)), true).map(Value::Cost);
    let of_mean = line(&points(&|row| Some(row.kept.mean)), false).map(Value::Cost);
    Some(Measured { max: of_max.or(constant.max), mean: of_mean.or(constant.mean), ..constant })
}

/// Returns a line through `points` where there is a clear trend, and above all of them if `above`.
fn line(points: &[(f64, f64)], above: bool) -> Option<Cost> {
    let trend = trend(points)?;
    let missing = |(n, y): &(f64, f64)| y - trend.base - trend.slope * n;
    let raise = if above { points.iter().map(missing).fold(0.0, f64::max) } else { 0.0 };
    let base = trend.base + raise;
    // A line that begins below zero would be no cost.
    (base >= 0.0).then(|| Cost::Linear { base: ns(base), per_task_ps: (trend.slope * 1_000.0).ceil() as u64 })
}

/// Returns the costs of working sets, with all lines written, over the path that costs most.
fn cache(rows: &[MeasuredRow], when: Alignment, most: Most) -> Kinds {
    let of = |kind| {
        let all = of_reload(rows, kind, when);
        Some((kind, Measured { paths: by_path(&all, most), ..reload(&all, most)? }))
    };
    kinds_by(Way::Reload).filter_map(of).collect()
}

/// Returns the cost of a migration over each path.
fn by_path(all: &[&MeasuredRow], most: Most) -> BTreeMap<MigrationPath, Measured> {
    let path = |row: &MeasuredRow| row.path.as_deref()?.parse::<Path>().ok()?.of_migration();
    let mut paths: BTreeMap<MigrationPath, Vec<&MeasuredRow>> = BTreeMap::new();
    all.iter().for_each(|row| {
        if let Some(path) = path(row) {
            paths.entry(path).or_default().push(row);
        }
    });
    paths.into_iter().filter_map(|(path, own)| Some((path, reload(&own, most)?))).collect()
}

/// Returns the rows of this kind, with all lines written.
fn of_reload(rows: &[MeasuredRow], kind: OverheadKind, when: Alignment) -> Vec<&MeasuredRow> {
    let access: Access = ACCESSES[0];
    let wanted = |row: &&MeasuredRow| {
        row.what == kind.name()
            && row.access.as_deref() == Some(&access.text())
            && row.alignment.as_deref() == Some(alignment(when))
    };
    rows.iter().filter(wanted).collect()
}

/// Returns a table by working set, over the path that costs most.
fn reload(all: &[&MeasuredRow], most: Most) -> Option<Measured> {
    let mut by_bytes: BTreeMap<u64, Vec<&MeasuredRow>> = BTreeMap::new();
    for row in all {
        // Without the size of its working set a row has no place in a table.
        let Some(bytes) = row.bytes else { continue };
        by_bytes.entry(bytes as u64).or_default().push(row);
    }
    if by_bytes.is_empty() {
        return None;
    }
    let max = rising(&by_bytes, |rows| Duration::from_ns(most.of(rows).expect("there are rows")));
    let means = rising(&by_bytes, |rows| ns(rows.iter().map(|row| row.kept.mean).fold(0.0, f64::max)));
    let mut measured = measured(Cost::ByWorkingSet(max), Cost::ByWorkingSet(means), all);
    // Of the path that costs most, as the mean is.
    let of = |rows: &[&MeasuredRow], tenths| {
        rows.iter().filter_map(|row| pooled(&[row], tenths)).max().unwrap_or(Duration::ZERO)
    };
    measured.percentiles =
        percentiles(|tenths| Some(Cost::ByWorkingSet(rising(&by_bytes, |rows| of(rows, tenths)))));
    Some(measured)
}

/// Returns a table whose costs never fall, because noise may make a larger working set cheaper.
fn rising(
    by_bytes: &BTreeMap<u64, Vec<&MeasuredRow>>,
    of: impl Fn(&[&MeasuredRow]) -> Duration,
) -> Vec<(u64, Duration)> {
    let mut least = Duration::ZERO;
    let row = |(bytes, rows): (&u64, &Vec<&MeasuredRow>)| {
        least = least.max(of(rows));
        (*bytes, least)
    };
    by_bytes.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::samples::Samples;
    use schedlab_model::Statistic;

    fn row(what: &str, values: &[u64]) -> MeasuredRow {
        let mut samples = Samples::default();
        values.iter().for_each(|ns| samples.add(*ns));
        MeasuredRow::new(what, samples.kept().unwrap())
    }

    fn under(scheduler: &str, what: &str, tasks: usize, values: &[u64]) -> MeasuredRow {
        MeasuredRow { scheduler: Some(scheduler.to_owned()), tasks: Some(tasks), ..row(what, values) }
    }

    fn cold(kind: OverheadKind, bytes: usize, when: &str, path: &str, ns: u64) -> MeasuredRow {
        MeasuredRow {
            bytes: Some(bytes),
            access: Some("64 writes per page".to_owned()),
            alignment: Some(when.to_owned()),
            path: Some(path.to_owned()),
            ..row(kind.name(), &[ns])
        }
    }

    #[test]
    fn each_scheduler_has_what_was_measured_under_it() {
        let rows = [
            under("P-EDF", "scheduling", 10, &[100, 300]),
            under("P-EDF", "scheduling", 20, &[200]),
            under("G-EDF", "scheduling", 10, &[1_000]),
            under("G-EDF", "scheduling", 20, &[2_100]),
            under("G-EDF", "scheduling", 30, &[3_000]),
            under("G-EDF", "ipi", 30, &[700]),
            under("PD2", "tick", 30, &[900]),
        ];
        let profile = profile(&rows, Most::Repeated);
        let names: Vec<_> = profile.schedulers.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, ["P-EDF", "G-EDF", "PD2"]);
        let value = |scheduler: &str, kind, statistic, tasks| {
            let charged = profile.charged(scheduler, "none");
            let unknown = charged.unknown(statistic).any(|other| other == kind);
            (!unknown).then(|| charged.overheads.evaluate(kind, statistic, tasks, 0).as_ns())
        };
        use OverheadKind::*;
        assert_eq!(value("P-EDF", Scheduling, Statistic::Max, 50), Some(300));
        assert_eq!(value("P-EDF", Scheduling, Statistic::Mean, 50), Some(200));
        let median = value("P-EDF", Scheduling, Statistic::Percentile(500), 50);
        assert!(matches!(median, Some(200..=210)), "of 100, 200 and 300: {median:?}");
        // Slope 100 a task, base 33 1/3 raised until (20, 2100) is not above: 100, rounded up.
        assert!(matches!(value("G-EDF", Scheduling, Statistic::Max, 50), Some(5_100..=5_101)));
        assert_eq!(value("G-EDF", Ipi, Statistic::Max, 50), Some(700));
        assert_eq!(value("P-EDF", Ipi, Statistic::Max, 50), Some(0), "not applicable");
        assert_eq!(value("P-EDF", Release, Statistic::Max, 50), None, "not measured");
        assert_eq!(value("PD2", Release, Statistic::Max, 50), Some(0), "part of ticks");
        assert_eq!(value("PD2", Tick, Statistic::Mean, 50), Some(900));
        assert_eq!(value("NP-RM", Scheduling, Statistic::Max, 50), Some(300), "borrowed");
    }

    /// Pushes and pulls are those of the kernel's class alone, of which nothing else is known.
    #[test]
    fn moves_between_run_queues_are_those_of_the_kernels_class() {
        let of = |what, ns| MeasuredRow { tasks: None, ..under("SCHED_FIFO", what, 0, &[ns]) };
        let profile = profile(&[of("push", 700), of("pull", 900)], Most::Repeated);
        let charged = profile.charged("SCHED_FIFO", "none");
        let at = |kind| charged.overheads.evaluate(kind, Statistic::Max, 10, 0).as_ns();
        assert_eq!([at(OverheadKind::Push), at(OverheadKind::Pull)], [700, 900]);
        let unknown: Vec<OverheadKind> = charged.unknown(Statistic::Max).collect();
        assert!(
            unknown.contains(&OverheadKind::Tick) && !unknown.contains(&OverheadKind::Pull),
            "{unknown:?}"
        );
        assert!(!profile.charged("G-EDF", "none").overheads.moves_take_time());
    }

    /// Ten of 600 releases took 17.4 ms and about, each another time; all others took 20 us.
    #[test]
    fn a_noisy_machine_is_charged_what_repeats_or_all_of_it_if_asked() {
        let mut values = vec![20_000; 590];
        values.extend((0..10u32).map(|number| 17_400_000 >> number));
        let rows = [under("P-EDF", "release", 10, &values)];
        let release = |most| {
            let charged = profile(&rows, most).charged("P-EDF", "none");
            charged.overheads.evaluate(OverheadKind::Release, Statistic::Max, 10, 0).as_ns()
        };
        assert!((20_000..=21_000).contains(&release(Most::Repeated)), "{}", release(Most::Repeated));
        assert!(release(Most::Largest) > 200_000, "{}", release(Most::Largest));
    }

    #[test]
    fn working_sets_give_a_rising_table_of_the_longest_path() {
        use OverheadKind::{CacheRelatedMigration as Migration, CacheRelatedPreemption as Preemption};
        let rows = [
            cold(Preemption, 4_096, "aligned", "same core", 500),
            cold(Preemption, 8_192, "aligned", "same core", 400),
            cold(Migration, 4_096, "aligned", "shared L2", 700),
            cold(Migration, 4_096, "aligned", "shared L3", 900),
            cold(Preemption, 4_096, "staggered", "same core", 300),
            under("S-PD2", "tick", 10, &[1]),
        ];
        let profile = profile(&rows, Most::Repeated);
        let at = |scheduler: &str, kind, bytes| {
            profile.charged(scheduler, "none").overheads.evaluate(kind, Statistic::Max, 1, bytes).as_ns()
        };
        assert_eq!([at("G-EDF", Preemption, 4_096), at("G-EDF", Preemption, 8_192)], [500, 500]);
        assert_eq!(at("G-EDF", Migration, 1), 900);
        assert_eq!(at("S-PD2", Preemption, 1), 300);
        assert_eq!(at("S-PD2", Migration, 1), 900, "not measured staggered: that of all");
        let overheads = profile.charged("G-EDF", "none").overheads;
        let of_path = |path| overheads.migration(Some(path)).get(Statistic::Max).evaluate(1, 4_096).as_ns();
        assert_eq!([of_path(MigrationPath::Cache(2)), of_path(MigrationPath::Cache(3))], [700, 900]);
        assert_eq!(of_path(MigrationPath::Memory), 900, "not measured: as the dearest");
    }

    #[test]
    fn protocols_are_apart_from_schedulers() {
        let rows = [MeasuredRow {
            scheduler: Some("P-EDF".to_owned()),
            protocol: Some("msrp".to_owned()),
            waiters: Some(0),
            ..row("lock_acquire", &[40])
        }];
        let profile = profile(&rows, Most::Repeated);
        assert!(profile.schedulers.is_empty());
        assert_eq!(profile.protocols[0].kinds.len(), 1);
        assert_eq!(
            profile
                .charged("P-EDF", "msrp")
                .overheads
                .evaluate(OverheadKind::LockAcquire, Statistic::Max, 1, 0)
                .as_ns(),
            40
        );
    }
}
