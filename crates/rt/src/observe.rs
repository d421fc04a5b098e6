//! `schedlab-rt observe`: turns what a running program does, or a kernel trace, into a scenario.

use crate::failure::{Failure, INTERRUPTED};
use crate::interrupts::stopped_by_signals;
use crate::output;
use clap::Args;
use schedlab_observe::{
    observe as look, read_trace, write_trace, Concluded, NotObserved, Observation, RecordingResult, Unit,
};
use schedlab_runtime::program::whole_file;
use schedlab_scenario::{duration, Scenario};
use serde::Serialize;
use std::io::{stderr, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering::SeqCst;

/// The program or kernel trace to observe, and the file to write the scenario to.
#[derive(Args)]
pub struct ObserveArguments {
    /// A process that runs already.
    #[arg(long, conflicts_with_all = ["command", "file"], required_unless_present_any = ["command", "file"])]
    pid: Option<i32>,
    /// How long to observe; a command that ends earlier ends it, and one that does not is told to end.
    #[arg(long, default_value = "5s")]
    duration: String,
    /// The file to write the scenario to; standard output otherwise. What the command prints goes to standard error.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// A kernel trace to read: text of ftrace, trace-cmd or perf script, trace.dat, or a trace of Perfetto; - for
    /// standard input.
    #[arg(long, conflicts_with = "command")]
    file: Option<PathBuf>,
    /// The file to write the kernel trace to, as a trace of schedlab.
    #[arg(long, requires = "file")]
    trace: Option<PathBuf>,
    /// Unit of stamps that have none in the file: a time (ns) or a rate (2.45GHz).
    #[arg(long, requires = "file")]
    unit: Option<String>,
    /// Print the scenario, its notes, and all that the kernel trace says, as JSON.
    #[arg(long, requires = "file")]
    json: bool,
    /// A command to start and observe.
    #[arg(last = true)]
    command: Vec<String>,
}

/// Exit status if no observed thread can be a task.
const NOTHING: u8 = 1;

/// Observes a program, or reads a kernel trace. Exits with 3 if the kernel does not allow it.
pub fn observe(arguments: &ObserveArguments) -> Result<ExitCode, Failure> {
    match &arguments.file {
        Some(file) => of_file(arguments, file),
        None => of_program(arguments),
    }
}

fn of_program(arguments: &ObserveArguments) -> Result<ExitCode, Failure> {
    let ObserveArguments { pid, duration: text, out, command, .. } = arguments;
    let length = duration(text).map_err(|why| format!("--duration {text}: {why}"))?;
    let wanted = Observation { process: pid.unwrap_or_default(), command: command.clone(), length };
    let stop = stopped_by_signals()?;
    let scenario = match look(&wanted, &stop) {
        Ok(scenario) => scenario,
        Err(NotObserved::Nothing(why)) => {
            eprintln!("schedlab-rt: {why}");
            return Ok(ExitCode::from(NOTHING));
        }
        Err(failure) => return Err(failed(failure)),
    };
    write(&scenario, out.as_deref())?;
    Ok(if stop.load(SeqCst) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

fn failed(failure: NotObserved) -> Failure {
    match failure {
        NotObserved::Input(why) | NotObserved::Nothing(why) => Failure::Input(why),
        NotObserved::Refused(why) => Failure::Refused(why),
    }
}

fn write(scenario: &Scenario, out: Option<&Path>) -> Result<(), Failure> {
    let text = scenario.to_toml();
    match out {
        Some(path) => {
            whole_file::write(path, &text).map_err(|error| Failure::unwritten(path, &error))?;
            eprintln!("{}", scenario.notes);
            Ok(())
        }
        None => output::say(&text),
    }
}

/// What a kernel trace says, as `--json` prints it.
#[derive(Serialize)]
struct Answer<'a> {
    /// The scenario as text; null if no thread can be a task.
    scenario: Option<String>,
    notes: &'a [String],
    recording: &'a RecordingResult,
    /// Path of the trace of schedlab, if one was asked for.
    trace: Option<&'a Path>,
}

fn of_file(arguments: &ObserveArguments, file: &Path) -> Result<ExitCode, Failure> {
    let ObserveArguments { out, trace, unit, json, .. } = arguments;
    let wrong = |text: &String| {
        format!("--unit {text}: no unit of stamps; allowed: a part of a second such as ns, or a rate such as 2.45GHz")
    };
    let unit = unit.as_ref().map(|text| Unit::parse(text).ok_or_else(|| wrong(text))).transpose()?;
    let mut shown = Progress::default();
    let examined = read_trace(file, unit, &mut |count, all| shown.show(count, all));
    shown.clear();
    let examined = examined.map_err(failed)?;
    let name = if file == Path::new("-") { "standard input".to_owned() } else { name_of(file) };
    let Concluded { result, scenario, notes } = examined.concluded(&name);
    if let Some(path) = trace {
        let tasks = examined.tasks(&name).ok_or_else(|| {
            let file = file.display();
            format!("--trace: {file}: without times and context switches there is no trace; leave --trace out to see what is known")
        })?;
        write_trace(&examined, &tasks, &name, path).map_err(|error| Failure::unwritten(path, &error))?;
        let left_out = tasks.left_out;
        if left_out > 0 {
            eprintln!(
                "schedlab-rt: the trace leaves out the {left_out} threads that ran for the shortest times"
            );
        }
    }
    if *json {
        let text = scenario.as_ref().map(Scenario::to_toml);
        let answer = Answer { scenario: text, notes: &notes, recording: &result, trace: trace.as_deref() };
        output::say(&output::json(&answer)?)?;
    } else if let Some(scenario) = &scenario {
        write(scenario, out.as_deref())?;
    } else {
        eprintln!("schedlab-rt: {}: {}", file.display(), notes.join("\n"));
    }
    Ok(if scenario.is_some() { ExitCode::SUCCESS } else { ExitCode::from(NOTHING) })
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

/// Bytes of a file between two lines of progress.
const STEP: u64 = 32 * 1024 * 1024;

/// Progress of reading, at a terminal.
#[derive(Default)]
struct Progress {
    /// Bytes at which the next line is due.
    next: u64,
    is_shown: bool,
}

impl Progress {
    fn show(&mut self, count: u64, all: Option<u64>) {
        if count < self.next {
            return;
        }
        self.next = count + STEP;
        if count < STEP || !stderr().is_terminal() {
            return;
        }
        let megabytes = count / 1_000_000;
        let part = all.filter(|all| *all > 0).map(|all| format!(" ({}%)", count.saturating_mul(100) / all));
        eprint!("\rreading: {megabytes} MB{}", part.unwrap_or_default());
        self.is_shown = stderr().flush().is_ok();
    }

    fn clear(&mut self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }
}
