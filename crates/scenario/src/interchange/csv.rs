//! CSV: a header row that names the columns, a row for each task.
//!
//! Columns, in any order: `name`, `wcet`, `period` (needed), `deadline`, `offset`, `jitter`, `suspension`,
//! `working_set`, `priority`, `processor`; an empty cell is as if the column were not there. Durations carry
//! units (`2.5ms`).

use super::rows::{line, semicolons, syntax};
use super::{checked, Converted};
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

/// What the columns say.
const KEPT: &[Aspect] = &[
    Aspect::ShortDeadline,
    Aspect::LongDeadline,
    Aspect::Offset,
    Aspect::Jitter,
    Aspect::Suspension,
    Aspect::WorkingSet,
    Aspect::Processor,
];

/// A row with the names of its columns.
struct CsvRow<'r> {
    header: &'r StringRecord,
    cells: &'r StringRecord,
    place: Location,
    errors: &'r mut Vec<Error>,
}

impl CsvRow<'_> {
    fn report(&mut self, name: &str, problem: Problem) {
        self.errors.push(Error { place: Some(self.place.clone()), field: name.to_owned(), problem });
    }

    /// The inner `None` if the cell is empty or not there, the outer one if it is wrong.
    fn get<T>(
        &mut self,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<Option<T>> {
        let column = self.header.iter().position(|column| column.trim() == name);
        let cell = column.and_then(|index| self.cells.get(index)).map(str::trim);
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
    semicolons(file, text)?;
    let mut errors = Vec::new();
    let mut losses = Losses::default();
    let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
    let header = reader.headers().cloned().map_err(|error| syntax(file, &error))?;
    columns(file, &header, ignored, &mut losses)?;
    let (mut tasks, mut places) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let cells = record.map_err(|error| syntax(file, &error))?;
        let place = Location::line(file, line(cells.position()));
        places.push(place.clone());
        tasks.extend(CsvRow { header: &header, cells: &cells, place, errors: &mut errors }.task());
    }
    let mut scenario = Scenario::new(tasks).fitted();
    by_priority(&mut scenario, &places, &mut errors, &mut losses);
    let losses = losses.judged(errors, ignored)?;
    Ok(Imported { value: checked(scenario, &places)?, losses })
}

/// Refuses columns that are missing, doubled or not known; those that are not known can be ignored.
fn columns(file: &str, header: &StringRecord, ignored: &Ignored, losses: &mut Losses) -> Result<(), Errors> {
    let first = Location::line(file, 1);
    let mut errors = Vec::new();
    for name in ["name", "wcet", "period"] {
        if !header.iter().any(|column| column.trim() == name) {
            let problem = Problem::missing(format!("a header row with the column {name}"));
            errors.push(Error { place: Some(first.clone()), field: name.into(), problem });
        }
    }
    for (index, column) in header.iter().map(str::trim).enumerate() {
        let problem = if !COLUMNS.contains(&column) {
            if ignored.has(LossKind::UnknownFields) {
                losses.flatters(LossKind::UnknownFields, first.clone(), format!("column {column:?}"));
                continue;
            }
            let allowed = format!("{}; or --ignore {}", COLUMNS.join(", "), LossKind::UnknownFields.name());
            Problem::unknown_field("", column, COLUMNS).allowing(allowed)
        } else if header.iter().take(index).any(|earlier| earlier.trim() == column) {
            Problem::duplicate("column", column)
        } else {
            continue;
        };
        errors.push(Error { place: Some(first.clone()), field: column.to_owned(), problem });
    }
    Errors::check(errors)
}

/// Fixed priorities decide where the table has any, which every task then needs. A scheduler that does not look at
/// them would answer another question.
fn by_priority(scenario: &mut Scenario, places: &[Location], errors: &mut Vec<Error>, losses: &mut Losses) {
    let given = scenario.tasks.iter().filter(|task| task.priority.is_some()).count();
    if given == 0 {
        return;
    }
    // Tasks with an error are not among them; it is said first.
    if errors.is_empty() {
        for (task, place) in scenario.tasks.iter().zip(places).filter(|(task, _)| task.priority.is_none()) {
            let sentence = format!("missing for {}, while other tasks have one", task.name);
            let problem = Problem::rule(sentence, "a priority for each task, or for none");
            errors.push(Error { place: Some(place.clone()), field: "priority".into(), problem });
        }
    }
    let scope = match scenario.tasks.iter().any(|task| task.processor.is_some()) {
        true => Scope::Partitioned,
        false => Scope::Global,
    };
    scenario.scheduler.name = Scheduler::of_order(FP, true, scope).name;
    if let Some(first) = places.first() {
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
