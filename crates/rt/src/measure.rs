//! `schedlab-rt measure`: the overheads of this machine, as an overheads file; or one thing, as JSON.

use crate::failure::{Failure, INTERRUPTED};
use crate::interrupts::stopped_by_signals;
use crate::{output, parent};
use clap::Args;
use schedlab_measure::{one, whole, One, Whole};
use std::process::ExitCode;

/// The whole machine, or one measurement.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct MeasureArguments {
    #[command(subcommand)]
    one: Option<One>,
    #[command(flatten)]
    whole: Whole,
    /// Stop when the process that started this one is gone.
    #[arg(long, hide = true)]
    with_parent: bool,
}

/// Measures, and prints the files that it wrote or what it found.
pub fn measure(arguments: &MeasureArguments) -> Result<ExitCode, Failure> {
    if let Some(asked) = &arguments.one {
        output::say(&one(asked)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let stop = stopped_by_signals()?;
    parent::stop_with(&stop, arguments.with_parent)?;
    let Some([measurements, overheads]) = whole(&arguments.whole, &stop, &|line| eprintln!("{line}"))? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    output::say(&format!("{}\n{}\n", measurements.display(), overheads.display()))?;
    Ok(ExitCode::SUCCESS)
}
