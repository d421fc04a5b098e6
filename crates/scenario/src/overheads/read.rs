//! Reads overheads from an overheads file, or from a scenario that states them itself.

use super::decisions::decisions;
use super::resolve::{has_run_queues, MOVES};
use super::shipped::{self, shipped_names};
use super::MOST_LEVELS;
use super::{path_of, Kinds, Measured, OfObject, OfProtocol, OfScheduler, OverheadProfile, OverheadsChoice};
use crate::document::{
    self, beside, duration, from_disk, no_files, prose, read_file, scheduler_name, tables, utf8, version,
    Loader, Table, Value,
};
use crate::error::{Errors, Problem};
use crate::field::{self, FieldTable};
use crate::quantity::{self, BYTES, COST, MOST_PROCESSORS};
use crate::words::STATISTICS;
use schedlab_model::{
    Cost, CpuId, Duration, MigrationPath, ObjectKind, OverheadKind, Scheme, SharedCache, Statistic,
};
use schedlab_policy::{all_schedulers, class_name, KernelClass, Scope};
use std::collections::BTreeMap;
use std::path::Path;

const NAME: &str = "none, a shipped name, or a file ending in .toml";

impl OverheadProfile {
    /// Reads the overheads file at `path`, and those that it extends. Without a title it is called like its file.
    pub fn read(path: &Path) -> Result<OverheadProfile, Errors> {
        let file = path.to_string_lossy();
        Ok(OverheadProfile::parse_with(&file, read_file(&file)?, &from_disk)?.called(&file))
    }

    /// Reads an overheads file from bytes; `loader` gives the files that it extends.
    pub fn parse_with(file: &str, bytes: Vec<u8>, loader: Loader<'_>) -> Result<OverheadProfile, Errors> {
        let text = utf8(file, bytes)?;
        self::file(file, &text, loader, &[file.to_owned()])
    }

    /// The profile with the name of its file, if it has no title: answers name it.
    fn called(mut self, file: &str) -> OverheadProfile {
        if self.title.is_empty() {
            let name = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
            self.title = name.unwrap_or_default();
        }
        self
    }
}

/// The shipped profile of this name.
pub fn shipped(name: &str) -> Option<OverheadProfile> {
    let known = shipped::named(name)?;
    let read = || self::file(name, known.text, &no_files, &[]).expect("a shipped profile is well-formed");
    Some(known.profile.get_or_init(read).clone())
}

/// Reads the overheads file `file` with this `text`. `path` holds the files that extend this one, directly or not.
pub(super) fn file(
    file: &str,
    text: &str,
    loader: Loader<'_>,
    path: &[String],
) -> Result<OverheadProfile, Errors> {
    document::read(file, text, &[&field::OVERHEADS_FILE, &field::OVERHEADS], |table| {
        version(table, "schedlab-overheads");
        let base = match table.get("extends") {
            Some(value) => base(&value, loader, path)?,
            None => OverheadProfile::default(),
        };
        profile(table, base)
    })
}

/// Reads `overheads` of a scenario.
pub(crate) fn choice(value: &Value<'_, '_>, loader: Loader<'_>) -> Option<OverheadsChoice> {
    if !value.is_table() {
        return named(value, loader);
    }
    let table = value.table(&[&field::OVERHEADS_CHOICE, &field::OVERHEADS], NAME)?;
    let mut choice = match table.get("use") {
        Some(name) => {
            for other in field::OVERHEADS.names() {
                if table.get(other).is_some() {
                    table.fault(other, Problem::refused("this", "stands beside use", "one of the two"));
                }
            }
            named(&name, loader)?
        }
        None => OverheadsChoice::of(profile(&table, OverheadProfile::default())?),
    };
    choice.statistic =
        table.given_or("statistic", Statistic::Max, |value| value.choice("statistic", STATISTICS))?;
    Some(choice)
}

fn named(value: &Value<'_, '_>, loader: Loader<'_>) -> Option<OverheadsChoice> {
    let name = value.text(NAME)?;
    if let Some(choice) = OverheadsChoice::shipped(name) {
        return Some(choice);
    }
    base(value, loader, &[]).map(|profile| OverheadsChoice::of(profile.called(name)))
}

/// The profile that `value` names: a shipped one or a file beside this one.
fn base(value: &Value<'_, '_>, loader: Loader<'_>, path: &[String]) -> Option<OverheadProfile> {
    let name = value.text(NAME)?;
    if let Some(profile) = shipped(name) {
        return Some(profile);
    }
    if !name.ends_with(".toml") {
        return value.reported(unknown(name));
    }
    let found = beside(value.doc.file(), name);
    let mut path = path.to_vec();
    if path.is_empty() {
        path.push(value.doc.file().to_owned());
    }
    if let Some(index) = path.iter().position(|earlier| *earlier == found) {
        let circle: Vec<String> = path[index..].iter().cloned().chain([found]).collect();
        let sentence = format!("the files that extend each other form a cycle, {}", circle.join(" -> "));
        return value.reported(Problem::rule(sentence, "files that do not extend themselves"));
    }
    path.push(found.clone());
    let read = loader(&found).map_err(|why| value.report(Problem::unreadable(name, &why)));
    let text = utf8(&found, read.ok()?).map_err(|errors| value.doc.adopt(&errors)).ok()?;
    file(&found, &text, loader, &path).map_err(|errors| value.doc.adopt(&errors)).ok()
}

/// Problem: no overheads have this name.
pub(crate) fn unknown(name: &str) -> Problem {
    let allowed = shipped_names().collect::<Vec<_>>().join(", ");
    Problem::unknown_name("set of overheads", name, shipped_names())
        .allowing(format!("{allowed}, or a file ending in .toml"))
}

/// Reads the values of `table` over those of `profile`.
fn profile(table: &Table<'_, '_>, mut profile: OverheadProfile) -> Option<OverheadProfile> {
    for (name, text) in [
        ("title", &mut profile.title),
        ("machine", &mut profile.machine),
        ("source", &mut profile.source),
        ("notes", &mut profile.notes),
    ] {
        *text = table.given_or(name, std::mem::take(text), prose)?;
    }
    profile.caches = table.given_or("caches", profile.caches, caches)?;
    if let Some(all) = table.get("all") {
        profile.all.extend(kinds(&all.table(&[&field::KINDS], "a table of overheads")?)?);
    }
    const OF_SCHEDULER: &[&FieldTable] = &[&field::OF_SCHEDULER, &field::KINDS];
    let mut told = Vec::new();
    for section in tables(table, "scheduler", OF_SCHEDULER) {
        let read = of_scheduler(&section)?;
        once(&mut told, read.name.clone(), &section, ("name", "a row for each scheduler"))?;
        merge(
            &mut profile.schedulers,
            read,
            |s| &s.name,
            |old, new| {
                old.kinds.extend(new.kinds);
                old.stands_for.extend(new.stands_for);
                old.decisions = new.decisions.or(old.decisions.take());
            },
        );
    }
    const OF_PROTOCOL: &[&FieldTable] = &[&field::OF_PROTOCOL, &field::KINDS];
    let mut told = Vec::new();
    for section in tables(table, "protocol", OF_PROTOCOL) {
        let name = section.needed("name", "a protocol's name", prose)?;
        once(&mut told, name.clone(), &section, ("name", "a row for each protocol"))?;
        let read = OfProtocol { name, kinds: kinds(&section)? };
        merge(&mut profile.protocols, read, |p| &p.name, |old, new| old.kinds.extend(new.kinds));
    }
    objects(table, &mut profile.objects)?;
    if let Some(value) = table.get("unmodelled") {
        for (name, value) in Table::every(&value) {
            profile.unmodelled.insert(name, measured(&value)?);
        }
    }
    Some(profile)
}

/// Adds `about`, the subject of the row `table`, to `told`, the subjects of earlier rows. Refuses the row if it repeats
/// one of them.
fn once<T: PartialEq>(
    told: &mut Vec<T>,
    about: T,
    table: &Table<'_, '_>,
    (key, allowed): (&str, &str),
) -> Option<()> {
    if told.contains(&about) {
        table.fault(key, Problem::refused("this", "stands in a row before it, too", allowed));
        return None;
    }
    told.push(about);
    Some(())
}

/// Adds `new`, or overrides the entry of the same name.
fn merge<T>(list: &mut Vec<T>, new: T, name: impl Fn(&T) -> &String, over: impl FnOnce(&mut T, T)) {
    match list.iter().position(|old| name(old) == name(&new)) {
        Some(index) => over(&mut list[index], new),
        None => list.push(new),
    }
}

fn of_scheduler(table: &Table<'_, '_>) -> Option<OfScheduler> {
    let named = "a scheduler's name";
    let name = table.needed("name", named, |name| scheduler_name(name, named))?;
    let allowed = "schedulers' names, or what stands before the dash, such as \"P-*\"";
    let pattern = |item: &Value<'_, '_>| match item.text(allowed)? {
        text if is_prefix(text) => Some(text.to_owned()),
        _ => scheduler_name(item, allowed),
    };
    let patterns = |list: &Value<'_, '_>| list.items(allowed)?.iter().map(pattern).collect();
    let stands_for = table.given_or("stands_for", Vec::new(), patterns)?;
    let decisions = table.given("decisions", decisions)?;
    let kinds = kinds(table)?;
    moves_apply(table, &name, &kinds)?;
    Some(OfScheduler { name, stands_for, decisions, kinds })
}

/// Refuses the time of a push or pull of a scheduler that moves no threads between run queues.
fn moves_apply(table: &Table<'_, '_>, scheduler: &str, kinds: &Kinds) -> Option<()> {
    if has_run_queues(scheduler) {
        return Some(());
    }
    let taken = MOVES.into_iter().find(|kind| kinds.get(kind).is_some_and(Measured::takes_time));
    let Some(kind) = taken else { return Some(()) };
    let allowed = format!("it under {} alone", class_name(KernelClass::Fifo, Scope::Global));
    let refused = "stands under a scheduler that moves no threads between run queues";
    table.fault(kind.name(), Problem::refused("this", refused, allowed));
    None
}

/// True if `text` is a prefix of schedulers' names, followed by a star.
fn is_prefix(text: &str) -> bool {
    let before = text.strip_suffix('*');
    before
        .is_some_and(|prefix| all_schedulers().iter().any(|known| known.prefix().as_deref() == Some(prefix)))
}

/// Adds the rows of `table` to `objects`, or overrides those of another file.
fn objects(table: &Table<'_, '_>, objects: &mut Vec<OfObject>) -> Option<()> {
    let mut told = Vec::new();
    for section in tables(table, "object", &[&field::OF_OBJECT]) {
        let read = of_object(&section)?;
        let which = (read.kind, read.scheme);
        once(&mut told, which, &section, ("kind", "a row for each kind and scheme"))?;
        match objects.iter_mut().find(|old| (old.kind, old.scheme) == which) {
            Some(old) => old.access = read.access,
            None => objects.push(read),
        }
    }
    Some(())
}

fn of_object(table: &Table<'_, '_>) -> Option<OfObject> {
    let kind =
        table.needed("kind", "a kind of object", |kind| kind.choice("kind of object", &ObjectKind::NAMED));
    let scheme = table.needed("scheme", "a scheme", |scheme| scheme.choice("scheme", &Scheme::NAMED));
    let access = table.needed("access", COST, access);
    Some(OfObject { kind: kind?, scheme: scheme?, access: access? })
}

/// Reads the cost of an operation, which has no working set and does not migrate.
fn access(value: &Value<'_, '_>) -> Option<Measured> {
    let read = measured(value)?;
    let values = read.max.iter().chain(&read.mean).chain(read.percentiles.values());
    if !read.paths.is_empty() {
        return value.refused("has paths", "paths of cache_related_migration alone");
    }
    for known in values {
        if matches!(known, super::Value::Cost(Cost::ByWorkingSet(_) | Cost::ByReadyJobs(_))) {
            return value.refused(
                "is by working set or by ready jobs",
                "a duration such as \"2.5 us\", growth such as \"1 us + 10 ns * N\", or a table by tasks",
            );
        }
    }
    Some(read)
}

fn kinds(table: &Table<'_, '_>) -> Option<Kinds> {
    let mut kinds = Kinds::new();
    let mut fine = true;
    for kind in OverheadKind::ALL {
        if let Some(value) = table.get(kind.name()) {
            match measured(&value) {
                Some(of) if kind != OverheadKind::CacheRelatedMigration && !of.paths.is_empty() => {
                    value.refuse("has paths", "paths of cache_related_migration alone");
                    fine = false;
                }
                Some(of) if kind != OverheadKind::Scheduling && of.is_by_ready_jobs() => {
                    value.refuse("is by ready jobs", "a table by ready jobs of scheduling alone");
                    fine = false;
                }
                Some(measured) => drop(kinds.insert(kind, measured)),
                None => fine = false,
            }
        }
    }
    fine.then_some(kinds)
}

/// Reads one overhead: a cost for both statistics, or a table.
fn measured(value: &Value<'_, '_>) -> Option<Measured> {
    if !value.is_table() {
        return cost(value).map(of_both);
    }
    let table = value.table(&[&field::OVERHEAD, &field::BY_TABLE], COST)?;
    if let Some(rows) = ["working_set", "tasks", "ready"].into_iter().find_map(|name| table.get(name)) {
        if field::OVERHEAD.names().any(|name| table.get(name).is_some()) {
            rows.refuse("stands beside max, mean, percentiles or samples", "a table inside one of them");
        }
        return by_table(&table).map(of_both);
    }
    let (max, mean) = (table.given("max", cost), table.given("mean", cost));
    let samples = table.given("samples", |value| value.integer(1..=u64::from(u32::MAX)));
    let mut percentiles = BTreeMap::new();
    for (name, statistic) in STATISTICS {
        if let (Statistic::Percentile(tenths), Some(value)) = (statistic, table.get(name)) {
            percentiles.insert(*tenths, cost(&value)?);
        }
    }
    let mut paths = BTreeMap::new();
    if let Some(value) = table.get("paths") {
        for (name, value) in Table::every(&value) {
            paths.extend(path(&name, &value));
        }
    }
    if (&max, &mean) == (&Some(None), &Some(None)) && percentiles.is_empty() {
        value.refuse("has neither max nor mean nor a percentile", COST);
    }
    Some(Measured { max: max?, mean: mean?, percentiles, samples: samples?, paths })
}

/// Reads the cost of one path of migrations.
fn path(name: &str, value: &Value<'_, '_>) -> Option<(MigrationPath, Measured)> {
    let Some(path) = path_of(name) else {
        return value
            .refused("is of no path", "L1 to L9 by the nearest cache that both processors share, or memory");
    };
    let of = measured(value)?;
    if !of.paths.is_empty() {
        return value.refused("has paths of its own", "the costs of one path");
    }
    Some((path, of))
}

/// Reads which caches processors share.
pub(crate) fn caches(value: &Value<'_, '_>) -> Option<Vec<SharedCache>> {
    let allowed = "caches with their processors, such as [{ level = 2, processors = [0, 1] }]";
    let cache = |value: &Value<'_, '_>| {
        let table = value.table(&[&field::CACHE], allowed)?;
        let level = table.needed("level", "a level", |v| v.integer(1..=u64::from(MOST_LEVELS)))? as u8;
        let cpus = table.need("processors", "a list of processors")?;
        let cpus = cpus.items("a list of processors")?;
        let cpu = |cpu: &Value<'_, '_>| Some(CpuId(cpu.integer(0..=u64::from(MOST_PROCESSORS) - 1)? as u16));
        let cpus = cpus.iter().map(cpu).collect::<Option<Vec<_>>>()?;
        if cpus.is_empty() || cpus.windows(2).any(|pair| pair[0] >= pair[1]) {
            return value.refused("has no processors in rising order", allowed);
        }
        Some(SharedCache { level, cpus })
    };
    value.items(allowed)?.iter().map(cache).collect()
}

/// A value that stands for every statistic.
fn of_both(both: super::Value) -> Measured {
    Measured { max: Some(both.clone()), mean: Some(both), ..Measured::default() }
}

fn cost(value: &Value<'_, '_>) -> Option<super::Value> {
    if value.is_table() {
        return by_table(&value.table(&[&field::BY_TABLE], COST)?);
    }
    if value.as_text() == Some("not applicable") {
        return Some(super::Value::NotApplicable);
    }
    value.parsed(COST, quantity::cost).map(super::Value::Cost)
}

fn by_table(table: &Table<'_, '_>) -> Option<super::Value> {
    if let Some(list) = table.get("tasks") {
        return by_count(&list, "tasks").map(Cost::ByTaskCount).map(super::Value::Cost);
    }
    if let Some(list) = table.get("ready") {
        return by_count(&list, "ready jobs").map(Cost::ByReadyJobs).map(super::Value::Cost);
    }
    let allowed = "rows of size and duration, such as [[\"4 KiB\", \"10 us\"], [\"64 KiB\", \"90 us\"]]";
    let list = table.need("working_set", allowed)?;
    let rows = rows(&list, allowed, |size| size.parsed_number(BYTES, quantity::bytes))?;
    Some(super::Value::Cost(Cost::ByWorkingSet(rows)))
}

/// Reads rows of how many `things` there are, and a duration.
fn by_count(list: &Value<'_, '_>, things: &str) -> Option<Vec<(u64, Duration)>> {
    let allowed = format!(
        "rows of a number of {things} and a duration that does not fall, such as [[10, \"2 us\"], [40, \"5 us\"]]"
    );
    let rows = rows(list, &allowed, |count| count.integer(0..=u64::from(u32::MAX)))?;
    if rows.windows(2).any(|pair| pair[0].1 > pair[1].1) {
        return list.refused("falls", &allowed);
    }
    Some(rows)
}

/// Rows of two values, the first rising.
fn rows(
    list: &Value<'_, '_>,
    allowed: &str,
    first: impl Fn(&Value<'_, '_>) -> Option<u64>,
) -> Option<Vec<(u64, Duration)>> {
    let mut rows: Vec<(u64, Duration)> = Vec::new();
    for row in list.items(allowed)? {
        let items = row.items(allowed)?;
        let [at, length] = &items[..] else {
            return row.refused("has not two values", allowed);
        };
        let at = first(at)?;
        if rows.last().is_some_and(|(before, _)| *before >= at) {
            return row.refused("is not larger than the row before it", "rows by rising size or number");
        }
        rows.push((at, duration(length)?));
    }
    if rows.is_empty() {
        return list.refused("has no row", allowed);
    }
    Some(rows)
}
