//! Why a command fails, by whose fault; its exit status says it.

use std::io;
use std::path::Path;
use std::process::ExitCode;

/// What ends a command.
#[derive(Debug)]
pub enum Failure {
    /// What the user gave, or what this machine answers to it.
    Input(String),
    /// An answer cannot be written.
    Output(String),
}

impl Failure {
    /// A file that cannot be written.
    pub fn unwritten(path: &Path, error: &io::Error) -> Self {
        Failure::Output(format!("{}: {error}", path.display()))
    }

    /// The exit status, after the message went to standard error. The statuses are those of `schedlab`.
    pub fn exit(&self) -> ExitCode {
        let (message, status) = match self {
            Failure::Input(message) => (message, 2),
            Failure::Output(message) => (message, 4),
        };
        eprintln!("schedlab-rt: {message}");
        ExitCode::from(status)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Input(message)
    }
}
