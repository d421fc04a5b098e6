//! `schedlab-rt run`.

use crate::burn::Burner;
use crate::{report, system, workload};
use clap::Args;
use schedlab_lab::Prepared;
use schedlab_model::Instant;
use schedlab_report::files::TraceWriter;
use schedlab_runtime::{Ending, Options, Outcome};
use schedlab_scenario::Scenario;
use schedlab_trace::Sink;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// What to run, and what to do with it.
#[derive(Args)]
pub struct Arguments {
    /// The scenario's file.
    scenario: PathBuf,
    /// Another scheduler than the scenario's.
    #[arg(long)]
    scheduler: Option<String>,
    /// Another locking protocol than the scenario's.
    #[arg(long)]
    protocol: Option<String>,
    /// How long to run, such as "5s"; the scenario's horizon otherwise.
    #[arg(long)]
    duration: Option<String>,
    /// Where to write the trace.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// Check the trace, the replay and what the kernel says that ran; fails if anything is wrong.
    #[arg(long)]
    check: bool,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

/// The exit status where the machine does not let it run.
const CANNOT_RUN: u8 = 3;
/// The exit status of a run that was interrupted.
const INTERRUPTED: u8 = 130;

/// Runs it. Exits with 1 if a check fails.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let scenario = scenario(arguments)?;
    let prepared = Prepared::new(&scenario).map_err(|error| error.to_string())?;
    let burner = Burner::calibrate();
    let bodies = workload::bodies(&prepared, burner)?;
    let system = system::system(&prepared, bodies).map_err(|error| error.to_string())?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&stop)).map_err(|error| format!("catching signals: {error}"))?;
    }
    let outcome = match schedlab_runtime::run(system, &Options::default(), &stop) {
        Ok(outcome) => outcome,
        Err(refusal) => {
            eprintln!("schedlab-rt: {refusal}");
            return Ok(ExitCode::from(CANNOT_RUN));
        }
    };
    if let Some(path) = &arguments.out {
        write(path, &prepared, &outcome).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let findings = report::findings(&prepared, &outcome, arguments.check)?;
    if arguments.json {
        println!("{:#}", findings.to_json());
    } else {
        print!("{findings}");
    }
    Ok(match outcome.ending {
        Ending::Stopped => ExitCode::from(INTERRUPTED),
        Ending::Horizon if findings.holds() => ExitCode::SUCCESS,
        Ending::Horizon | Ending::Crashed(_) | Ending::Starved => ExitCode::FAILURE,
    })
}

fn scenario(arguments: &Arguments) -> Result<Scenario, String> {
    let mut scenario = Scenario::read(&arguments.scenario).map_err(|errors| errors.to_string())?;
    if let Some(name) = &arguments.scheduler {
        scenario = scenario.with_scheduler(name).map_err(|errors| errors.to_string())?;
    }
    if let Some(name) = &arguments.protocol {
        scenario = scenario.with_protocol(name).map_err(|errors| errors.to_string())?;
    }
    if let Some(text) = &arguments.duration {
        let length = schedlab_scenario::duration(text).map_err(|why| format!("--duration {text}: {why}"))?;
        let horizon = Instant::from_ns(length.as_ns());
        scenario = scenario.with_horizon(horizon).map_err(|errors| errors.to_string())?;
    }
    Ok(scenario)
}

/// Writes the trace beside its place, then moves it there: a killed run leaves no half of it.
fn write(path: &Path, prepared: &Prepared, outcome: &Outcome) -> std::io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let header = report::header(prepared);
    let mut writer = TraceWriter::new(File::create(&unfinished)?, &header);
    for (at, record) in outcome.trace() {
        writer.record(at, record);
    }
    writer.finish()?.sync_all()?;
    fs::rename(&unfinished, path)
}
