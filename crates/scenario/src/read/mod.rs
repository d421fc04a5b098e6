//! Reading: from bytes to a checked scenario, or to everything that is wrong with them.

pub(crate) mod document;
pub(crate) mod machine;
pub(crate) mod origin;
pub(crate) mod overheads;
pub(crate) mod program;
pub(crate) mod scenario;
pub(crate) mod supertask;
mod table;
pub(crate) mod task;
pub(crate) mod value;
mod weights;

use crate::error::{Errors, Problem};
use crate::overheads::OverheadProfile;
use crate::scenario::Scenario;
use std::path::Path;

/// Gives the bytes of a file that an input refers to, or says why not.
pub type Loader<'l> = &'l dyn Fn(&str) -> Result<Vec<u8>, String>;

impl Scenario {
    /// Reads the scenario file at `path`, and the overheads files that it names (beside it).
    pub fn read(path: &Path) -> Result<Scenario, Errors> {
        let file = path.to_string_lossy();
        let bytes = from_disk(&file)
            .map_err(|why| Errors::one(None, "", Problem::Unreadable { value: file.to_string(), why }))?;
        Scenario::parse_with(&file, bytes, &from_disk)
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

impl OverheadProfile {
    /// Reads the overheads file at `path`, and those that it extends.
    pub fn read(path: &Path) -> Result<OverheadProfile, Errors> {
        let file = path.to_string_lossy();
        let bytes = from_disk(&file)
            .map_err(|why| Errors::one(None, "", Problem::Unreadable { value: file.to_string(), why }))?;
        OverheadProfile::parse_with(&file, bytes, &from_disk)
    }

    /// Reads an overheads file from bytes; `loader` gives the files that it extends.
    pub fn parse_with(file: &str, bytes: Vec<u8>, loader: Loader<'_>) -> Result<OverheadProfile, Errors> {
        let text = utf8(file, bytes)?;
        overheads::file(file, &text, loader, &[file.to_owned()])
    }
}

/// Reads the text of an overheads file that extends none but shipped ones.
pub(crate) fn overheads_text(file: &str, text: &str) -> Result<OverheadProfile, Errors> {
    overheads::file(file, text, &no_files, &[])
}

/// The bytes as text.
pub(crate) fn utf8(file: &str, bytes: Vec<u8>) -> Result<String, Errors> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let before = String::from_utf8_lossy(&bytes[..at]);
        let place = document::place(file, &before, before.len());
        Errors::one(Some(place), "", Problem::NotUtf8 { byte: bytes[at] })
    })
}

/// `name` in the folder that holds `file`.
pub(crate) fn beside(file: &str, name: &str) -> String {
    match Path::new(file).parent() {
        Some(folder) => folder.join(name).to_string_lossy().into_owned(),
        None => name.to_owned(),
    }
}

fn from_disk(file: &str) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        kind => kind.to_string(),
    })
}

fn no_files(_: &str) -> Result<Vec<u8>, String> {
    Err("this text cannot refer to files".to_owned())
}
