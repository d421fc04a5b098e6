//! CSV: a header row that names the columns, a row for each task.
//!
//! Columns, in any order: `name`, `wcet`, `period` (needed), `deadline`, `offset`, `jitter`, `suspension`,
//! `working_set`, `priority`, `processor`; an empty cell is as if the column were not there. Durations carry
//! units (`2.5ms`).

use super::rows::Rows;
use super::{checked_by, Converted};
use crate::aspect::{lost, Aspect};
use crate::error::{Error, Errors, Location, Problem};
use crate::loss::{Ignored, Imported, LossKind, Losses};
use crate::quantity::{bytes, duration, BYTES, DURATION, POSITIVE};
use crate::scenario::{Scenario, TaskSpec};
use crate::words::UrgentPriority;
use csv::{ReaderBuilder, StringRecord};
use schedlab_model::{Duration, Instant, Suspension, Work};
use schedlab_policy::{Scheduler, Scope, FP};

/// The columns, in the order in which they are written.
pub const COLUMNS: [&str; 10] = [
    "name",
    "wcet",
    "period",
    "deadline",
    "offset",
    "jitter",
    "suspension",
    "working_set",
    "priority",
    "processor",
];

/// Aspects that the columns hold.
const KEPT: &[Aspect] = &[
    Aspect::ShortDeadline,
    Aspect::LongDeadline,
    Aspect::Offset,
    Aspect::Jitter,
    Aspect::Suspension,
    Aspect::WorkingSet,
    Aspect::Processor,
];

/// A table with the names of its columns.
struct Table<'t> {
    places: &'t Rows<'t>,
    header: StringRecord,
    /// The rows that have anything in them.
    rows: Vec<StringRecord>,
}

impl Table<'_> {
    fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column.trim() == name)
    }

    /// Place of a row's cell in the column of this name, or of the row if it has no such column.
    fn place(&self, row: usize, name: &str) -> Option<Location> {
        let position = self.rows.get(row)?.position();
        Some(
            self.column(name)
                .map_or_else(|| self.places.row(position), |index| self.places.cell(position, index)),
        )
    }

    /// Place of the name of a column.
    fn head(&self, index: usize) -> Location {
        self.places.cell(self.header.position(), index)
    }
}

/// A row of a table.
struct CsvRow<'r> {
    table: &'r Table<'r>,
    index: usize,
    errors: &'r mut Vec<Error>,
}

impl CsvRow<'_> {
    fn report(&mut self, name: &str, problem: Problem) {
        self.errors.push(Error {
            place: self.table.place(self.index, name),
            field: name.to_owned(),
            problem,
        });
    }

    /// Applies `read` to the cell of a column. The inner `None` means that the cell is empty or not there, the outer
    /// one that it is wrong.
    fn get<T>(
        &mut self,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<Option<T>> {
        let cells = &self.table.rows[self.index];
        let cell = self.table.column(name).and_then(|index| cells.get(index)).map(str::trim);
        let cell = cell.filter(|cell| !cell.is_empty());
        let Some(cell) = cell else { return Some(None) };
        match read(cell) {
            Ok(value) => Some(Some(value)),
            Err(why) => {
                self.report(name, Problem::refused(format!("{cell:?}"), why, allowed));
                None
            }
        }
    }

    fn need<T>(
        &mut self,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        let value = self.get(name, allowed, read)?;
        if value.is_none() {
            self.report(name, Problem::missing(allowed));
        }
        value
    }

    fn task(&mut self) -> Option<TaskSpec> {
        let name = self.need("name", "a name of its own", |text| Ok(text.to_owned()));
        let wcet = self.need("wcet", POSITIVE, duration);
        let period = self.need("period", POSITIVE, duration);
        let mut optional = |name| self.get(name, DURATION, duration);
        let (deadline, offset) = (optional("deadline"), optional("offset"));
        let (jitter, suspension) = (optional("jitter"), optional("suspension"));
        let working_set = self.get("working_set", BYTES, bytes);
        let number = |text: &str| text.parse::<u32>().map_err(|_| "is no whole number in range");
        let priority = self.get("priority", "a whole number from 0 to 4294967295", number);
        let processor = self.get("processor", "a processor's number", |text| {
            text.parse::<u16>().map_err(|_| "is no whole number in range")
        });
        let (name, wcet, period) = (name?, wcet?, period?);
        let mut task = TaskSpec::new(name, Work::from_ns(wcet.as_ns()), period);
        task.relative_deadline = deadline?.unwrap_or(period);
        task.wcet_may_exceed_deadline = wcet > task.relative_deadline;
        task.offset = Instant::ZERO + offset?.unwrap_or(Duration::ZERO);
        task.jitter = jitter?.unwrap_or(Duration::ZERO);
        task.suspension = match suspension?.filter(|bound| !bound.is_zero()) {
            Some(bound) => Suspension::Dynamic(bound),
            None => Suspension::None,
        };
        task.working_set = working_set?.unwrap_or(0);
        task.priority = priority?;
        task.processor = processor?;
        Some(task)
    }
}

/// Reads a task set.
pub(crate) fn read(file: &str, text: &str, ignored: &Ignored) -> Result<Imported<Scenario>, Errors> {
    let places = Rows::new(file, text)?;
    let mut errors = Vec::new();
    let mut losses = Losses::default();
    let mut reader = ReaderBuilder::new().from_reader(places.text().as_bytes());
    let header = reader.headers().cloned().map_err(|error| places.syntax(&error))?;
    let records = reader.records().collect::<Result<Vec<_>, _>>().map_err(|error| places.syntax(&error))?;
    // Spreadsheets write rows of nothing below a table.
    let rows = records.into_iter().filter(|cells| cells.iter().any(|cell| !cell.trim().is_empty())).collect();
    let table = Table { places: &places, header, rows };
    columns(&table, &mut errors, &mut losses);
    // Without their columns, all rows would be at fault.
    let readable = if errors.is_empty() { table.rows.len() } else { 0 };
    let tasks: Vec<TaskSpec> = (0..readable)
        .filter_map(|index| CsvRow { table: &table, index, errors: &mut errors }.task())
        .collect();
    let mut scenario = Scenario::new(tasks).fitted();
    by_priority(&mut scenario, &table, &mut errors, &mut losses);
    let losses = losses.judged(errors, ignored)?;
    Ok(Imported { value: checked_by(scenario, |task, field| table.place(task, field))?, losses })
}

/// Notes columns that are missing, doubled or not known.
fn columns(table: &Table<'_>, errors: &mut Vec<Error>, losses: &mut Losses) {
    for name in ["name", "wcet", "period"] {
        if table.column(name).is_none() {
            let problem = Problem::missing(format!("a header row with the column {name}"));
            let place = Some(table.places.row(table.header.position()));
            errors.push(Error { place, field: name.into(), problem });
        }
    }
    for (index, column) in table.header.iter().map(str::trim).enumerate() {
        if !COLUMNS.contains(&column) {
            unknown_column(table, index, column, losses);
        } else if table.column(column).is_some_and(|first| first < index) {
            let problem = Problem::duplicate("column", column);
            errors.push(Error { place: Some(table.head(index)), field: column.to_owned(), problem });
        }
    }
}

/// Notes a column that is not known. A column without a name and without contents is ignored, because spreadsheets
/// write commas behind a table.
fn unknown_column(table: &Table<'_>, index: usize, column: &str, losses: &mut Losses) {
    let is_full = |row: &&StringRecord| row.get(index).is_some_and(|cell| !cell.trim().is_empty());
    if column.is_empty() {
        if let Some(row) = table.rows.iter().find(is_full) {
            let place = table.places.cell(row.position(), index);
            let what = format!("column {}, which has no name,", index + 1);
            losses.flatters(LossKind::UnknownFields, place, what);
        }
        return;
    }
    let problem = Problem::unknown_field("", column, COLUMNS);
    losses.unknown_field(table.head(index), format!("column {column:?}"), column, problem);
}

/// Chooses fixed priorities if the table has any priority, which every task then needs. A scheduler that ignores them
/// would answer another question.
fn by_priority(scenario: &mut Scenario, table: &Table<'_>, errors: &mut Vec<Error>, losses: &mut Losses) {
    let given = scenario.tasks.iter().filter(|task| task.priority.is_some()).count();
    if given == 0 {
        return;
    }
    // Tasks with an error are not among them; it is said first.
    if errors.is_empty() {
        let without = scenario.tasks.iter().enumerate().filter(|(_, task)| task.priority.is_none());
        for (index, task) in without {
            let sentence = format!("missing for {}, while other tasks have one", task.name);
            let problem = Problem::rule(sentence, "a priority for each task, or for none");
            errors.push(Error { place: table.place(index, "priority"), field: "priority".into(), problem });
        }
    }
    let scope = match scenario.tasks.iter().any(|task| task.processor.is_some()) {
        true => Scope::Partitioned,
        false => Scope::Global,
    };
    scenario.scheduler.name = Scheduler::of_order(FP, true, scope).name;
    if let Some(first) = table.place(0, "") {
        let said =
            format!("which priority is the more urgent: under {}, the smallest", scenario.scheduler.name);
        losses.harmless(LossKind::Priorities, Location::line(&first.file, 1), said);
    }
}

/// Writes the tasks, durations with units.
pub(crate) fn write(scenario: &Scenario) -> Result<Converted<String>, Errors> {
    // A table has a priority for each task, or for none.
    let keeps_priorities = scenario.tasks.iter().all(|task| task.priority.is_some());
    let of_priorities: &[Aspect] = match keeps_priorities {
        true => &[Aspect::Priority, Aspect::UrgentPriority],
        false => &[],
    };
    let lost = lost(scenario, &[KEPT, of_priorities].concat());
    // In a table the smallest is the most urgent.
    let largest = scenario.tasks.iter().filter_map(|task| task.priority).max().unwrap_or(0);
    let in_table = |priority: u32| match scenario.scheduler.urgent_priority {
        UrgentPriority::Smallest => priority,
        UrgentPriority::Largest => largest - priority,
    };
    let mut rows = csv::Writer::from_writer(Vec::new());
    let mut write = |cells: [String; 10]| rows.write_record(cells).expect("memory takes any record");
    write(COLUMNS.map(str::to_owned));
    for task in &scenario.tasks {
        let some = |length: Duration| if length.is_zero() { String::new() } else { length.to_string() };
        let suspension = match task.suspension {
            Suspension::Dynamic(bound) => bound.to_string(),
            Suspension::None | Suspension::Segmented => String::new(),
        };
        let implicit = task.relative_deadline == task.period;
        write([
            task.name.clone(),
            task.wcet.to_string(),
            task.period.to_string(),
            if implicit { String::new() } else { task.relative_deadline.to_string() },
            some(Duration::from_ns(task.offset.as_ns())),
            some(task.jitter),
            suspension,
            if task.working_set == 0 { String::new() } else { task.working_set.to_string() },
            task.priority
                .filter(|_| keeps_priorities)
                .map_or_else(String::new, |priority| in_table(priority).to_string()),
            task.processor.map_or_else(String::new, |number| number.to_string()),
        ]);
    }
    let bytes = rows.into_inner().expect("memory takes any record");
    Ok(Converted { value: String::from_utf8(bytes).expect("what was text is text"), lost })
}
