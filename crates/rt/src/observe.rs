//! `schedlab-rt observe`: turns what a running program does into a scenario.

use crate::failure::{Failure, INTERRUPTED};
use crate::interrupts::stopped_by_signals;
use crate::output;
use clap::Args;
use schedlab_observe::{observe as look, NotObserved, Observation};
use schedlab_runtime::program::whole_file;
use schedlab_scenario::duration;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering::SeqCst;

/// What to observe, for how long, and where to write the scenario.
#[derive(Args)]
pub struct ObserveArguments {
    /// A process that runs already.
    #[arg(long, conflicts_with = "command", required_unless_present = "command")]
    pid: Option<i32>,
    /// How long; a command that ends earlier ends it, and one that does not is told to end.
    #[arg(long, default_value = "5s")]
    duration: String,
    /// Where to write the scenario; standard output otherwise. What the command prints goes to standard error.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// A command to start and observe.
    #[arg(last = true)]
    command: Vec<String>,
}

/// Exit status if no observed thread can be a task.
const NOTHING: u8 = 1;

/// Observes a program. Exits with 3 if the kernel does not allow it.
pub fn observe(arguments: &ObserveArguments) -> Result<ExitCode, Failure> {
    let ObserveArguments { pid, duration: text, out, command } = arguments;
    let length = duration(text).map_err(|why| format!("--duration {text}: {why}"))?;
    let wanted = Observation { process: pid.unwrap_or_default(), command: command.clone(), length };
    let stop = stopped_by_signals()?;
    let scenario = match look(&wanted, &stop) {
        Ok(scenario) => scenario,
        Err(NotObserved::Input(why)) => return Err(Failure::Input(why)),
        Err(NotObserved::Refused(why)) => return Err(Failure::Refused(why)),
        Err(NotObserved::Nothing(why)) => {
            eprintln!("schedlab-rt: {why}");
            return Ok(ExitCode::from(NOTHING));
        }
    };
    let text = scenario.to_toml();
    match out {
        Some(path) => {
            whole_file::write(path, &text).map_err(|error| Failure::unwritten(path, &error))?;
            eprintln!("{}", scenario.notes);
        }
        None => output::say(&text)?,
    }
    Ok(if stop.load(SeqCst) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}
