//! `schedlab-rt run`.

mod progress;

use self::progress::Progress;
use crate::failure::{Failure, INTERRUPTED};
use crate::interrupts::stopped_by_signals;
use crate::{output, parent};
use clap::Args;
use schedlab_account::Witnessed;
use schedlab_lab::{Catalog, Overrides, Prepared, Spare};
use schedlab_measure::Dispatch;
use schedlab_runtime::program::fair_server;
use schedlab_runtime::program::findings::{Findings, UNPRIVILEGED};
use schedlab_runtime::program::results::{RunFindings, RunJobs};
use schedlab_runtime::program::trace::{self, RealTrace};
use schedlab_runtime::program::workload::{self, Burner, Programs};
use schedlab_runtime::program::{by_kernel, kernel_trace, lanes, system, whole_file};
use schedlab_runtime::{
    Architecture, BackendChoice, Decides, Ending, Enforcement, Options, Outcome, SMALLEST_STACK, STACK,
};
use schedlab_scenario::interchange::Ignored;
use schedlab_scenario::{bytes, Scenario, Workload};
use schedlab_trace::Backend;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The scenario to run, and the outputs to write.
#[derive(Args)]
pub struct RunArguments {
    /// The scenario's file.
    scenario: PathBuf,
    /// Facts of another tool's file that are left out, such as "speed,overheads", although answers may be too good
    /// without them.
    #[arg(long, value_delimiter = ',')]
    ignore: Vec<String>,
    /// The scheduler, instead of the scenario's.
    #[arg(long)]
    scheduler: Option<String>,
    /// The locking protocol, instead of the scenario's.
    #[arg(long)]
    protocol: Option<String>,
    /// The workload of all tasks, instead of their own: compute, writes, reads or backtest.
    #[arg(long)]
    workload: Option<String>,
    /// The working set of all tasks, such as "64 KiB"; with --workload.
    #[arg(long, requires = "workload")]
    working_set: Option<String>,
    /// How long to run, such as "5s"; the scenario's horizon otherwise.
    #[arg(long)]
    duration: Option<String>,
    /// The file to write the trace to.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// The file to write the run to for ui.perfetto.dev: processors by the tracer, and again by the kernel.
    #[arg(long)]
    perfetto: Option<PathBuf>,
    /// Check the trace, the replay and what the kernel says that ran; fails if anything is wrong.
    #[arg(long)]
    check: bool,
    /// The number of ordinary threads that compute all the time beside the tasks; the output says how much they got.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1000))]
    background: u16,
    /// The stack of each task's thread, such as "8 MiB"; 2 MiB otherwise. All of it is locked in memory during the run.
    #[arg(long)]
    stack: Option<String>,
    /// Refused with what a user does instead: runs do not switch the kernel's fair server off.
    #[arg(long, hide = true)]
    lift_fair_server: bool,
    /// The backend, which makes decisions true: threads, scx (a scheduler in the kernel, Linux 6.12 or later),
    /// scx-native (one that decides by itself), class (SCHED_FIFO and SCHED_DEADLINE alone), or auto (scx,
    /// else threads). Otherwise threads, and class for the kernel's schedulers.
    #[arg(long, value_parser = backend)]
    backend: Option<BackendChoice>,
    /// The time of each second that other threads have on each of the scenario's processors, with scx; 50 ms otherwise.
    #[arg(long)]
    reserve: Option<String>,
    #[command(flatten)]
    dispatch: Dispatch,
    /// Run without real-time priorities: nothing is promised, and every output says so.
    #[arg(long)]
    unprivileged: bool,
    /// The scenario's overheads are there to enlarge weights: say so where the scheduler gives none.
    #[arg(long, hide = true)]
    inflate: bool,
    /// Stop when the process that started this one is gone.
    #[arg(long, hide = true)]
    with_parent: bool,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
    /// Exit with status 1 if a deadline was missed, else with 5 if no job came to its end.
    #[arg(long)]
    strict: bool,
}

/// The exit status of a strict command whose answer is unknown.
const UNKNOWN: u8 = 5;

/// Answer of a run to `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    findings: &'a RunFindings,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    left_out: &'a [String],
}

/// Returns the notes of this run for the header of its trace.
fn notes(arguments: &RunArguments) -> Vec<(&'static str, &'static str)> {
    let warning = arguments.unprivileged.then_some(("warning", UNPRIVILEGED));
    let still = arguments.dispatch.architecture == Architecture::StopTheWorld;
    warning.into_iter().chain(still.then_some(("architecture", "stop-the-world"))).collect()
}

/// Runs the scenario. Exits with 1 if a check fails, or as `--strict` says.
pub fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    if arguments.lift_fair_server {
        return Err(format!("runs do not lift the kernel's fair server: {}", fair_server::BY_HAND).into());
    }
    let scenario = scenario(arguments)?;
    let prepared = Prepared::new(&scenario).map_err(|error| error.to_string())?;
    let burner = Burner::calibrate();
    let programs = Programs::of(&scenario.tasks);
    let bodies = workload::bodies(&prepared, burner, &programs)?;
    let options = options(arguments, &scenario)?;
    let mut system = system::system(&prepared, bodies, &options)?;
    if let Decides::Engine { enforcement: Enforcement::Gates { declined: Some(why) }, .. } = &system.decides {
        eprintln!("schedlab-rt: --backend auto runs threads: {why}. Without it, {}", by_kernel::WITHOUT);
    }
    system.background = (0..arguments.background).map(|_| workload::endless(burner)).collect();
    let stop = stopped_by_signals()?;
    parent::stop_with(&stop, arguments.with_parent)?;
    if arguments.unprivileged {
        eprintln!("schedlab-rt: {UNPRIVILEGED}");
    }
    if let Some(overflow) = prepared.overflow() {
        eprintln!("schedlab-rt: {overflow}");
    }
    match Spare::of(&prepared) {
        Some(spare) => tell(&spare),
        None if arguments.inflate => {
            let name = &prepared.scheduler.name;
            eprintln!("schedlab-rt: --inflate enlarges nothing: {name} gives tasks no weights");
        }
        None => {}
    }
    for path in arguments.out.iter().chain(&arguments.perfetto) {
        whole_file::may_be_written(path).map_err(|error| Failure::unwritten(path, &error))?;
    }
    let backend = system.decides.backend();
    let keep = arguments.out.as_ref().map(|path| trace::keep(path, &prepared, backend, &notes(arguments)));
    let options = Options { keep, ..options };
    let outcome = schedlab_runtime::run(system, &options, &stop)?;
    let real = RealTrace::of(
        &prepared,
        &outcome,
        &trace::threads(&outcome),
        arguments.unprivileged,
        &notes(arguments),
    );
    let mut progress = Progress::begin();
    let tell = &mut |what: &str| progress.at(what);
    let findings = Findings::of(&prepared, &outcome, &real.run, arguments.check, tell);
    drop(progress);
    let findings = findings.map_err(|error| error.to_string())?.with_programs(programs.completions());
    let answer = Answer { findings: findings.result(), left_out: &scenario.all_left_out() };
    let text = if arguments.json { output::json(&answer)? } else { findings.to_string() };
    output::say(&text)?;
    write_files(arguments, &prepared, &outcome, &real, findings.account.kernel.as_ref())?;
    Ok(match outcome.ending {
        Ending::Stopped if !findings.is_whole() => ExitCode::from(INTERRUPTED),
        Ending::Horizon | Ending::Stopped if findings.holds() => status(arguments, &findings.result().jobs),
        Ending::Horizon
        | Ending::Stopped
        | Ending::Crashed(_)
        | Ending::Starved
        | Ending::StoodStill
        | Ending::Ejected => ExitCode::FAILURE,
    })
}

/// Returns the exit status of a run of which every check holds, from what happened to its `jobs`.
fn status(arguments: &RunArguments, jobs: &RunJobs) -> ExitCode {
    match jobs {
        _ if !arguments.strict => ExitCode::SUCCESS,
        RunJobs { missed: 1.., .. } => ExitCode::FAILURE,
        RunJobs { completed: 0, .. } => ExitCode::from(UNKNOWN),
        RunJobs { .. } => ExitCode::SUCCESS,
    }
}

/// Returns the options of the run, but for the records to keep.
fn options(arguments: &RunArguments, scenario: &Scenario) -> Result<Options, Failure> {
    let mut options = Options {
        unprivileged: arguments.unprivileged,
        stack: stack(arguments)?,
        interrupts: workload::allocates_nothing(&scenario.tasks),
        backend: arguments.backend,
        ..Options::default()
    };
    if let Some(text) = &arguments.reserve {
        if !matches!(
            arguments.backend,
            Some(BackendChoice::Only(Backend::Scx | Backend::ScxNative) | BackendChoice::Auto)
        ) {
            return Err(Failure::Input("--reserve is for --backend scx, scx-native, or auto".to_owned()));
        }
        options.reserve = reserve(text)?;
    }
    Ok(arguments.dispatch.with(options))
}

/// Reads the part of each second that other threads have.
fn reserve(text: &str) -> Result<Duration, Failure> {
    let length = schedlab_scenario::duration(text).map_err(|why| format!("--reserve {text}: {why}"))?;
    Ok(Duration::from_nanos(length.as_ns()))
}

/// Reads the name of a backend.
fn backend(text: &str) -> Result<BackendChoice, String> {
    let known = BackendChoice::NAMED.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
    known.ok_or_else(|| {
        let names: Vec<&str> = BackendChoice::NAMED.iter().map(|(name, _)| *name).collect();
        format!("allowed: {}", names.join(", "))
    })
}

/// Reports the slack of Pfair weights, before threads run with them.
fn tell(spare: &Spare) {
    let said = spare.to_string();
    if said.is_empty() {
        return;
    }
    let word = if spare.is_missing() { "warning: " } else { "" };
    eprintln!("schedlab-rt: {word}{}", said.replace('\n', "\n  "));
}

/// Writes the traces and the lanes to the files that were asked for.
fn write_files(
    arguments: &RunArguments,
    prepared: &Prepared,
    outcome: &Outcome,
    real: &RealTrace,
    kernel: Option<&Witnessed>,
) -> Result<(), Failure> {
    let failed = |path: &Path, error: io::Error| Failure::unwritten(path, &error);
    if let Some(path) = &arguments.out {
        real.write(path, outcome).map_err(|error| failed(path, error))?;
        kernel_trace::write_beside(path, prepared, real, kernel)
            .map_err(|error| failed(&kernel_trace::path_beside(path), error))?;
    }
    if let Some(path) = &arguments.perfetto {
        lanes::write(path, prepared, real).map_err(|error| failed(path, error))?;
    }
    Ok(())
}

/// The stack of each task's thread, in bytes.
fn stack(arguments: &RunArguments) -> Result<usize, String> {
    let Some(text) = &arguments.stack else { return Ok(STACK) };
    let size = bytes(text).map_err(|why| format!("--stack {text}: {why}"))?;
    match usize::try_from(size) {
        Ok(size) if size >= SMALLEST_STACK => Ok(size),
        Ok(_) => Err(format!(
            "--stack {text}: a thread needs more; allowed: at least {} KiB",
            SMALLEST_STACK >> 10
        )),
        Err(error) => Err(format!("--stack {text}: {error}")),
    }
}

fn scenario(arguments: &RunArguments) -> Result<Scenario, String> {
    let RunArguments { scheduler, protocol, duration, .. } = arguments;
    let length =
        |text: &String| schedlab_scenario::duration(text).map_err(|why| format!("--duration {text}: {why}"));
    let changes = Overrides {
        scheduler: scheduler.clone(),
        protocol: protocol.clone(),
        workload: work(arguments)?,
        horizon: duration.as_ref().map(length).transpose()?,
        ..Overrides::default()
    };
    let ignored =
        Ignored::of(arguments.ignore.iter().map(String::as_str)).map_err(|errors| errors.to_string())?;
    let read = Scenario::read_ignoring(&arguments.scenario, &ignored).map_err(|errors| errors.to_string())?;
    let given = changes.apply(read.value, &Catalog::shipped()).map_err(|error| error.to_string())?;
    // A program that starts this one has said it.
    if !arguments.with_parent {
        given.all_left_out().iter().for_each(|line| eprintln!("schedlab-rt: left out of {line}"));
    }
    Ok(given)
}

/// Returns the workload of all tasks, and their working set.
fn work(arguments: &RunArguments) -> Result<Option<(Workload, Option<u64>)>, String> {
    let Some(text) = &arguments.workload else { return Ok(None) };
    let workload = Workload::parse(text)
        .map_err(|why| format!("--workload {text}: {why}; allowed: {}", Workload::ALLOWED))?;
    let size = |text: &String| bytes(text).map_err(|why| format!("--working-set {text}: {why}"));
    Ok(Some((workload, arguments.working_set.as_ref().map(size).transpose()?)))
}
