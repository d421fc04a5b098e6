//! Kinds of files, and the kinds that commands read.

/// Kind of file that a command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A scenario, or a task set of another tool.
    Scenario,
    /// A job set.
    JobSet,
    /// A trace.
    Trace,
    /// Many task sets, one a line.
    Batch,
}

impl Wanted {
    /// Kinds that readers want, by name.
    pub const NAMED: [(&'static str, Wanted); 4] = [
        ("scenario", Wanted::Scenario),
        ("job set", Wanted::JobSet),
        ("trace", Wanted::Trace),
        ("batch", Wanted::Batch),
    ];

    fn allowed(self) -> &'static str {
        match self {
            Wanted::Scenario => {
                "a scenario (TOML), a table (CSV), SchedCAT's or SimSo's XML (taskset, simulation), rt-app's JSON"
            }
            Wanted::JobSet => "a job set of the schedule-abstraction tools: CSV, or YAML with a jobset",
            Wanted::Trace => "a trace of schedlab: what `simulate --trace` and `run --trace` write",
            Wanted::Batch => "JSON lines: a task set in each, such as {\"tasks\": [[1000, 9000]]}",
        }
    }
}

/// A kind of file that is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A trace of schedlab.
    Trace,
    /// A scenario of schedlab.
    Scenario,
    /// The output of `--json`.
    Answer,
    /// A job set of the schedule-abstraction tools.
    JobSet,
    /// A task set of another tool that is read, by name.
    TaskSet(&'static str),
    /// JSON lines.
    Batch,
    /// A spreadsheet, by the name of its format: it can be saved as a table that is read.
    Sheet(&'static str),
    /// A trace of the kernel's tracer, by name, which `schedlab observe` reads.
    KernelTrace(&'static str),
    /// The binary file of `perf record`, of which `perf script` makes a kernel trace.
    PerfData,
    /// A file packed by gzip: `schedlab observe` reads it if it is a kernel trace.
    Gzip,
    /// Text in UTF-16.
    Utf16,
    /// Any other kind, by name.
    Other(&'static str),
}

impl Kind {
    /// The kind of input as which schedlab reads the file, if it does.
    fn read_as(self) -> Option<Wanted> {
        match self {
            Kind::Trace => Some(Wanted::Trace),
            Kind::Scenario | Kind::TaskSet(_) => Some(Wanted::Scenario),
            Kind::JobSet => Some(Wanted::JobSet),
            Kind::Batch => Some(Wanted::Batch),
            Kind::Answer
            | Kind::Sheet(_)
            | Kind::KernelTrace(_)
            | Kind::PerfData
            | Kind::Gzip
            | Kind::Utf16
            | Kind::Other(_) => None,
        }
    }

    /// Returns whether a reader of `wanted` is the right one for this kind.
    pub(super) fn suits(self, wanted: Wanted) -> bool {
        self.read_as() == Some(wanted)
    }

    /// Describes the kind of `file`, and what reads it.
    pub(super) fn sentence(self, file: &str) -> String {
        match self {
            Kind::KernelTrace(name) => {
                let file = in_a_shell(file);
                format!("this is {name}, of which `schedlab observe --file {file} -o scenario.toml` makes a scenario")
            }
            Kind::PerfData => {
                let file = in_a_shell(file);
                format!(
                    "this is a recording of perf (perf.data), of which `perf script -i {file} > trace.txt` makes text, and \
                     `schedlab observe --file trace.txt` a scenario"
                )
            }
            Kind::Gzip => {
                let file = in_a_shell(file);
                format!(
                    "this is a packed file (gzip); if it is a kernel trace, `schedlab observe --file {file} -o scenario.toml` \
                     makes a scenario of it"
                )
            }
            Kind::Trace => {
                "this is a trace of schedlab, which view, trace, check, why and diff read".to_owned()
            }
            Kind::Scenario => "this is a scenario, which simulate and analyze read".to_owned(),
            Kind::Answer => "this is what a command of schedlab printed for --json".to_owned(),
            Kind::JobSet => "this is a job set, which `schedlab jobs` reads".to_owned(),
            Kind::TaskSet(name) => format!("this is {name}, which simulate and analyze read"),
            Kind::Batch => "these are JSON lines, such as a batch of task sets, which `analyze --jsonl` and \
                            `simulate --jsonl` read"
                .to_owned(),
            Kind::Utf16 => "this is text in UTF-16, which schedlab does not read".to_owned(),
            Kind::Sheet(name) | Kind::Other(name) => {
                format!("this is {name}, which schedlab does not read")
            }
        }
    }

    /// Returns the advice for a user where `wanted` is read.
    pub(super) fn allowed(self, wanted: Wanted) -> &'static str {
        match (self, wanted) {
            (Kind::Sheet(_), Wanted::Scenario) => {
                "the sheet saved as CSV: commas between cells, a header row with name, wcet and period, times such as \
                 2.5ms; docs/other-tools.md lists more columns"
            }
            (Kind::Sheet(_), Wanted::JobSet) => {
                "the sheet saved as CSV, with the columns Task ID, Job ID, Release min, Release max, Cost min, Cost \
                 max, Deadline, Priority"
            }
            (Kind::Utf16, Wanted::Scenario | Wanted::JobSet | Wanted::Batch) => "the same text, saved as UTF-8",
            (Kind::Sheet(_) | Kind::Utf16, Wanted::Trace) | (Kind::Sheet(_), Wanted::Batch) => wanted.allowed(),
            (
                Kind::Trace
                | Kind::Scenario
                | Kind::Answer
                | Kind::JobSet
                | Kind::TaskSet(_)
                | Kind::Batch
                | Kind::KernelTrace(_)
                | Kind::PerfData
                | Kind::Gzip
                | Kind::Other(_),
                Wanted::Scenario | Wanted::JobSet | Wanted::Trace | Wanted::Batch,
            ) => wanted.allowed(),
        }
    }
}

/// A file's name as a word of a shell.
fn in_a_shell(file: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/+=@%,".contains(c);
    match file.chars().all(is_plain) && !file.is_empty() {
        true => file.to_owned(),
        false => format!("'{}'", file.replace('\'', "'\\''")),
    }
}
