//! Reading: from bytes to a checked scenario, or to all their errors.

mod again;
mod machine;
mod memory;
mod program;
mod scenario;
mod server;
mod supertask;
mod task;
mod utility;
mod weights;

pub use utility::{abort_handler_of as abort_handler, time_utility};

use crate::document::{no_files, utf8, Loader};
use crate::error::Errors;
use crate::scenario::Scenario;

impl Scenario {
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
