//! Why a measurement fails.

use schedlab_runtime::Refusal;
use std::io;
use std::path::{Path, PathBuf};

/// What ends a measurement.
#[derive(Debug)]
pub enum Failure {
    /// What the user asked, or what this machine answers to it.
    Input(String),
    /// A file that cannot be written.
    Unwritten(PathBuf, io::Error),
    /// The machine does not let it measure.
    Refused(Refusal),
}

impl Failure {
    pub(crate) fn unwritten(path: &Path, error: io::Error) -> Self {
        Failure::Unwritten(path.to_owned(), error)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Input(message)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}
