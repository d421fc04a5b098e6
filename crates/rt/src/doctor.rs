//! `schedlab-rt doctor`: says what this machine can run, and what to change.

use crate::failure::Failure;
use crate::output;
use clap::Args;
use schedlab_measure::doctor as look;
use std::process::ExitCode;

/// How to print what was found.
#[derive(Args)]
pub struct DoctorArguments {
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

/// Looks at the machine. Exits with 3 if real runs are not possible.
pub fn doctor(arguments: &DoctorArguments) -> Result<ExitCode, Failure> {
    let found = look();
    let text = if arguments.json { output::json(&found)? } else { found.to_string() };
    output::say(&text)?;
    Ok(ExitCode::from(if found.is_able { 0 } else { 3 }))
}
