//! Why a program's tasks cannot be run.

use schedlab_lab::PrepareError;
use schedlab_runtime::Refusal;
use schedlab_scenario::Errors;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a program's tasks cannot be run.
#[derive(Debug)]
pub enum AppError {
    /// The scenario is not one.
    Scenario(Errors),
    /// The scheduler or the protocol does not take these tasks.
    Prepare(PrepareError),
    /// The machine does not let it run.
    Refused(Refusal),
    /// The scenario has no task of this name.
    NoTask(String),
    /// Nobody said what this task does.
    NoCode(String),
    /// There is no such number of a task or resource.
    NoSuch(&'static str, u32),
    /// The sections of this task are longer than its WCET, in nanoseconds.
    Sections(String, u64),
    /// This protocol has operations begin anew.
    Repeats(String),
    /// A forked child of the process that set the tasks up asks.
    OtherProcess,
    /// The trace cannot be written there.
    Trace(PathBuf, io::Error),
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppError::Scenario(errors) => errors.fmt(f),
            AppError::Prepare(error) => error.fmt(f),
            AppError::Refused(refusal) => refusal.fmt(f),
            AppError::NoTask(name) => write!(f, "task \"{name}\" does not exist: allowed are the scenario's"),
            AppError::NoCode(name) => {
                write!(f, "task \"{name}\" has no code: say for each task of the scenario what it does")
            }
            AppError::NoSuch(what, number) => {
                write!(f, "{what} {number} does not exist: allowed are the numbers that were given out")
            }
            AppError::Sections(name, wcet) => {
                write!(
                    f,
                    "task \"{name}\": its sections are longer than its wcet of {wcet} ns, which includes them"
                )
            }
            AppError::Repeats(protocol) => {
                write!(
                    f,
                    "protocol {protocol} has operations begin anew, which no thread can be told to do: only a simulation can \
                     do that; allowed: any other protocol"
                )
            }
            AppError::OtherProcess => {
                f.write_str("another process has set this up: a forked child has no part in its run; allowed: a system of its own")
            }
            AppError::Trace(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for AppError {}
