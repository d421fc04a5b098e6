//! Turns the behaviour of a running program, or a kernel trace of one, into a scenario: `schedlab-rt observe`.
//!
//! The kernel's context switches show when each thread ran and whether it gave up its processor or lost it. A thread
//! that gave it up and gets it again was woken in between: at most its scheduling latency before.

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

mod account;
mod file;
mod scenario;
mod seen;
mod threads;
mod waits;
mod watch;

pub use file::{read_trace, write_trace};
pub use schedlab_tracepoints::{Concluded, Examined, RecordingResult, Unit};

use schedlab_model::Duration;
use schedlab_report::files::reason;
use schedlab_runtime::{sys, SwitchListener};
use schedlab_scenario::Scenario;
use std::sync::atomic::AtomicBool;
use watch::{end, is_there, start, watch};

/// Program to observe, and for how long.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Process that runs already; 0 if a command is to be started.
    pub process: i32,
    /// Command to start, with its arguments. A command that goes on for longer is ended.
    pub command: Vec<String>,
    /// Length of the observation, which also ends with the program.
    pub length: Duration,
}

/// Reason why there is no scenario.
#[derive(Debug)]
pub enum NotObserved {
    /// The given program cannot be observed.
    Input(String),
    /// The kernel does not allow the observation.
    Refused(String),
    /// No observed thread can be a task.
    Nothing(String),
}

impl From<String> for NotObserved {
    fn from(message: String) -> Self {
        NotObserved::Input(message)
    }
}

/// Observes until the program or the length has ended, or `stop` is set.
pub fn observe(wanted: &Observation, stop: &AtomicBool) -> Result<Scenario, NotObserved> {
    let Observation { process, command, length } = wanted;
    let processors = sys::allowed_processors().map_err(|error| format!("asking for processors: {error}"))?;
    let listener = SwitchListener::listen(&processors).map_err(|error| {
        NotObserved::Refused(format!(
            "the kernel does not say what runs ({}): run as root, or give schedlab-rt CAP_PERFMON \
             (setcap cap_perfmon+ep)",
            reason(&error)
        ))
    })?;
    let mut child = start(command)?;
    let root = child.as_ref().map_or(*process, |child| child.id() as i32);
    if !is_there(root) {
        return Err(format!("--pid {root}: there is no such process").into());
    }
    let seen = watch(listener, &processors, root, &mut child, length.as_ns(), stop);
    if let Some(child) = child {
        end(child);
    }
    let what = if command.is_empty() { format!("process {root}") } else { command.join(" ") };
    scenario::of(&seen, &what).map_err(NotObserved::Nothing)
}
