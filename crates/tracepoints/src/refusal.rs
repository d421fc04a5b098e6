//! Reasons why a file holds no schedule.

/// Advice on what to record.
pub const HOW_TO_RECORD: &str = "record sched_switch and sched_wakeup: `trace-cmd record -e sched_switch -e sched_wakeup \
                                 -e sched_pi_setprio -e sched_migrate_task`, or `perf record -a -e sched:sched_switch -e \
                                 sched:sched_wakeup` and then `perf script`";

/// Kind of file that is recognized, and is no trace in a form that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherFile {
    /// The binary file of `trace-cmd record`, which `trace-cmd` turns into text.
    TraceDat,
    /// The binary file of `perf record`.
    PerfData,
    /// A page without a trace in it.
    Html,
    /// A trace of schedlab itself.
    Schedlab,
    /// A packed file of a kind that is not unpacked here, by the name of its kind.
    Packed(&'static str),
    /// A trace of Chrome or Perfetto in JSON.
    Json,
}

/// Reason why a file holds no schedule.
#[derive(Debug, thiserror::Error)]
pub enum NotRead {
    /// The file holds nothing.
    #[error("the file is empty: it holds no events; {HOW_TO_RECORD}")]
    Empty,
    /// The file is a trace without any event.
    #[error("the trace holds no events: its rings were empty, or tracing was off; {HOW_TO_RECORD}")]
    NoEvents,
    /// The file is of another kind.
    #[error("{}", other_file(*.0))]
    Other(OtherFile),
    /// Nothing in the file is like a kernel trace.
    #[error(
        "this is no kernel trace; allowed: text of ftrace (/sys/kernel/tracing/trace, `trace-cmd report`), `perf script`, \
         trace.dat, a trace of Perfetto, and these packed by gzip"
    )]
    NotATrace,
    /// The trace has events, and none of the scheduler.
    #[error(
        "the trace has {events} events, and none that says which thread runs (sched_switch); {HOW_TO_RECORD}"
    )]
    NoSchedulerEvents {
        /// Number of other events.
        events: u64,
    },
    /// No line of the scheduler's events can be read.
    #[error(
        "line {line} is the first of {lines} with an event of the scheduler that cannot be read: each needs the thread, the \
         processor in brackets, the time and the event's fields, as `perf script -F comm,pid,tid,cpu,time,event,trace` prints"
    )]
    NoReadableLine {
        /// First such line.
        line: u64,
        /// Number of such lines.
        lines: u64,
    },
    /// Stamps of a processor go back for longer than lines that are out of order do.
    #[error(
        "line {line}: the time of CPU {cpu} goes back by {} here, and stays there: two recordings in one file, or a clock that \
         was set. Nothing is concluded across it; give the parts one by one (head -n {}, tail -n +{line})", seconds(*.back), .line - 1
    )]
    TimeGoesBack {
        /// Line of the first event of the earlier time; in a binary trace, the number of the event.
        line: u64,
        /// The processor.
        cpu: u16,
        /// Length by which the time goes back, in nanoseconds.
        back: u64,
    },
    /// The file has more events than are kept.
    #[error("the first bytes cannot be read: {0}")]
    Unreadable(std::io::Error),
}

fn other_file(kind: OtherFile) -> String {
    match kind {
        OtherFile::TraceDat => "this is trace.dat of trace-cmd, which the program trace-cmd has to read".to_owned(),
        OtherFile::PerfData => {
            "this is the binary file of `perf record`; allowed: its text: perf script -i FILE > trace.txt".to_owned()
        }
        OtherFile::Html => {
            "this is HTML without a trace in it (a script of the class trace-data); allowed: the text of the trace".to_owned()
        }
        OtherFile::Schedlab => {
            "this is a trace of schedlab, which view, why, trace and diff read as it is".to_owned()
        }
        OtherFile::Packed(name) => format!("this is a packed file ({name}); allowed: the unpacked trace, or gzip"),
        OtherFile::Json => {
            "this is JSON, which Chrome and exports of Perfetto write; allowed: the binary trace of Perfetto".to_owned()
        }
    }
}

/// Prints nanoseconds as seconds, exactly.
fn seconds(ns: u64) -> String {
    format!("{}.{:09} s", ns / 1_000_000_000, ns % 1_000_000_000)
}
