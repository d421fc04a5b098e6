//! Reading: from bytes to a checked scenario, or to everything that is wrong with them.

mod again;
mod machine;
mod memory;
mod program;
mod scenario;
mod supertask;
mod task;
mod utility;
mod weights;

pub use utility::{abort_handler_of as abort_handler, time_utility};

use crate::document::{from_disk, no_files, read_file, utf8, Loader};
use crate::error::Errors;
use crate::scenario::Scenario;
use std::path::Path;

impl Scenario {
    /// Reads the scenario file at `path`, and the overheads files that it names (beside it).
    pub fn read(path: &Path) -> Result<Scenario, Errors> {
        let file = path.to_string_lossy();
        Scenario::parse_with(&file, read_file(&file)?, &from_disk)
    }

    /// Reads a scenario from text that refers to no other file. `file` is its name in errors.
    pub fn parse(file: &str, text: &str) -> Result<Scenario, Errors> {
        Scenario::parse_with(file, text.as_bytes().to_vec(), &no_files)
    }

    /// Reads a scenario from bytes; `loader` gives the files that it refers to.
    pub fn parse_with(file: &str, bytes: Vec<u8>, loader: Loader<'_>) -> Result<Scenario, Errors> {
        let text = utf8(file, bytes)?;
        scenario::read(file, &text, loader)
    }
}
