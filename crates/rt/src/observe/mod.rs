//! `schedlab-rt observe`: what a running program does, as a scenario.
//!
//! The kernel's context switches say when each thread ran and whether it gave up its processor or lost it. A thread that gave it
//! up and gets it again was woken in between: at most its scheduling latency before.

mod account;
mod scenario;
mod threads;
mod waits;

use crate::failure::{Failure, CANNOT_RUN, INTERRUPTED};
use crate::output;
use clap::Args;
use schedlab_report::files::reason;
use schedlab_runtime::program::whole_file;
use schedlab_runtime::{stolen, sys, SwitchListener, Switched};
use schedlab_scenario::duration;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::stderr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;
use waits::Waits;

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

/// How often the kernel's rings are read, and threads looked at, in nanoseconds.
const LOOK: u64 = 20_000_000;
/// By how much looks are apart from that, in turn: a thread of the same period would always be seen doing the same.
const UNEVEN: [u64; 5] = [0, 1_300_000, 4_700_000, 2_900_000, 6_100_000];

/// The exit status where nothing that was seen can be a task.
const NOTHING: u8 = 1;

/// What was seen of a program.
#[derive(Debug, Default)]
pub struct Seen {
    /// From when on and until when, by the monotonic clock.
    pub begin: u64,
    pub end: u64,
    /// By the kernel's number.
    pub threads: BTreeMap<i32, Thread>,
    /// Of those threads, by time.
    pub switches: Vec<Switched>,
    /// Switches that the kernel could not write.
    pub lost: u64,
    /// The processors that were observed, by the machine's numbers.
    pub processors: Vec<usize>,
    /// What the host took from them meanwhile; nothing if the kernel does not say.
    pub stolen: Option<u64>,
}

/// A thread, as the kernel describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    pub name: String,
    /// Its real-time priority, 0 if it has none.
    pub priority: u8,
    /// The processors to which it is bound, by the machine's numbers.
    pub processors: Vec<usize>,
    /// What it was found waiting for.
    pub waits: Waits,
    /// For how long it has waited for a processor: when it was first and last looked at.
    pub delay: Option<(u64, u64)>,
}

/// Observes. Exits with 3 if the kernel may not be asked.
pub fn observe(arguments: &ObserveArguments) -> Result<ExitCode, Failure> {
    let length =
        duration(&arguments.duration).map_err(|why| format!("--duration {}: {why}", arguments.duration))?;
    let processors = sys::allowed_processors().map_err(|error| format!("asking for processors: {error}"))?;
    let listener = match SwitchListener::listen(&processors) {
        Ok(listener) => listener,
        Err(error) => {
            eprintln!(
                "schedlab-rt: the kernel does not say what runs ({}): run as root, or give schedlab-rt CAP_PERFMON \
                 (setcap cap_perfmon+ep)",
                reason(&error)
            );
            return Ok(ExitCode::from(CANNOT_RUN));
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&stop)).map_err(|error| format!("catching signals: {error}"))?;
    }
    let mut child = start(&arguments.command)?;
    let root = child.as_ref().map_or(arguments.pid.unwrap_or_default(), |child| child.id() as i32);
    if !is_there(root) {
        return Err(format!("--pid {root}: there is no such process").into());
    }
    let seen = watch(listener, &processors, root, &mut child, length.as_ns(), &stop);
    if let Some(child) = child {
        end(child);
    }
    let what =
        if arguments.command.is_empty() { format!("process {root}") } else { arguments.command.join(" ") };
    let scenario = match scenario::of(&seen, &what) {
        Ok(scenario) => scenario,
        Err(why) => {
            eprintln!("schedlab-rt: {why}");
            return Ok(ExitCode::from(NOTHING));
        }
    };
    let text = scenario.to_toml();
    match &arguments.out {
        Some(path) => {
            whole_file::write(path, &text).map_err(|error| Failure::unwritten(path, &error))?;
            eprintln!("{}", scenario.notes);
        }
        None => output::say(&text)?,
    }
    Ok(if stop.load(SeqCst) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// A command that goes on is told to end, as it would be at a terminal, and is waited for.
fn end(mut child: Child) {
    if child.try_wait().is_ok_and(|status| status.is_none()) {
        let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        let _ = child.wait();
    }
}

fn start(command: &[String]) -> Result<Option<Child>, String> {
    let Some((program, rest)) = command.split_first() else { return Ok(None) };
    Command::new(program)
        .args(rest)
        .stdout(stderr())
        .spawn()
        .map(Some)
        .map_err(|error| format!("{program}: {}", reason(&error)))
}

fn is_there(process: i32) -> bool {
    // One that has ended and that its parent has not waited for is not.
    let status = fs::read_to_string(format!("/proc/{process}/status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

/// How much the host has taken from these processors, in nanoseconds.
fn stolen_of(processors: &[usize]) -> Option<u64> {
    let all = stolen();
    processors.iter().map(|processor| all.get(processor).map(|length| length.as_ns())).sum()
}

fn watch(
    mut listener: SwitchListener,
    allowed: &[usize],
    root: i32,
    child: &mut Option<Child>,
    ns: u64,
    stop: &AtomicBool,
) -> Seen {
    let (begin, before) = (sys::monotonic_ns(), stolen_of(allowed));
    let mut seen = Seen { begin, ..Seen::default() };
    let mut processes = BTreeSet::from([root]);
    let mut uneven = UNEVEN.iter().cycle();
    loop {
        look(&mut processes, &mut seen.threads);
        let ended = match child {
            Some(child) => child.try_wait().is_ok_and(|status| status.is_some()),
            None => !is_there(root),
        };
        listener.read();
        seen.switches
            .extend(listener.take().into_iter().filter(|switch| processes.contains(&switch.process)));
        if ended || stop.load(SeqCst) || sys::monotonic_ns() >= begin + ns {
            break;
        }
        sys::sleep_until(sys::monotonic_ns() + LOOK + uneven.next().expect("it has no end"));
    }
    let (rest, lost) = listener.finish();
    seen.end = sys::monotonic_ns();
    seen.processors = allowed.to_vec();
    seen.stolen = before.zip(stolen_of(allowed)).map(|(before, after)| after.saturating_sub(before));
    seen.switches.extend(rest.into_iter().filter(|switch| processes.contains(&switch.process)));
    seen.switches.sort_by_key(|switch| (switch.at, switch.to));
    seen.lost = lost;
    seen
}

/// Finds the processes that these have started, and looks at all their threads.
fn look(processes: &mut BTreeSet<i32>, threads: &mut BTreeMap<i32, Thread>) {
    let mut found: Vec<i32> = processes.iter().copied().collect();
    while let Some(process) = found.pop() {
        for entry in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
            let Ok(thread) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
            let folder = entry.path();
            look_at(threads, thread, &folder);
            let children = fs::read_to_string(folder.join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|word| word.parse().ok()) {
                if processes.insert(child) {
                    found.push(child);
                }
            }
        }
    }
}

/// A thread that ends gives its priority and processors back; it counts as what it was.
fn look_at(threads: &mut BTreeMap<i32, Thread>, thread: i32, folder: &Path) {
    let read = |file| fs::read_to_string(folder.join(file)).unwrap_or_default();
    let name = read("comm").trim().to_owned();
    if name.is_empty() {
        return;
    }
    let known = threads.entry(thread).or_default();
    known.name = name;
    known.priority = sys::priority_of(thread).unwrap_or(0).max(known.priority);
    let status = read("status");
    if let Some(list) = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")) {
        known.processors = numbers(list);
    }
    // Time on a processor, time waiting for one, and how often.
    if let Some(delay) = read("schedstat").split_whitespace().nth(1).and_then(|word| word.parse().ok()) {
        known.delay = Some((known.delay.map_or(delay, |(first, _)| first), delay));
    }
    known.waits.add(waits::look(folder));
}

/// The numbers of a list such as `0-2,5`.
fn numbers(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(numbers("\t0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(numbers("3"), [3]);
    }
}
