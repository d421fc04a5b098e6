//! SchedCAT's tables of overheads: CSV files, one of scheduling and locks by number of tasks, one of cache delays by
//! working set.
//!
//! Columns of the first, besides `TASK-COUNT`: `IPI-LATENCY`, `SCHEDULE`, `RELEASE`, `CXS`, `TICK`, `RELEASE-LATENCY`,
//! `LOCK`, `UNLOCK`, `READ-LOCK`, `READ-UNLOCK`, `SYSCALL-IN`, `SYSCALL-OUT`. Of the second, besides `WSS` (in KiB):
//! `L1`, `L2`, `L3`, `MEM`, of which the dearest counts. Values are microseconds with decimals, rounded up to
//! nanoseconds. As in SchedCAT, values never fall: a smaller one than that of fewer tasks, or of a smaller working set,
//! is taken for noise. Format as in `schedcat/overheads/model.py`.
//!
//! `RELEASE-LATENCY`, `READ-LOCK` and `READ-UNLOCK` are kept by name, and nothing here charges them: unless they are
//! zero, they are refused as losses, as are columns that are not known.

use super::rows::Rows;
use crate::error::{Errors, Location};
use crate::loss::{Ignored, Imported, LossKind, Losses};
use crate::overheads::{Measured, OverheadProfile, Value};
use crate::quantity::LONGEST;
use csv::{ReaderBuilder, StringRecord, Trim};
use schedlab_model::{Cost, Duration, OverheadKind, Statistic};

const BY_TASKS: &str = "TASK-COUNT";
const BY_SIZE: &str = "WSS";

const KINDS: [(&str, OverheadKind); 9] = [
    ("IPI-LATENCY", OverheadKind::Ipi),
    ("SCHEDULE", OverheadKind::Scheduling),
    ("RELEASE", OverheadKind::Release),
    ("CXS", OverheadKind::ContextSwitch),
    ("TICK", OverheadKind::Tick),
    ("LOCK", OverheadKind::LockAcquire),
    ("UNLOCK", OverheadKind::LockRelease),
    ("SYSCALL-IN", OverheadKind::SyscallEntry),
    ("SYSCALL-OUT", OverheadKind::SyscallExit),
];
const UNMODELLED: [(&str, &str); 3] =
    [("RELEASE-LATENCY", "release_latency"), ("READ-LOCK", "read_lock"), ("READ-UNLOCK", "read_unlock")];
const CACHES: [&str; 4] = ["L1", "L2", "L3", "MEM"];

/// Reads a table over the values of `profile`; its own values are of the statistic `statistic`.
pub(crate) fn read(
    mut profile: OverheadProfile,
    file: &str,
    text: &str,
    statistic: Statistic,
    ignored: &Ignored,
) -> Result<Imported<OverheadProfile>, Errors> {
    let places = Rows::new(file, text)?;
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(places.text().as_bytes());
    let syntax = |error: csv::Error| places.syntax(&error);
    let header = reader.headers().cloned().map_err(syntax)?;
    let rows = reader.records().collect::<Result<Vec<StringRecord>, _>>().map_err(syntax)?;
    let table = Table { file, places: &places, header: &header, rows: &rows };
    let mut lost = Losses::default();
    match (table.column(BY_TASKS), table.column(BY_SIZE)) {
        (Some(index), None) => by_tasks(&mut profile, &table, index, statistic, &mut lost)?,
        (None, Some(index)) => by_size(&mut profile, &table, index, statistic, &mut lost)?,
        _ => {
            let allowed = "a header row with the column TASK-COUNT or the column WSS";
            return Err(Errors::missing(file, "", allowed));
        }
    }
    if !profile.source.is_empty() {
        profile.source.push_str(", ");
    }
    profile.source.push_str(file);
    Ok(Imported { value: profile, losses: lost.judged(Vec::new(), ignored)? })
}

/// Reads several tables, each over those before; a file's name gives the statistic of its values.
pub fn read_all<'a>(
    files: impl IntoIterator<Item = (&'a str, Vec<u8>)>,
    ignored: &Ignored,
) -> Result<Imported<OverheadProfile>, Errors> {
    let mut all = Imported { value: OverheadProfile::default(), losses: Vec::new() };
    for (file, bytes) in files {
        let text = crate::document::utf8(file, bytes)?;
        let text = text.trim_start_matches('\u{feff}');
        let read = read(all.value, file, text, statistic_of(file), ignored)?;
        all.value = read.value;
        all.losses.extend(read.losses);
    }
    Ok(all)
}

/// Returns the statistic in a file's name, as in `oh_host=a_stat=avg.csv`; the largest values if there is none.
pub(crate) fn statistic_of(file: &str) -> Statistic {
    match file.split_once("stat=").map(|(_, rest)| rest) {
        Some(rest) if rest.starts_with("avg") || rest.starts_with("mean") => Statistic::Mean,
        _ => Statistic::Max,
    }
}

fn by_tasks(
    profile: &mut OverheadProfile,
    table: &Table<'_>,
    first: usize,
    statistic: Statistic,
    lost: &mut Losses,
) -> Result<(), Errors> {
    let counts =
        table.rising(first, |text| text.parse().ok().filter(|count: &u64| *count <= u64::from(u32::MAX)))?;
    for (index, name) in table.header.iter().enumerate().filter(|(index, _)| *index != first) {
        let costs = table.lengths(index)?;
        let is_free = costs.iter().all(|cost| cost.is_zero());
        let value = Value::Cost(Cost::ByTaskCount(never_falling(&counts, &costs)));
        let unmodelled = UNMODELLED.iter().find(|(known, _)| *known == name);
        match (KINDS.iter().find(|(known, _)| *known == name), unmodelled) {
            (Some((_, kind)), _) => note(profile.all.entry(*kind).or_default(), statistic, value),
            (None, Some((_, kept))) => {
                if !is_free {
                    let what = format!("column {name}, for which nothing is charged,");
                    lost.flatters(LossKind::Overheads, table.head(index), what);
                }
                note(profile.unmodelled.entry((*kept).to_owned()).or_default(), statistic, value);
            }
            (None, None) => {
                lost.flatters(LossKind::Overheads, table.head(index), format!("column {name}"));
            }
        }
    }
    Ok(())
}

fn by_size(
    profile: &mut OverheadProfile,
    table: &Table<'_>,
    first: usize,
    statistic: Statistic,
    lost: &mut Losses,
) -> Result<(), Errors> {
    let most = crate::quantity::LARGEST_WORKING_SET / 1024;
    let sizes = table.rising(first, |text| text.parse().ok().filter(|size: &u64| *size <= most))?;
    let sizes: Vec<u64> = sizes.into_iter().map(|size| size * 1024).collect();
    let mut dearest = vec![Duration::ZERO; sizes.len()];
    let mut found = false;
    for (index, name) in table.header.iter().enumerate().filter(|(index, _)| *index != first) {
        if !CACHES.contains(&name) {
            lost.flatters(LossKind::Overheads, table.head(index), format!("column {name}"));
            continue;
        }
        found = true;
        let costs = table.lengths(index)?;
        dearest.iter_mut().zip(costs).for_each(|(most, cost)| *most = (*most).max(cost));
    }
    if !found {
        return Err(Errors::missing(table.file, "", "a column of at least one of L1, L2, L3 and MEM"));
    }
    let value = Value::Cost(Cost::ByWorkingSet(never_falling(&sizes, &dearest)));
    for kind in [OverheadKind::CacheRelatedPreemption, OverheadKind::CacheRelatedMigration] {
        note(profile.all.entry(kind).or_default(), statistic, value.clone());
    }
    Ok(())
}

fn note(measured: &mut Measured, statistic: Statistic, value: Value) {
    match statistic {
        Statistic::Max => measured.max = Some(value),
        Statistic::Mean => measured.mean = Some(value),
        Statistic::Percentile(tenths) => drop(measured.percentiles.insert(tenths, value)),
    }
}

/// Raises each cost to at least the one before. Rows whose cost follows from their neighbours are kept, so that the
/// table reads like the file.
fn never_falling(at: &[u64], costs: &[Duration]) -> Vec<(u64, Duration)> {
    let mut most = Duration::ZERO;
    let rise = |(at, cost): (&u64, &Duration)| {
        most = most.max(*cost);
        (*at, most)
    };
    at.iter().zip(costs).map(rise).collect()
}

struct Table<'a> {
    file: &'a str,
    places: &'a Rows<'a>,
    header: &'a StringRecord,
    rows: &'a [StringRecord],
}

impl Table<'_> {
    fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    /// Place of the name of a column.
    fn head(&self, column: usize) -> Location {
        self.places.cell(self.header.position(), column)
    }

    fn refuse(&self, row: usize, column: usize, why: &str, allowed: &str) -> Errors {
        let place = self.places.cell(self.rows[row].position(), column);
        let text = format!("\"{}\"", &self.rows[row][column]);
        Errors::refused(Some(place), &self.header[column], text, why, allowed)
    }

    /// Reads the numbers that head the rows.
    fn rising(&self, column: usize, read: impl Fn(&str) -> Option<u64>) -> Result<Vec<u64>, Errors> {
        let allowed = "whole numbers, each larger than the one before";
        let mut numbers: Vec<u64> = Vec::new();
        for row in 0..self.rows.len() {
            match read(&self.rows[row][column]) {
                None => return Err(self.refuse(row, column, "is no whole number in range", allowed)),
                Some(number) if numbers.last().is_some_and(|before| *before >= number) => {
                    return Err(self.refuse(row, column, "is not larger than the one before", allowed));
                }
                Some(number) => numbers.push(number),
            }
        }
        match numbers.is_empty() {
            true => Err(Errors::missing(self.file, "", "at least one row")),
            false => Ok(numbers),
        }
    }

    /// A column of microseconds, rounded up to nanoseconds.
    fn lengths(&self, column: usize) -> Result<Vec<Duration>, Errors> {
        let one = |row: usize| {
            let text = &self.rows[row][column];
            microseconds(text).ok_or_else(|| {
                let allowed = "a decimal number of at least 0, at most a year";
                self.refuse(row, column, "is no time in microseconds", allowed)
            })
        };
        (0..self.rows.len()).map(one).collect()
    }
}

/// A decimal number of microseconds, rounded up.
fn microseconds(text: &str) -> Option<Duration> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if !digits(whole) || !digits(part) || whole.len() + part.len() == 0 || whole.len() > 15 {
        return None;
    }
    let of = |text: &str| if text.is_empty() { Some(0u64) } else { text.parse().ok() };
    let kept = format!("{:0<3}", &part[..part.len().min(3)]);
    let more = u64::from(part.get(3..).is_some_and(|rest| rest.chars().any(|c| c != '0')));
    let ns = of(whole)?.checked_mul(1_000)?.checked_add(of(&kept)?)?.checked_add(more)?;
    Some(Duration::from_ns(ns)).filter(|length| *length <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the format of SchedCAT's example files: padded columns, decimals finer than a nanosecond, values that fall.
    #[test]
    fn tables_of_tasks_and_working_sets() {
        let by_tasks =
            "  TASK-COUNT,  SCHEDULE, READ-LOCK\n  2,  0.1384,  0.5\n  4, 0.1,  0.4\n 10, 3.70392, 1\n";
        let (none, overheads) = (Ignored::default(), Ignored::of(["overheads"]).unwrap());
        let read_one =
            read(OverheadProfile::default(), "oh_stat=max.csv", by_tasks, Statistic::Max, &overheads)
                .unwrap();
        let left_out = "oh_stat=max.csv: column READ-LOCK, for which nothing is charged (line 1)";
        assert_eq!(read_one.left_out(), [left_out]);
        let refused =
            read(OverheadProfile::default(), "f", by_tasks, Statistic::Max, &none).unwrap_err().to_string();
        assert!(
            refused.starts_with("f:1:26: column READ-LOCK, for which nothing is charged, has no place"),
            "{refused}"
        );
        let caches = "WSS,L1,L2,L3,MEM\n4,5.24,5.37,5.66,5.77\n8,4,9.24,9.93,10.09\n16,1,2,3,4";
        let both = read(read_one.value, "pmo_stat=max.csv", caches, Statistic::Max, &none).unwrap().value;
        assert_eq!(both.source, "oh_stat=max.csv, pmo_stat=max.csv");
        let charged = both.charged("G-EDF", "none").overheads;
        let at = |kind, tasks, bytes| charged.evaluate(kind, Statistic::Max, tasks, bytes).as_ns();
        // 0.1384 us rounded up; never falling; 3.704 at ten tasks, and on from there.
        assert_eq!(
            [2, 4, 7, 10, 13].map(|n| at(OverheadKind::Scheduling, n, 0)),
            [139, 139, 1_922, 3_704, 5_487]
        );
        let cache = |bytes| at(OverheadKind::CacheRelatedMigration, 1, bytes);
        assert_eq!([1, 4096, 8192, 16_384, 99_999].map(cache), [5_770, 5_770, 10_090, 10_090, 10_090]);
        // It writes and reads back.
        let text = both.to_toml();
        let loader = |_: &str| Err(String::new());
        assert_eq!(OverheadProfile::parse_with("again", text.into_bytes(), &loader), Ok(both));
        assert_eq!(
            (statistic_of("oh_host=a_stat=avg.csv"), statistic_of("mine.csv")),
            (Statistic::Mean, Statistic::Max)
        );
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, wanted) in [
            (
                "A,B\n1,2\n",
                "f:1:1: missing; allowed: a header row with the column TASK-COUNT or the column WSS",
            ),
            ("WSS,L9\n1,2\n", "f:1:1: missing; allowed: a column of at least one of L1, L2, L3 and MEM"),
            ("TASK-COUNT,TICK\n", "f:1:1: missing; allowed: at least one row"),
            ("TASK-COUNT,TICK\n1,2\n1,3\n", "f:3:1: TASK-COUNT: \"1\" is not larger than the one before"),
            ("TASK-COUNT,TICK\nx,2\n", "f:2:1: TASK-COUNT: \"x\" is no whole number in range"),
            ("TASK-COUNT,TICK\n1,-2\n", "f:2:3: TICK: \"-2\" is no time in microseconds"),
            ("TASK-COUNT,TICK\n1,1e3\n", "f:2:3: TICK: \"1e3\" is no time in microseconds"),
            ("TASK-COUNT,TICK\n1\n", "f:2:1: not valid CSV"),
        ] {
            let found = read(OverheadProfile::default(), "f", text, Statistic::Max, &Ignored::default())
                .unwrap_err()
                .to_string();
            assert!(found.starts_with(wanted), "{found}\nwanted {wanted}");
        }
    }
}
