//! Why a program's tasks cannot be run.

use crate::machine::refusal::Refusal;
use schedlab_lab::PrepareError;
use schedlab_model::Duration;
use schedlab_report::files::reason;
use schedlab_scenario::Errors;
use std::io;
use std::path::PathBuf;

/// The error that a program's tasks cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The scenario is not valid.
    #[error(transparent)]
    Scenario(Errors),
    /// The scheduler or the protocol does not take these tasks.
    #[error(transparent)]
    Prepare(PrepareError),
    /// The machine refuses the run.
    #[error(transparent)]
    Refused(Refusal),
    /// The scenario has no task of this name.
    #[error("task \"{0}\" does not exist: allowed are the scenario's")]
    NoTask(String),
    /// The program gives this task no code.
    #[error("task \"{0}\" has no code: say for each task of the scenario what it does")]
    NoCode(String),
    /// There is no such number of a task or resource.
    #[error("{0} {1} does not exist: allowed are the numbers that were given out")]
    NoSuch(&'static str, u32),
    /// The jobs of this task cannot be released by events, for this reason.
    #[error("task \"{0}\" cannot be event-driven: {1}")]
    EventDriven(String, &'static str),
    /// This task arrives like one that is event-driven.
    #[error(
        "task \"{0}\" arrives like an event-driven task, whose arrivals are not known before; allowed: arrivals of its own"
    )]
    Follows(String),
    /// The sections of this task are longer than its WCET, in nanoseconds.
    #[error("task \"{0}\": its sections are longer than its wcet of {time}, which includes them", time = Duration::from_ns(*.1))]
    Sections(String, u64),
    /// The scheduler ends deadlocks, and code of a program's own cannot go on without what it asked for.
    #[error(
        "{0} ends deadlocks by giving up a job that waits for a resource. Code of your own would then enter its section \
         without the resource. Allowed: `schedlab run`, tasks without requests, or another scheduler such as P-DASA-ND"
    )]
    Dependencies(String),
    /// A forked child of the process that set the tasks up calls.
    #[error(
        "another process has set this up: a forked child has no part in its run; allowed: a system of its own"
    )]
    OtherProcess,
    /// The trace cannot be written there.
    #[error("{path}: {}", reason(.1), path = .0.display())]
    Trace(PathBuf, io::Error),
}
