//! Sources of a file's bytes: the disk, or the caller.

use crate::error::{Errors, Problem};
use std::path::Path;

/// Returns the bytes of a file that an input refers to, or the reason why it cannot be read.
pub type Loader<'l> = &'l dyn Fn(&str) -> Result<Vec<u8>, String>;

/// The path of `name` in the folder that holds `file`.
pub(crate) fn beside(file: &str, name: &str) -> String {
    match Path::new(file).parent() {
        Some(folder) => folder.join(name).to_string_lossy().into_owned(),
        None => name.to_owned(),
    }
}

/// The bytes of `file`.
pub(crate) fn read_file(file: &str) -> Result<Vec<u8>, Errors> {
    from_disk(file).map_err(|why| Errors::one(None, "", Problem::unreadable(file, &why)))
}

pub(crate) fn from_disk(file: &str) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        kind => kind.to_string(),
    })
}

pub(crate) fn no_files(_: &str) -> Result<Vec<u8>, String> {
    Err("this text cannot refer to files".to_owned())
}
