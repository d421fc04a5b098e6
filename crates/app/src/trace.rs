//! The trace of a real run, as a file.

use crate::fair_server;
use crate::whole_file;
use schedlab_lab::Prepared;
use schedlab_model::Instant;
use schedlab_report::files::TraceWriter;
use schedlab_runtime::{Keep, Outcome};
use schedlab_trace::{Header, Record, Sink};
use std::fs;
use std::io;
use std::path::Path;

/// Lines that a header has besides.
pub type Notes<'a> = [(&'a str, &'a str)];

/// The name of the line that lists when ordinary threads ran over ready real-time ones.
pub const ORDINARY_OVER_REAL_TIME: &str = "ordinary_over_real_time";

/// The header of a trace of this machine's threads.
fn of_machine(prepared: &Prepared, notes: &Notes<'_>) -> Header {
    let header = prepared
        .header()
        .with("source", "threads on Linux")
        .with("clock", "CLOCK_MONOTONIC, nanoseconds from time zero")
        .with("machine", &machine())
        .with("fair_server", &fair_server());
    notes.iter().fold(header, |header, (name, text)| header.with(name, text))
}

/// The header of a real trace, with these lines besides.
pub fn header(prepared: &Prepared, outcome: &Outcome, notes: &Notes<'_>) -> Header {
    let idle_states = if outcome.kept_awake { "kept shallow" } else { "as the machine has them" };
    of_machine(prepared, notes).with("idle_states", idle_states)
}

/// What to keep of a run whose trace is to be at `path`, if its process does not live to write it.
pub fn keep(path: &Path, prepared: &Prepared, notes: &Notes<'_>) -> Keep {
    let mut bytes = Vec::new();
    of_machine(prepared, notes).with(PARTIAL, WHY_PARTIAL).encode(&mut bytes);
    Keep { path: path.to_owned(), header: bytes }
}

/// The name of the header's line that only the trace of a run has that did not end by itself.
const PARTIAL: &str = "partial";
const WHY_PARTIAL: &str =
    "the process of the run was gone before its end: these are the whole records until then; \
                           dispatches and preemptions are as decided";

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

/// The kernel and the processor, as they call themselves.
fn machine() -> String {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let release = read("/proc/sys/kernel/osrelease");
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("");
    let model = model.trim_start_matches([' ', '\t', ':']);
    format!("Linux {}, {model}", release.trim())
}

/// Writes the trace beside its place, then moves it there: a killed run leaves no half of it. Its keeper may go then.
pub fn write(path: &Path, prepared: &Prepared, outcome: &Outcome, notes: &Notes<'_>) -> io::Result<()> {
    write_records(path, &header(prepared, outcome, notes), &outcome.trace())?;
    if let Some(keeper) = &outcome.keeper {
        keeper.let_go();
    }
    Ok(())
}

/// Writes a trace so.
pub(crate) fn write_records(path: &Path, header: &Header, records: &[(Instant, Record)]) -> io::Result<()> {
    whole_file::fill(path, |file| {
        let mut writer = TraceWriter::new(file, header);
        for (at, record) in records {
            writer.record(*at, *record);
        }
        writer.finish()
    })
}
