//! Runs scenarios for real on a target machine, without Python: `schedlab-rt run SCENARIO`.

#![forbid(unsafe_code)]

mod doctor;
mod failure;
mod interrupts;
mod measure;
mod observe;
mod output;
mod parent;
mod run;

use clap::{Parser, Subcommand};
use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;
use std::process::ExitCode;
use std::sync::Arc;

/// What `--version` prints after the name: the version, and what was built in.
const LONG_VERSION: &str = if cfg!(feature = "kernel") {
    concat!(env!("CARGO_PKG_VERSION"), "\nbuilt with schedulers for the kernel (--backend scx)")
} else {
    concat!(env!("CARGO_PKG_VERSION"), "\nbuilt without schedulers for the kernel (--backend scx)")
};

/// Runs scenarios for real: threads on this machine under the scheduler and protocol that a scenario names.
#[derive(Parser)]
#[command(name = "schedlab-rt", version, long_version = LONG_VERSION)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scenario on this machine, and say what happened.
    Run(run::RunArguments),
    /// Turn what a running program does into a scenario.
    Observe(observe::ObserveArguments),
    /// Say what this machine can run, and what to change.
    Doctor(doctor::DoctorArguments),
    /// Measure the overheads of this machine, as an overheads file; or one thing, each value of it, as JSON.
    Measure(measure::MeasureArguments),
}

fn main() -> ExitCode {
    // A file that may not grow is told by the write: the signal would end the process without a word.
    let _ = flag::register(SIGXFSZ, Arc::default());
    let result = match CommandLine::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Observe(arguments) => observe::observe(&arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::Measure(arguments) => measure::measure(&arguments),
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.exit(),
    }
}
