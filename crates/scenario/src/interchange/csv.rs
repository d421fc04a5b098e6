//! CSV: a header row that names the columns, a row for each task.
//!
//! Columns come in any order, under the names of [`super::columns`]; `name`, `wcet` and `period` are needed. An empty
//! cell is as if the column were not there. Durations carry units (`2.5ms`), or their column does (`period_ms`).
//! Least, mean and percentiles of costs are kept as quantiles, and lengths of sections as a program
//! ([`super::measured`]).

use super::checked_by;
use super::columns::{Heading, Meaning};
pub use super::csv_written::COLUMNS;
use super::kernel_fifo::has_ties;
use super::measured::{self, Measured};
use super::rows::Rows;
use crate::error::{Error, Errors, Location, Problem};
use crate::loss::{Ignored, Imported, LossKind, Losses};
use crate::quantity::{bytes, duration, BYTES, DURATION, POSITIVE};
use crate::resource::ResourceSpec;
use crate::scenario::{Scenario, TaskSpec};
use crate::words::{UrgentPriority, Wcets};
use csv::{ReaderBuilder, StringRecord};
use schedlab_lock::NONE;
use schedlab_model::{Duration, Instant, Suspension, Work};
use schedlab_policy::{class_name, KernelClass, Scheduler, Scope, FP};

/// Priorities of `SCHED_FIFO`, with what a table does about threads that have none.
const RT_PRIORITY: &str =
    "1 to 99, the priorities of SCHED_FIFO; a thread without one is ordinary: leave out its row, or \
    write the table as a scenario (`schedlab export scenario`), where a task states class = \"ordinary\"";

/// A table with the names of its columns.
struct Table<'t> {
    places: &'t Rows<'t>,
    header: StringRecord,
    /// What each column's name says; `None` of one that is not known.
    headings: Vec<Option<Heading>>,
    /// The rows that have anything in them.
    rows: Vec<StringRecord>,
}

impl Table<'_> {
    /// Index of the first column of this meaning.
    fn of(&self, meaning: &Meaning) -> Option<usize> {
        self.headings.iter().position(|known| known.as_ref().is_some_and(|known| known.meaning == *meaning))
    }

    fn column(&self, name: &str) -> Option<usize> {
        let is_it = |known: &Heading| matches!(known.meaning, Meaning::Field(written) if written == name);
        self.headings.iter().position(|known| known.as_ref().is_some_and(is_it))
    }

    /// What the name of the column of priorities says.
    fn priorities(&self) -> Option<&Heading> {
        self.headings[self.column("priority")?].as_ref()
    }

    /// Place of a row's cell in the column of this name, or of the row if it has no such column.
    fn place(&self, row: usize, name: &str) -> Option<Location> {
        self.place_of(row, self.column(name))
    }

    fn place_of(&self, row: usize, column: Option<usize>) -> Option<Location> {
        let position = self.rows.get(row)?.position();
        Some(column.map_or_else(|| self.places.row(position), |index| self.places.cell(position, index)))
    }

    /// The resource whose sections a column has.
    fn resource(&self, index: usize, name: &str) -> ResourceSpec {
        let protocol = self.headings[index].as_ref().and_then(|known| known.protocol);
        ResourceSpec { protocol, ..ResourceSpec::new(name.to_owned()) }
    }

    /// Name of a column, as the table has it.
    fn named(&self, index: usize) -> &str {
        self.header.get(index).unwrap_or_default().trim()
    }

    /// Place of the name of a column.
    fn head(&self, index: usize) -> Location {
        self.places.cell(self.header.position(), index)
    }

    /// The columns whose cells are lengths of sections, with the names of their resources.
    fn sections(&self) -> Vec<(usize, &str)> {
        let all = self.headings.iter().enumerate();
        all.filter_map(|(index, known)| match &known.as_ref()?.meaning {
            Meaning::Section(resource) => Some((index, resource.as_str())),
            Meaning::Field(_) | Meaning::Least | Meaning::Mean | Meaning::Quantile(_) => None,
        })
        .collect()
    }
}

/// A row of a table.
struct CsvRow<'r> {
    table: &'r Table<'r>,
    index: usize,
    errors: &'r mut Vec<Error>,
}

impl CsvRow<'_> {
    /// Reports a fault of a cell, by the name that the table gives its column.
    fn report(&mut self, column: Option<usize>, name: &str, problem: Problem) {
        let place = self.table.place_of(self.index, column);
        let field = column.map_or(name, |index| self.table.named(index)).to_owned();
        self.errors.push(Error { place, field, problem });
    }

    /// Applies `read` to the cell of a column. The inner `None` means that the cell is empty or not there, the outer
    /// one that it is wrong.
    fn get<T>(
        &mut self,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<Option<T>> {
        self.cell(self.table.column(name), name, allowed, read)
    }

    fn cell<T>(
        &mut self,
        column: Option<usize>,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<Option<T>> {
        let Some(index) = column else { return Some(None) };
        let cell = self.table.rows[self.index].get(index).map(str::trim).filter(|cell| !cell.is_empty());
        let Some(cell) = cell else { return Some(None) };
        let unit = self.table.headings[index].as_ref().and_then(|known| known.unit);
        let digits = cell.strip_prefix(['-', '+']).unwrap_or(cell);
        let is_plain = digits.chars().all(|c| c.is_ascii_digit() || ['.', '_'].contains(&c));
        let with_unit = match unit {
            Some(unit) if is_plain => format!("{cell} {unit}"),
            Some(_) | None => cell.to_owned(),
        };
        match read(&with_unit) {
            Ok(value) => Some(Some(value)),
            Err(why) => {
                let in_name = is_plain && unit.is_none() && [DURATION, POSITIVE].contains(&allowed);
                let named = column.map_or(name, |index| self.table.named(index));
                let more = format!("{allowed}; or a unit in the name of the column, such as {named}_ms");
                let allowed = if in_name { &more } else { allowed };
                self.report(column, name, Problem::refused(format!("{cell:?}"), why, allowed));
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
            self.report(self.table.column(name), name, Problem::rule("the cell is empty", allowed));
        }
        value
    }

    fn task(&mut self, resources: &[ResourceSpec]) -> Option<TaskSpec> {
        let name = self.need("name", "a name of its own", |text| Ok(text.to_owned()));
        let wcet = self.need("wcet", POSITIVE, duration);
        let period = self.need("period", POSITIVE, duration);
        let mut optional = |name| self.get(name, DURATION, duration);
        let (deadline, offset) = (optional("deadline"), optional("offset"));
        let (jitter, suspension) = (optional("jitter"), optional("suspension"));
        let working_set = self.get("working_set", BYTES, bytes);
        let priority = self.priority();
        let processor = self.get("processor", "a processor's number", |text| {
            text.parse::<u16>().map_err(|_| "is no whole number in range")
        });
        let measured = self.measured();
        let sections = self.sections(resources);
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
        match measured?.costs(task.wcet) {
            Ok(costs) => task.cost = costs,
            Err(why) => self.report(self.table.column("wcet"), "wcet", why),
        }
        match measured::program(task.wcet, &sections?) {
            Ok(program) => task.program = program,
            Err(why) => self.report(self.table.column("wcet"), "wcet", why),
        }
        Some(task)
    }

    /// Reads the priority; one of Linux is a number that `chrt --fifo` takes.
    fn priority(&mut self) -> Option<Option<u32>> {
        let is_of_linux = self.table.priorities().is_some_and(|known| known.is_of_linux);
        let (allowed, range) = match is_of_linux {
            true => (RT_PRIORITY, 1..=99),
            false => ("a whole number from 0 to 4294967295", 0..=u32::MAX),
        };
        self.get("priority", allowed, |text| {
            let number = text.parse::<u32>().ok().filter(|number| range.contains(number));
            number.ok_or(if is_of_linux {
                "is no real-time priority of Linux"
            } else {
                "is no whole number in range"
            })
        })
    }

    /// Reads the statistics of the task's costs.
    fn measured(&mut self) -> Option<Measured> {
        let table = self.table;
        let mut length = |index: usize| {
            Some(self.cell(Some(index), table.named(index), POSITIVE, duration)?.map(Work::done_in))
        };
        let mut measured = Measured::default();
        for (index, heading) in table.headings.iter().enumerate() {
            let Some(heading) = heading else { continue };
            match &heading.meaning {
                Meaning::Least => measured.least = length(index)?,
                Meaning::Mean => measured.mean = length(index)?,
                Meaning::Quantile(share) => {
                    measured.quantiles.extend(length(index)?.map(|cost| (*share, cost)));
                }
                Meaning::Field(_) | Meaning::Section(_) => {}
            }
        }
        Some(measured)
    }

    /// Reads the lengths of the task's sections: the index of each resource in `resources`, and the length.
    fn sections(&mut self, resources: &[ResourceSpec]) -> Option<Vec<(usize, u64)>> {
        let mut found = Vec::new();
        for (index, resource) in self.table.sections() {
            let name = format!("section:{resource}");
            let length =
                self.cell(Some(index), &name, DURATION, duration)?.filter(|length| !length.is_zero());
            let id = resources.iter().position(|known| known.name == resource);
            found.extend(id.zip(length.map(Duration::as_ns)));
        }
        Some(found)
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
    let mut table = Table { places: &places, headings: Vec::new(), header, rows };
    table.headings = headings(&table, &mut errors);
    columns(&table, &mut errors, &mut losses);
    // Without their columns, all rows would be at fault.
    let readable = if errors.is_empty() { table.rows.len() } else { 0 };
    let resources: Vec<ResourceSpec> =
        table.sections().iter().map(|(index, name)| table.resource(*index, name)).collect();
    let tasks: Vec<TaskSpec> = (0..readable)
        .filter_map(|index| CsvRow { table: &table, index, errors: &mut errors }.task(&resources))
        .collect();
    let mut scenario = Scenario::new(tasks).fitted();
    scenario.resources = resources;
    assumed(&mut scenario, &table, &mut losses);
    by_priority(&mut scenario, &table, &mut errors, &mut losses);
    by_mutexes(&mut scenario, &table, &mut losses);
    let losses = losses.judged(errors, ignored)?;
    Ok(Imported { value: checked_by(scenario, |task, field| table.place(task, field))?, losses })
}

/// Reads the names of columns. One that could mean two things is an error.
fn headings(table: &Table<'_>, errors: &mut Vec<Error>) -> Vec<Option<Heading>> {
    let all = table.header.iter().map(str::trim).enumerate();
    all.map(|(index, column)| match Heading::of(column) {
        Ok(heading) => heading,
        Err(problem) => {
            errors.push(Error { place: Some(table.head(index)), field: column.to_owned(), problem });
            None
        }
    })
    .collect()
}

/// Notes columns that are missing, doubled or not known.
fn columns(table: &Table<'_>, errors: &mut Vec<Error>, losses: &mut Losses) {
    let is_clear = errors.is_empty();
    for name in ["name", "wcet", "period"] {
        if is_clear && table.column(name).is_none() {
            let problem = Problem::missing(format!("a header row with the column {name}"));
            let place = Some(table.places.row(table.header.position()));
            errors.push(Error { place, field: name.into(), problem });
        }
    }
    for (index, column) in table.header.iter().map(str::trim).enumerate() {
        let Some(heading) = &table.headings[index] else {
            if is_clear {
                unknown_column(table, index, column, losses);
            }
            continue;
        };
        let Some(first) = table.of(&heading.meaning).filter(|first| *first < index) else { continue };
        let other = table.header.get(first).unwrap_or_default().trim();
        let problem = match other == column {
            true => Problem::duplicate("column", column),
            false => {
                let sentence = format!("\"{other}\" and \"{column}\" are columns for the same thing");
                Problem::rule(sentence, "one of them")
            }
        };
        errors.push(Error { place: Some(table.head(index)), field: column.to_owned(), problem });
    }
}

/// Notes what the table leaves open, and that measured costs are no bounds.
fn assumed(scenario: &mut Scenario, table: &Table<'_>, losses: &mut Losses) {
    let heading = |index: usize| table.headings[index].as_ref();
    if table.column("wcet").and_then(heading).is_some_and(|known| known.is_observed) {
        scenario.wcets = Wcets::Observed;
    }
    if let Some((index, _)) = table.sections().first() {
        let said = "where in a job its sections lie: they are spread evenly";
        losses.harmless(LossKind::Sections, table.head(*index), said);
    }
    let has_quantiles =
        || table.headings.iter().flatten().any(|known| matches!(known.meaning, Meaning::Quantile(_)));
    if let Some(index) = table.of(&Meaning::Mean) {
        let said = match has_quantiles() {
            true => "the mean cost: percentiles say more",
            false => "how costs lie about their mean: evenly below and above it",
        };
        losses.harmless(LossKind::ExecutionTimes, table.head(index), said);
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
    let scope = scope(scenario);
    let is_of_linux = table.priorities().is_some_and(|known| known.is_of_linux);
    let is_tied =
        is_of_linux && has_ties(scenario.tasks.iter().map(|task| (task.processor, task.priority)), scope);
    if !is_tied {
        scenario.scheduler.name = Scheduler::of_order(FP, true, scope).name;
    } else {
        scenario.scheduler.name = class_name(KernelClass::Fifo, scope);
    }
    if is_of_linux {
        scenario.scheduler.urgent_priority = UrgentPriority::Largest;
        return;
    }
    if let Some(first) = table.place(0, "") {
        let said =
            format!("which priority is the more urgent: under {}, the smallest", scenario.scheduler.name);
        losses.harmless(LossKind::Priorities, Location::line(&first.file, 1), said);
    }
}

/// Chooses the class of Linux if a mutex states its protocol, which only that class has. Of mutexes that state none,
/// the answer says how the table would.
fn by_mutexes(scenario: &mut Scenario, table: &Table<'_>, losses: &mut Losses) {
    if scenario.resources.iter().any(|spec| spec.protocol.is_some()) {
        scenario.scheduler.name = class_name(KernelClass::Fifo, scope(scenario));
    }
    let columns = table.sections();
    let silent = columns.iter().zip(&scenario.resources).find(|(_, spec)| spec.protocol.is_none());
    if let Some(((index, name), _)) = silent {
        let said = format!(
            "which protocol the mutexes have: \"{NONE}\", unless --protocol names one or the columns do, as in \
             mutex:{name}:inherit (none, inherit, protect)"
        );
        losses.harmless(LossKind::Sections, table.head(*index), said);
    }
}

/// Scope of the scheduler for threads with these places.
fn scope(scenario: &Scenario) -> Scope {
    match scenario.tasks.iter().any(|task| task.processor.is_some()) {
        true => Scope::Partitioned,
        false => Scope::Global,
    }
}
