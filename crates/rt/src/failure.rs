//! Reasons why a command fails, with their exit statuses.

use schedlab_measure::NotMeasured;
use schedlab_report::files::reason;
use schedlab_runtime::{AppError, Refusal};
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The exit status of a run or a measurement that was interrupted.
pub const INTERRUPTED: u8 = 130;

/// Reason for the end of a command.
#[derive(Debug)]
pub enum Failure {
    /// The user's input is wrong, or this machine does not suit it.
    Input(String),
    /// An answer cannot be written.
    Output(String),
    /// The machine does not allow the command.
    Refused(String),
}

impl Failure {
    /// A file that cannot be written.
    pub fn unwritten(path: &Path, error: &io::Error) -> Self {
        Failure::Output(format!("{}: {}", path.display(), reason(error)))
    }

    /// Prints the message to standard error and returns the exit status. The statuses are those of `schedlab`.
    pub fn exit(&self) -> ExitCode {
        let (message, status) = match self {
            Failure::Input(message) => (message, 2),
            Failure::Output(message) => (message, 4),
            Failure::Refused(message) => (message, 3),
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

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal.is_of_input() {
            true => Failure::Input(refusal.to_string()),
            false => Failure::Refused(refusal.to_string()),
        }
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Refused(refusal) => refusal.into(),
            AppError::Trace(path, error) => Failure::unwritten(&path, &error),
            AppError::Scenario(_)
            | AppError::Prepare(_)
            | AppError::NoTask(_)
            | AppError::NoCode(_)
            | AppError::EventDriven(..)
            | AppError::Follows(_)
            | AppError::NoSuch(..)
            | AppError::Sections(..)
            | AppError::Dependencies(_)
            | AppError::OtherProcess => Failure::Input(error.to_string()),
        }
    }
}

impl From<NotMeasured> for Failure {
    fn from(failure: NotMeasured) -> Self {
        match failure {
            NotMeasured::Input(message) => Failure::Input(message),
            NotMeasured::Unwritten(path, error) => Failure::unwritten(&path, &error),
            NotMeasured::Refused(refusal) => refusal.into(),
        }
    }
}
