//! Job sets of the schedule-abstraction tools (`nptest`): CSV with eight columns in their order, or YAML with a
//! `jobset`.
//!
//! ```text
//! Task ID, Job ID, Release min, Release max, Cost min, Cost max, Deadline, Priority
//! ```
//!
//! A header is no row, and is refused if it names these columns in another order. Of two jobs the one of the smaller
//! priority number goes first. Times have no unit; here they are whole nanoseconds.
//! Whatever the explorer does not explore is refused by name: precedence constraints (`Successors`), gang jobs (costs
//! by degree of parallelism), times with decimals. Written files have the same columns, or the same keys. Format as in
//! the README of SAG-org/schedule_abstraction-main.

use super::rows::{cells as counted, Rows};
use crate::error::{Errors, Location, Problem};
use crate::foreign::{self, Wanted};
use csv::{ReaderBuilder, StringRecord, Trim};
use saphyr::{LoadableYamlNode, MarkedYaml};
use std::collections::BTreeMap;

/// The columns of CSV files, which are also the keys of YAML files.
pub const COLUMNS: [&str; 8] =
    ["Task ID", "Job ID", "Release min", "Release max", "Cost min", "Cost max", "Deadline", "Priority"];

/// Names that older files have for releases.
const ARRIVALS: [&str; 2] = ["Arrival min", "Arrival max"];

/// Longest line that may be a job, and deepest nesting that fits into one.
const LONGEST_LINE: usize = 4096;

/// One job. Times in whole nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SagJob {
    /// Number of the job's task.
    pub task: u32,
    /// Number of the job itself.
    pub job: u32,
    /// Earliest and latest release.
    pub release: [u64; 2],
    /// Least and largest cost.
    pub cost: [u64; 2],
    /// Absolute deadline.
    pub deadline: u64,
    /// Priority; smaller is more urgent.
    pub priority: u64,
}

/// Form of a file of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Rows of CSV.
    Csv,
    /// YAML with a `jobset`.
    Yaml,
}

impl Form {
    /// Returns the form of a file by the ending of its name.
    pub fn of_file(file: &str) -> Option<Form> {
        match file.rsplit_once('.')?.1 {
            "csv" => Some(Form::Csv),
            "yaml" | "yml" => Some(Form::Yaml),
            _ => None,
        }
    }

    /// Reads the jobs of a file.
    pub fn read(self, file: &str, bytes: Vec<u8>) -> Result<Vec<SagJob>, Errors> {
        foreign::refuse(file, &bytes, Wanted::JobSet)?;
        let text = crate::document::utf8(file, bytes)?;
        let text = text.trim_start_matches('\u{feff}');
        match self {
            Form::Csv => read_csv(file, text),
            Form::Yaml => read_yaml(file, text),
        }
    }

    /// Writes jobs.
    pub fn write(self, jobs: &[SagJob]) -> String {
        let cells = |job: &SagJob| {
            let numbers =
                [job.release[0], job.release[1], job.cost[0], job.cost[1], job.deadline, job.priority];
            let ids = [u64::from(job.task), u64::from(job.job)].into_iter();
            ids.chain(numbers).map(|number| number.to_string()).collect::<Vec<_>>()
        };
        let mut text = match self {
            Form::Csv => format!("{}\n", COLUMNS.join(", ")),
            Form::Yaml => String::from("jobset:\n"),
        };
        for job in jobs {
            match self {
                Form::Csv => text.push_str(&format!("{}\n", cells(job).join(", "))),
                Form::Yaml => {
                    for (index, (name, cell)) in COLUMNS.iter().zip(cells(job)).enumerate() {
                        text.push_str(&format!("  {} {name}: {cell}\n", if index == 0 { "-" } else { " " }));
                    }
                }
            }
        }
        text
    }
}

/// Reads the job of these eight numbers, in the order of [`COLUMNS`].
fn job(numbers: [u64; 8], place: impl Fn(&str) -> Location) -> Result<SagJob, Errors> {
    let [task, id, least, latest, least_cost, cost, deadline, priority] = numbers;
    let narrow = |field: &str, number: u64| {
        u32::try_from(number).map_err(|_| {
            Errors::refused(Some(place(field)), field, number, "is too large", format!("up to {}", u32::MAX))
        })
    };
    for (field, low, high) in [("Release max", least, latest), ("Cost max", least_cost, cost)] {
        if low > high {
            let (why, allowed) = ("is below the least", format!("at least {low}"));
            return Err(Errors::refused(Some(place(field)), field, high, why, allowed));
        }
    }
    let (task, job) = (narrow("Task ID", task)?, narrow("Job ID", id)?);
    Ok(SagJob { task, job, release: [least, latest], cost: [least_cost, cost], deadline, priority })
}

/// Reads a number of a file, or returns why it cannot be explored.
fn number(text: &str, field: &str, place: impl FnOnce() -> Location) -> Result<u64, Errors> {
    let why = match text {
        _ if text.contains('{') => {
            "is a gang job's costs by degree of parallelism, which is not explored here"
        }
        _ if text.parse::<f64>().is_ok() && text.contains(['.', 'e', 'E']) => {
            "is no whole number; dense time is not explored here"
        }
        _ if text.starts_with('-') => "is negative",
        _ => match text.parse() {
            Ok(number) => return Ok(number),
            Err(_) => "is no whole number in range",
        },
    };
    let allowed = "a whole number of at least 0";
    Err(Errors::refused(Some(place()), field, format!("\"{text}\""), why, allowed))
}

fn read_csv(file: &str, text: &str) -> Result<Vec<SagJob>, Errors> {
    let places = Rows::new(file, text)?;
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .has_headers(false)
        .flexible(true)
        .from_reader(places.text().as_bytes());
    let mut jobs = Jobs::default();
    let mut is_begun = false;
    for record in reader.records() {
        let cells: StringRecord = record.map_err(|error| places.syntax(&error))?;
        if cells.iter().all(str::is_empty) {
            continue;
        }
        let place = |index| places.cell(cells.position(), index);
        // The tools themselves read rows by place, and no header.
        let is_header = || cells.iter().all(|cell| cell.starts_with(|c: char| c.is_ascii_alphabetic()));
        if !std::mem::replace(&mut is_begun, true) && is_header() {
            expect_order(&cells, place)?;
            continue;
        }
        if let Some(index) = cells.iter().position(|cell| cell.contains('{')) {
            // Costs in braces are no number: this refuses them.
            number(&cells[index], COLUMNS[4], || place(index))?;
        }
        let Ok(texts) = <[&str; 8]>::try_from(cells.iter().collect::<Vec<_>>()) else {
            let found = counted(cells.len());
            let message = format!("a row of {found}; allowed: 8: {}", COLUMNS.join(", "));
            return Err(Errors::one(Some(place(0)), "", Problem::syntax("CSV", message)));
        };
        let mut numbers = [0; 8];
        for (index, (text, name)) in texts.iter().zip(COLUMNS).enumerate() {
            numbers[index] = number(text, name, || place(index))?;
        }
        let place = |name: &str| place(COLUMNS.iter().position(|column| *column == name).unwrap_or(0));
        jobs.add(job(numbers, place)?, place)?;
    }
    not_empty(file, jobs.all)
}

/// Refuses a header that names a column elsewhere than the format has it. Other names say nothing.
fn expect_order(header: &StringRecord, place: impl Fn(usize) -> Location) -> Result<(), Errors> {
    let plain = |name: &str| name.to_ascii_lowercase().replace(['_', '-'], " ");
    for (index, cell) in header.iter().enumerate() {
        let named = plain(cell).replace("arrival", "release");
        let known = COLUMNS.iter().position(|column| plain(column) == named);
        if known.is_some_and(|known| known != index) {
            let why = "names a column that the format has in another place, and rows are read by place";
            let allowed = format!("this order: {}", COLUMNS.join(", "));
            return Err(Errors::refused(Some(place(index)), "", format!("\"{cell}\""), why, allowed));
        }
    }
    Ok(())
}

/// The jobs of a file, each once.
#[derive(Default)]
struct Jobs {
    all: Vec<SagJob>,
    /// Line of each job, by its task and its number.
    lines: BTreeMap<(u32, u32), usize>,
}

impl Jobs {
    /// Adds a job, which must not be there yet; `place` gives the place of one of its fields.
    fn add(&mut self, job: SagJob, place: impl Fn(&str) -> Location) -> Result<(), Errors> {
        let here = place("Job ID");
        match self.lines.insert((job.task, job.job), here.line) {
            None => {
                self.all.push(job);
                Ok(())
            }
            Some(line) => {
                let sentence = format!("task {} has another job {}, in line {line}", job.task, job.job);
                let problem = Problem::rule(sentence, "a number of its own for each job of a task");
                Err(Errors::one(Some(here), "Job ID", problem))
            }
        }
    }
}

fn not_empty(file: &str, jobs: Vec<SagJob>) -> Result<Vec<SagJob>, Errors> {
    match jobs.is_empty() {
        true => Err(Errors::missing(file, "", "at least one job")),
        false => Ok(jobs),
    }
}

fn read_yaml(file: &str, text: &str) -> Result<Vec<SagJob>, Errors> {
    let syntax = |line: usize, message: String| {
        Errors::one(Some(Location::line(file, line)), "", Problem::syntax("YAML", message))
    };
    if let Some(index) = text.lines().position(|line| line.len() > LONGEST_LINE) {
        return Err(syntax(index + 1, format!("a line of more than {LONGEST_LINE} bytes")));
    }
    let documents =
        MarkedYaml::load_from_str(text).map_err(|error| syntax(error.marker().line(), error.to_string()))?;
    let missing = || Errors::missing(file, "jobset", "a `jobset`: a list of jobs");
    if documents.len() > 1 {
        return Err(syntax(documents[1].span.start.line(), "several documents; allowed: one".into()));
    }
    let root = documents.first().and_then(|document| document.data.as_mapping()).ok_or_else(missing)?;
    let mut jobs = None;
    for (key, value) in root {
        match key.data.as_str() {
            Some("jobset") => jobs = value.data.as_sequence(),
            Some(other) => {
                let place = Location::line(file, key.span.start.line());
                let (value, why) = (format!("\"{other}\""), "is not explored here");
                return Err(Errors::refused(Some(place), other, value, why, "jobset"));
            }
            None => return Err(missing()),
        }
    }
    let mut read = Jobs::default();
    for node in jobs.ok_or_else(missing)? {
        let place = |_: &str| Location::line(file, node.span.start.line());
        read.add(yaml_job(file, node)?, place)?;
    }
    not_empty(file, read.all)
}

fn yaml_job(file: &str, node: &MarkedYaml<'_>) -> Result<SagJob, Errors> {
    let place = Location::line(file, node.span.start.line());
    let allowed = format!("a mapping with {}", COLUMNS.join(", "));
    let Some(fields) = node.data.as_mapping() else {
        return Err(Errors::one(Some(place), "jobset", Problem::missing(allowed)));
    };
    let mut numbers = [None; 8];
    for (key, value) in fields {
        let line = Location::line(file, key.span.start.line());
        let name = key.data.as_str().unwrap_or_default();
        let older = ARRIVALS.iter().position(|known| *known == name).map(|index| index + 2);
        if let Some(column) = COLUMNS.iter().position(|known| *known == name).or(older) {
            if numbers[column].is_some() {
                let problem = Problem::duplicate("column", COLUMNS[column]);
                return Err(Errors::one(Some(line), name, problem));
            }
            let found = value.data.as_integer().and_then(|number| u64::try_from(number).ok());
            let text = || match (value.data.as_integer(), value.data.as_floating_point()) {
                (Some(number), _) => number.to_string(),
                (None, Some(number)) => format!("{number:?}"),
                (None, None) if value.data.is_mapping() => "{}".to_owned(),
                (None, None) => value.data.as_str().unwrap_or("no number").to_owned(),
            };
            let read = found.map_or_else(|| number(&text(), name, || line), Ok);
            numbers[column] = Some(read?);
            continue;
        }
        let none = value.data.as_sequence().is_some_and(Vec::is_empty);
        if name == "Successors" && none {
            continue;
        }
        let why = match name {
            "Successors" => "is a precedence constraint, which is not explored here",
            _ => "is not explored here",
        };
        return Err(Errors::refused(Some(line), name, format!("\"{name}\""), why, COLUMNS.join(", ")));
    }
    for (number, name) in numbers.iter().zip(COLUMNS) {
        if number.is_none() {
            return Err(Errors::one(Some(place), name, Problem::missing(allowed)));
        }
    }
    job(numbers.map(|number| number.expect("looked at above")), |_: &str| place.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIG1A: &str =
        "   Task ID, Job ID,  Arrival min,  Arrival max, Cost min, Cost max, Deadline, Priority\n\
        1, 1,  0,  0, 1,  2, 10, 10\n2, 7,  0,  3, 7,  8, 30, 30\n";

    fn fig1a() -> Vec<SagJob> {
        let job = |task, job, release, cost, deadline| SagJob {
            task,
            job,
            release,
            cost,
            deadline,
            priority: deadline,
        };
        vec![job(1, 1, [0, 0], [1, 2], 10), job(2, 7, [0, 3], [7, 8], 30)]
    }

    #[test]
    fn both_forms_read_and_read_back() {
        assert_eq!(Form::Csv.read("fig1a.csv", FIG1A.into()).unwrap(), fig1a());
        for form in [Form::Csv, Form::Yaml] {
            let text = form.write(&fig1a());
            assert_eq!(form.read("again", text.clone().into_bytes()).unwrap(), fig1a(), "{text}");
        }
        let yaml = "jobset:\n  - Task ID: 1\n    Job ID: 1\n    Arrival min: 0\n    Arrival max: 0\n    Cost min: 1\n    Cost max: 2\n    \
            Deadline: 10\n    Priority: 10\n    Successors: []\n";
        assert_eq!(Form::Yaml.read("f", yaml.into()).unwrap(), fig1a()[..1]);
        assert_eq!(
            [Form::of_file("a.yml"), Form::of_file("b.csv"), Form::of_file("c")],
            [Some(Form::Yaml), Some(Form::Csv), None]
        );
    }

    /// Rows are read by place: a header may have other names, and not these names in another order.
    #[test]
    fn a_header_does_not_move_columns() {
        let rows = FIG1A.split_once('\n').unwrap().1;
        let with = |header: &str| Form::Csv.read("f", format!("{header}\n{rows}").into_bytes());
        assert_eq!(with("t, j, a, b, c, d, e, f").unwrap(), fig1a());
        let moved = "Task_ID, job id, Release min, Arrival max, Cost min, Cost max, Priority, Deadline";
        let found = with(moved).unwrap_err().to_string();
        let wanted =
            "f:1:64: \"Priority\" names a column that the format has in another place, and rows are read";
        assert!(found.starts_with(wanted) && found.contains("order: Task ID, Job ID, Release"), "{found}");
    }

    #[test]
    fn what_is_not_explored_is_refused_by_name() {
        let job = "jobset:\n  - Task ID: 1\n    Job ID: 1\n    Release min: 0\n    Release max: 0\n    Cost min: 1\n    Cost max: 2\n    Deadline: 10\n    Priority: 10\n";
        let deep = format!("jobset: {}", "[".repeat(4000));
        for (form, text, wanted) in [
            (
                Form::Yaml,
                format!("{job}    Successors: [[1, 2]]\n"),
                "f:10:1: Successors: \"Successors\" is a precedence constraint, which is not explored here",
            ),
            (
                Form::Yaml,
                job.replace("Cost max: 2", "Cost max: 2.5"),
                "f:7:1: Cost max: \"2.5\" is no whole number; dense time is not explored here",
            ),
            (Form::Yaml, job.replace("Cost max: 2", "Cost max: -2"), "f:7:1: Cost max: \"-2\" is negative"),
            (Form::Yaml, job.replace("    Priority: 10\n", ""), "f:2:1: Priority: missing"),
            (
                Form::Yaml,
                job.replace("jobset", "taskset"),
                "f:1:1: taskset: \"taskset\" is not explored here",
            ),
            (Form::Yaml, "[1, 2]".into(), "f:1:1: jobset: missing"),
            (Form::Yaml, "a: [".into(), "f:"),
            (Form::Yaml, deep, "f:1:1: not valid YAML"),
            (
                Form::Csv,
                "1, 1, 0, 0, { 1:2:3; 2:1:2 }, 9, 1\n".into(),
                "f:1:13: Cost min: \"{ 1:2:3; 2:1:2 }\" is a gang job's costs",
            ),
            (
                Form::Csv,
                "1, 1, 0, 0, 1, 2, 10.5, 1\n".into(),
                "f:1:19: Deadline: \"10.5\" is no whole number; dense time",
            ),
            (
                Form::Csv,
                "1, 1, 5, 4, 1, 2, 10, 1\n".into(),
                "f:1:10: Release max: 4 is below the least; allowed: at least 5",
            ),
            (Form::Csv, "1, 1, 5\n".into(), "f:1:1: not valid CSV: a row of 3 cells; allowed: 8: Task ID"),
            (
                Form::Csv,
                "4294967296, 1, 0, 0, 1, 2, 10, 1\n".into(),
                "f:1:1: Task ID: 4294967296 is too large",
            ),
            (Form::Csv, "1\n".into(), "f:1:1: not valid CSV: a row of 1 cell; allowed: 8"),
            (
                Form::Csv,
                format!("{FIG1A},,\n\n2, 7, 0, 3, 7, 8, 30, 30\n"),
                "f:6:4: Job ID: task 2 has another job 7, in line 3; allowed: a number of its own for each job of a task",
            ),
            (
                Form::Yaml,
                format!("{job}{}", job.split_once('\n').unwrap().1),
                "f:10:1: Job ID: task 1 has another job 1, in line 2",
            ),
            (Form::Csv, "sep=;\n1;1\n".into(), "f:1:1: the cells of this table are separated by semicolons"),
            (Form::Csv, "".into(), "f:1:1: missing; allowed: at least one job"),
        ] {
            let found = form.read("f", text.clone().into_bytes()).unwrap_err().to_string();
            assert!(found.starts_with(wanted), "{found}\nwanted {wanted}");
        }
    }

    /// Input that would be dropped, or taken for something else, is refused.
    #[test]
    fn what_has_two_meanings_is_refused() {
        let job = "jobset:\n  - Task ID: 1\n    Job ID: 1\n    Release min: 0\n    Release max: 0\n    Cost min: 1\n    Cost max: 2\n    Deadline: 10\n    Priority: 10\n";
        for (form, text, wanted) in [
            (
                Form::Yaml,
                job.replace("Cost max: 2", "Cost max: true"),
                "f:7:1: Cost max: \"no number\" is no whole number in range",
            ),
            (
                Form::Yaml,
                job.replace("    Priority: 10", "    Priority: 10\n    Arrival max: 9"),
                "f:10:1: Arrival max: \"Release max\" names another column already",
            ),
            (Form::Yaml, job.replace("Cost max: 2", "Cost min: 1"), "f:7:"),
            (
                Form::Yaml,
                format!("{job}---\n{job}"),
                "f:11:1: not valid YAML: several documents; allowed: one",
            ),
        ] {
            let found = form.read("f", text.clone().into_bytes()).unwrap_err().to_string();
            assert!(found.starts_with(wanted), "{found}\nwanted {wanted}");
        }
    }
}
