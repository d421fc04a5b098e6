//! The formats of other tools. What a format can hold is read and written exactly, and what it cannot hold is listed.
//!
//! Reading gives a scenario and a list of what the file says that schedlab has no place for; a loss that could make an
//! answer too good is refused until the caller ignores it ([`crate::loss`]). Writing gives the text and a list of what
//! the format has no place for. Nothing is dropped in silence; times are decimal, never rounded: a time that the format
//! cannot write is an error.

mod columns;
pub mod csv;
mod csv_written;
pub mod kernel_fifo;
mod measured;
mod rows;
pub mod rt_app;
pub mod sag;
pub mod schedcat;
pub mod schedcat_overheads;
mod schedcat_resources;
pub mod simso;
mod simso_surroundings;
mod spread;
mod xml;

pub use crate::converted::Converted;
pub use crate::loss::{Ignored, Imported, Loss, LossKind};

use crate::check;
use crate::error::{Error, Errors, Location, Problem};
use crate::fault::{error_of, Fault, Part};
use crate::foreign::{self, Wanted};
use crate::scenario::Scenario;
use schedlab_policy::{Scheduler, Scope, EDF};

/// Checks a scenario whose tasks stand at these places of a file.
fn checked(scenario: Scenario, places: &[Location]) -> Result<Scenario, Errors> {
    checked_by(scenario, |task, _| places.get(task).cloned())
}

/// Checks a scenario; `place` gives the place of a task's field.
fn checked_by(
    scenario: Scenario,
    place: impl Fn(usize, &str) -> Option<Location>,
) -> Result<Scenario, Errors> {
    let error = |fault: Fault| {
        let place = match fault.part {
            Part::Task(index) => place(index, fault.field),
            Part::Step(index, _) => place(index, ""),
            Part::File
            | Part::Platform
            | Part::Scheduler
            | Part::Resource(_)
            | Part::Supertask(_)
            | Part::Server(_) => place(0, ""),
        };
        Error { place, ..error_of(fault) }
    };
    Errors::check(check::faults(&scenario).into_iter().map(error).collect())?;
    Ok(scenario)
}

/// The name of a task that has none in its file.
fn default_name(index: usize) -> String {
    format!("task{index}")
}

/// Error: a time that a format cannot write.
fn unwritable(task: usize, field: &str, value: impl std::fmt::Display, allowed: &str) -> Error {
    let problem = Problem::refused(value, "cannot be written in this format", allowed);
    Error { place: None, field: format!("task[{task}].{field}"), problem }
}

/// A format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// SchedCAT's XML, see [`schedcat`].
    SchedCat,
    /// SimSo's XML, see [`simso`].
    SimSo,
    /// rt-app's JSON, see [`rt_app`]; written by [`crate::launch`].
    RtApp,
    /// A table in CSV, see [`csv`].
    Csv,
}

impl Format {
    /// The format of a file by its content, or else by its name's ending; `None` for a scenario file.
    pub fn of(file: &str, bytes: &[u8]) -> Option<Format> {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(foreign::LOOKED_AT)]);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
        if text.starts_with('<') || ending == "xml" {
            let is_simso = foreign::root_of(text) == Some(simso::ROOT);
            return Some(if is_simso { Format::SimSo } else { Format::SchedCat });
        }
        match ending.as_str() {
            _ if foreign::after_comments(text).starts_with('{') => Some(Format::RtApp),
            "json" => Some(Format::RtApp),
            "csv" => Some(Format::Csv),
            _ => None,
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
        if let Some(server) = scenario.servers.first() {
            let value = format!("\"{}\"", server.name);
            let why =
                "is a budget server, and the format has no place for it: its clients would be ordinary tasks";
            let problem = Problem::refused(value, why, "toml, or a scenario without [[server]]");
            return Err(Errors::one(None, "server", problem));
        }
        match self {
            Format::SchedCat => schedcat::write(scenario),
            Format::SimSo => simso::write(scenario),
            Format::RtApp => {
                let allowed =
                    || Problem::refused(scenario.protocol_name(), "is the user's own", "a known one");
                let known =
                    scenario.known_protocol().ok_or_else(|| Errors::one(None, "protocol", allowed()))?;
                crate::launch::Launcher::RtApp.write(scenario, &scenario.composed(known), &[])
            }
            Format::Csv => csv_written::write(scenario),
        }
    }
}

impl Scenario {
    /// Sets as many processors as the tasks name, and the scheduler that this asks for.
    fn fitted(mut self) -> Scenario {
        if let Some(largest) = self.tasks.iter().filter_map(|task| task.processor).max() {
            self.platform.processors = largest.saturating_add(1);
            self.scheduler.name = Scheduler::of_order(EDF, true, Scope::Partitioned).name;
        }
        self
    }
}
