//! The trace of a real run, as a file.

use crate::machine::sys;
use crate::program::fair_server;
use crate::program::whole_file;
use crate::record::keeper::Keep;
use crate::record::outcome::Outcome;
use schedlab_account::{
    overlong_sections, Class, RealRun, Threads, PRIORITIES, PROCESSORS, THREADS, WITHOUT_PRIORITIES,
};
use schedlab_lab::{Prepared, OVERLONG_SECTIONS};
use schedlab_model::Instant;
use schedlab_report::files::TraceWriter;
use schedlab_report::Context;
use schedlab_trace::{Backend, Header, Record, Sink};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Lines that are added to a header.
pub type Notes<'a> = [(&'a str, &'a str)];

/// The header of a trace of this machine's threads.
fn of_machine(prepared: &Prepared, backend: Backend, notes: &Notes<'_>) -> Header {
    let header = prepared
        .header_by(backend)
        .with("source", "threads on Linux")
        .with("clock", "CLOCK_MONOTONIC, nanoseconds from time zero")
        .with("machine", &machine())
        .with("fair_server", &fair_server());
    notes.iter().fold(header, |header, (name, text)| header.with(name, text))
}

/// The trace of a real run.
pub struct RealTrace {
    /// The header's lines that the kernel trace has, too.
    header: Header,
    /// The header's lines that only this trace has.
    own_header: Header,
    pub(crate) records: Vec<(Instant, Record)>,
    /// The run as its trace shows it.
    pub run: RealRun,
}

impl RealTrace {
    /// The trace of `outcome`, with the threads that ran beside its tasks, and these lines added to its header.
    pub fn of(
        prepared: &Prepared,
        outcome: &Outcome,
        threads: &Threads,
        unprivileged: bool,
        notes: &Notes<'_>,
    ) -> Self {
        let idle_states = if outcome.kept_awake { "kept shallow" } else { "as the machine has them" };
        let priorities = match outcome.backend {
            _ if unprivileged => WITHOUT_PRIORITIES,
            Backend::Scx | Backend::ScxNative => "sched_ext",
            Backend::Simulation | Backend::Threads | Backend::Class => "real-time",
        };
        let mut header = of_machine(prepared, outcome.backend, notes)
            .with("idle_states", idle_states)
            .with(PRIORITIES, priorities);
        let processors: Vec<String> = outcome.processors.iter().map(usize::to_string).collect();
        let own = [(PROCESSORS, processors.join(" ")), (THREADS, threads.to_text())];
        let with_own =
            |header: &Header| own.iter().fold(header.clone(), |header, (name, text)| header.with(name, text));
        let mut records = outcome.trace();
        let run = RealRun::of(prepared, &with_own(&header), records.iter().copied());
        let run = run.expect("a run's own trace is one of its scenario");
        if outcome.backend.is_kernel() {
            add_schedule(&mut records, &run);
        }
        if let Some(end) = outcome.kernel_scheduler.irregular_end() {
            header = header.with(SCHEDULER_END, end.name());
        }
        let overlong = Context::overlong_text(&overlong_sections(prepared, &run));
        if !overlong.is_empty() {
            header = header.with(OVERLONG_SECTIONS, &overlong);
        }
        let own_header = with_own(&header);
        RealTrace { header, own_header, records, run }
    }

    /// The lines of the header that the kernel trace has, too.
    pub(crate) fn shared_header(&self) -> Header {
        self.header.clone()
    }

    /// Writes the trace beside its place, then moves it there: a killed run leaves no half of it. Its keeper may go
    /// then.
    pub fn write(&self, path: &Path, outcome: &Outcome) -> io::Result<()> {
        write_records(path, &self.own_header, &self.records)?;
        if let Some(keeper) = &outcome.keeper {
            keeper.let_go();
        }
        Ok(())
    }
}

/// Adds the schedule of the tasks' threads where Linux decides.
fn add_schedule(records: &mut Vec<(Instant, Record)>, run: &RealRun) {
    let own = records.iter().filter(|(_, record)| matches!(record, Record::Run(_))).copied();
    let mut all: Vec<_> = run.schedule_of_kernel();
    all.extend(own);
    // What happens at an instant stays in its order, and the end is last.
    all.sort_by_key(|(at, record)| (*at, *record == Record::End));
    *records = all;
}

/// The threads that ran beside the tasks', asked for when the run has ended. A thread that is gone by now is missing.
pub fn threads(outcome: &Outcome) -> Threads {
    let own = std::process::id() as i32;
    let mut found = BTreeMap::new();
    for switch in outcome.switches.iter().flat_map(|(switches, _)| switches) {
        // The kernel's name of a thread that it does not know any more.
        let Ok(number) = u32::try_from(switch.thread) else { continue };
        if !found.contains_key(&number) && !outcome.threads.contains(&switch.thread) {
            found.insert(number, class_of(switch.thread, switch.process == own));
        }
    }
    Threads(found.into_iter().filter_map(|(number, known)| Some((number, known?))).collect())
}

/// The class and the name of a thread; nothing if it is gone. The runtime's own threads are gone by now, and known all
/// the same.
fn class_of(thread: i32, is_own: bool) -> Option<(Class, String)> {
    if is_own {
        return Some((Class::Own, String::new()));
    }
    let name = fs::read_to_string(format!("/proc/{thread}/comm")).ok()?;
    let class = match sys::priority_of(thread).ok()? {
        0 => Class::Ordinary,
        _ => Class::RealTime,
    };
    Some((class, name.trim().to_owned()))
}

/// The records to keep of a run by `backend` whose trace is to be at `path`, if its process does not live to write it.
pub fn keep(path: &Path, prepared: &Prepared, backend: Backend, notes: &Notes<'_>) -> Keep {
    let mut bytes = Vec::new();
    of_machine(prepared, backend, notes).with(PARTIAL, WHY_PARTIAL).encode(&mut bytes);
    Keep { path: path.to_owned(), header: bytes }
}

/// The name of the header's line that only the trace of a run has that did not end by itself.
const PARTIAL: &str = "partial";
const WHY_PARTIAL: &str =
    "the process of the run was gone before its end: these are the whole records until then; \
                           dispatches and preemptions are as decided";

/// The name of the header's line that says how the kernel's scheduler ended, if the run did not end it.
const SCHEDULER_END: &str = "scheduler_end";

/// How long, and how often, the kernel lets starved ordinary threads run over real-time ones, by processor.
fn fair_server() -> String {
    match fair_server::settings() {
        Ok(all) => {
            let of = |(cpu, runtime, period): &(String, u64, u64)| format!("{cpu} {runtime} of {period} ns");
            all.iter().map(of).collect::<Vec<_>>().join(", ")
        }
        Err(why) => format!("unknown: {why}"),
    }
}

/// The names of the kernel and the processor.
fn machine() -> String {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let release = read("/proc/sys/kernel/osrelease");
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("");
    let model = model.trim_start_matches([' ', '\t', ':']);
    format!("Linux {}, {model}", release.trim())
}

/// Writes a trace beside its place, then moves it there.
pub(crate) fn write_records(path: &Path, header: &Header, records: &[(Instant, Record)]) -> io::Result<()> {
    whole_file::fill(path, |file| {
        let mut writer = TraceWriter::new(file, header);
        for (at, record) in records {
            writer.record(*at, *record);
        }
        writer.finish()
    })
}
