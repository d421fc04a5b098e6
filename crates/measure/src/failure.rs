//! Reasons why a measurement fails.

use schedlab_runtime::Refusal;
use std::io;
use std::path::{Path, PathBuf};

/// Reason for the end of a measurement.
#[derive(Debug)]
pub enum NotMeasured {
    /// The user's input is wrong, or this machine does not suit it.
    Input(String),
    /// A file that cannot be written.
    Unwritten(PathBuf, io::Error),
    /// The machine does not allow the measurement.
    Refused(Refusal),
}

impl NotMeasured {
    pub(crate) fn unwritten(path: &Path, error: io::Error) -> Self {
        NotMeasured::Unwritten(path.to_owned(), error)
    }
}

impl From<String> for NotMeasured {
    fn from(message: String) -> Self {
        NotMeasured::Input(message)
    }
}

impl From<Refusal> for NotMeasured {
    fn from(refusal: Refusal) -> Self {
        NotMeasured::Refused(refusal)
    }
}
