//! The formats of other tools: what they can say is read and written exactly, what they cannot is named.
//!
//! Reading gives a scenario and a list of what the file says that schedlab has no place for; what of it could make an
//! answer too good is refused until the caller ignores it ([`crate::loss`]). Writing gives the text and a list of what
//! the format has no place for. Nothing is dropped in silence; times are decimal, never rounded: a time that the format
//! cannot write is an error.

pub mod csv;
mod rows;
pub mod rt_app;
pub mod sag;
pub mod schedcat;
pub mod schedcat_overheads;
mod schedcat_resources;
pub mod simso;
mod xml;

pub use crate::converted::Converted;
pub use crate::loss::{Ignored, Imported, Loss, LossKind};

use crate::check;
use crate::error::{Error, Errors, Location, Problem};
use crate::fault::{error_of, Fault, Part};
use crate::foreign::{self, Wanted};
use crate::scenario::{Scenario, TaskSpec};
use crate::words::{Arrival, CostModel};
use crate::workload::Workload;
use schedlab_model::{Instant, Suspension};
use schedlab_policy::{Scheduler, Scope, EDF};

/// Checks a scenario whose tasks stand at these places of a file.
fn checked(scenario: Scenario, places: &[Location]) -> Result<Scenario, Errors> {
    let error = |fault: Fault| {
        let place = match fault.part {
            Part::Task(index) | Part::Step(index, _) => places.get(index),
            Part::File | Part::Platform | Part::Scheduler | Part::Resource(_) | Part::Supertask(_) => {
                places.first()
            }
        };
        Error { place: place.cloned(), ..error_of(fault) }
    };
    Errors::check(check::faults(&scenario).into_iter().map(error).collect())?;
    Ok(scenario)
}

/// The name of a task that has none in its file.
fn default_name(index: usize) -> String {
    format!("task{index}")
}

/// A time that a format cannot write.
fn unwritable(task: usize, field: &str, value: impl std::fmt::Display, allowed: &str) -> Error {
    let problem = Problem::refused(value, "cannot be written in this format", allowed);
    Error { place: None, field: format!("task[{task}].{field}"), problem }
}

/// What may be lost of a task, and whether a task has it.
type Aspect = (&'static str, fn(&TaskSpec) -> bool);

/// What a format may be unable to write of a task: what it is called, and whether a task has anything of it that is not
/// what every task has.
const ASPECTS: [Aspect; 16] = [
    ("offset", |task| task.offset != Instant::ZERO),
    ("jitter", |task| !task.jitter.is_zero()),
    ("suspension", |task| matches!(task.suspension, Suspension::Dynamic(_))),
    ("working_set", |task| task.working_set > 0),
    ("priority", |task| task.priority.is_some()),
    ("priority_point", |task| task.priority_point.is_some()),
    ("utility or abort_handler", |task| task.utility.is_some() || task.abort_handler.is_some()),
    ("processor", |task| task.processor.is_some()),
    ("affinity", |task| !task.affinity.is_empty()),
    ("cluster", |task| task.cluster.is_some()),
    ("sporadic arrival", |task| matches!(task.arrival, Arrival::Sporadic { .. })),
    ("listed arrival", |task| matches!(task.arrival, Arrival::Listed(_))),
    ("cost", |task| task.cost != CostModel::Wcet),
    ("join or leave", |task| task.join != Instant::ZERO || task.leave != Instant::NEVER),
    ("program", |task| !task.program.is_empty()),
    ("workload", |task| task.workload != Workload::default()),
];

/// What of the tasks a format loses that can write only `kept`: a line for each aspect, with the tasks.
fn lost_of_tasks(scenario: &Scenario, kept: &[&str]) -> Vec<String> {
    assert!(kept.iter().all(|kept| ASPECTS.iter().any(|(name, _)| name == kept)), "each is an aspect");
    let mut lost = Vec::new();
    for (name, is_in) in ASPECTS.into_iter().filter(|(name, _)| !kept.contains(name)) {
        let concerned = scenario.tasks.iter().filter(|task| is_in(task));
        let names: Vec<&str> = concerned.map(|task| task.name.as_str()).collect();
        if !names.is_empty() {
            lost.push(format!("{name} of {}", shortened(&names)));
        }
    }
    lost
}

/// What surrounds the tasks and differs from what a scenario has anyway, by name.
fn lost_around(scenario: &Scenario, kept: &[&str]) -> Vec<String> {
    let plain = Scenario { horizon: scenario.horizon, ..Scenario::new(Vec::new()) };
    let aspects = [
        ("title", scenario.title != plain.title),
        ("source", scenario.source != plain.source),
        ("notes", scenario.notes != plain.notes),
        ("left_out", scenario.left_out != plain.left_out),
        ("seed", scenario.seed != plain.seed),
        ("deadlines", scenario.deadlines != plain.deadlines),
        ("overruns", scenario.overruns != plain.overruns),
        ("scheduler", scenario.scheduler != plain.scheduler),
        ("protocol", scenario.protocol != plain.protocol),
        ("platform", scenario.platform != plain.platform),
        ("overheads", scenario.overheads != plain.overheads),
        ("resource", scenario.resources != plain.resources),
        ("supertask", scenario.supertasks != plain.supertasks),
        ("horizon", scenario.horizon != crate::scenario::default_horizon(&scenario.tasks)),
    ];
    let lost = aspects.into_iter().filter(|(name, differs)| *differs && !kept.contains(name));
    lost.map(|(name, _)| name.to_owned()).collect()
}

fn shortened(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    match names.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}

/// A format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// See [`schedcat`].
    SchedCat,
    /// See [`simso`].
    SimSo,
    /// See [`rt_app`]; written by [`crate::launch`].
    RtApp,
    /// See [`csv`].
    Csv,
}

impl Format {
    /// The format of a file by its content, or else by its name's ending; `None` for a scenario file.
    pub fn of(file: &str, bytes: &[u8]) -> Option<Format> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let begins = bytes.trim_ascii_start();
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
        // SimSo's files have this element at their root, SchedCAT's have `taskset`.
        let xml = if bytes.windows(11).any(|part| part == b"<simulation") {
            Format::SimSo
        } else {
            Format::SchedCat
        };
        match (begins.first(), ending.as_str()) {
            (Some(b'<'), _) | (_, "xml") => Some(xml),
            // Comments begin with a slash.
            (Some(b'{' | b'/'), _) | (_, "json") => Some(Format::RtApp),
            (_, "csv") => Some(Format::Csv),
            (Some(_) | None, _) => None,
        }
    }

    /// Reads a file of this format.
    pub fn read(self, file: &str, bytes: Vec<u8>, ignored: &Ignored) -> Result<Imported<Scenario>, Errors> {
        foreign::refuse(file, &bytes, Wanted::Scenario)?;
        let text = crate::document::utf8(file, bytes)?;
        let text = text.trim_start_matches('\u{feff}');
        let mut read = match self {
            Format::SchedCat => schedcat::read(file, text, ignored),
            Format::SimSo => simso::read(file, text, ignored),
            Format::RtApp => rt_app::read(file, text, ignored),
            Format::Csv => csv::read(file, text, ignored),
        }?;
        read.value.left_out = read.left_out();
        Ok(read)
    }

    /// Writes a scenario in this format.
    pub fn write(self, scenario: &Scenario) -> Result<Converted<String>, Errors> {
        match self {
            Format::SchedCat => schedcat::write(scenario),
            Format::SimSo => simso::write(scenario),
            Format::RtApp => crate::launch::Launcher::RtApp.write(scenario),
            Format::Csv => csv::write(scenario),
        }
    }
}

impl Scenario {
    /// This scenario with as many processors as its tasks name, and the scheduler that this asks for.
    fn fitted(mut self) -> Scenario {
        if let Some(largest) = self.tasks.iter().filter_map(|task| task.processor).max() {
            self.platform.processors = largest.saturating_add(1);
            self.scheduler.name = Scheduler::of_order(EDF, true, Scope::Partitioned).name;
        }
        self
    }
}
