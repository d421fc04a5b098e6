//! Reads a scenario from a file of schedlab or of another tool.

use crate::document::{from_disk, read_file, Loader};
use crate::error::Errors;
use crate::foreign::{self, Wanted};
use crate::interchange::Format;
use crate::loss::{Ignored, Imported};
use crate::scenario::Scenario;
use std::path::Path;

impl Scenario {
    /// Reads the file at `path`: a scenario, and the overheads files that it names (beside it), or a task set of
    /// another tool. A loss that could make an answer too good is an error.
    pub fn read(path: &Path) -> Result<Scenario, Errors> {
        Scenario::read_ignoring(path, &Ignored::default()).map(|read| read.value)
    }

    /// Reads the file at `path`, and lists what of it a scenario cannot hold. Losses of the kinds `ignored` are no
    /// errors.
    pub fn read_ignoring(path: &Path, ignored: &Ignored) -> Result<Imported<Scenario>, Errors> {
        let file = path.to_string_lossy();
        Scenario::import(&file, read_file(&file)?, &from_disk, ignored)
    }

    /// Reads the contents of `file`, and lists what of it a scenario cannot hold. `loader` gives the files that a
    /// scenario refers to, and losses of the kinds `ignored` are no errors.
    pub fn import(
        file: &str,
        bytes: Vec<u8>,
        loader: Loader<'_>,
        ignored: &Ignored,
    ) -> Result<Imported<Scenario>, Errors> {
        match Format::of(file, &bytes) {
            Some(format) => format.read(file, bytes, ignored),
            None => {
                foreign::refuse(file, &bytes, Wanted::Scenario)?;
                let value = Scenario::parse_with(file, bytes, loader)?;
                Ok(Imported { value, losses: Vec::new() })
            }
        }
    }
}
