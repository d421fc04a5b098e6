//! Files that no reader here reads: recognized by their content, else by the ending of their name, and refused by the
//! name of what they are.

use crate::error::{Errors, Location, Problem};

/// What a command can read.
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
    /// What a reader wants, by name.
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

/// A kind of file that is known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A trace of ours.
    Trace,
    /// A scenario of ours.
    Scenario,
    /// What `--json` prints.
    Answer,
    /// A job set of the schedule-abstraction tools.
    JobSet,
    /// A task set of another tool that is read, by name.
    TaskSet(&'static str),
    /// Anything else, by name.
    Other(&'static str),
}

impl Kind {
    /// Whether a reader of `wanted` is the right one.
    fn suits(self, wanted: Wanted) -> bool {
        match (self, wanted) {
            (Kind::Trace, Wanted::Trace)
            | (Kind::Scenario | Kind::TaskSet(_), Wanted::Scenario)
            | (Kind::JobSet, Wanted::JobSet) => true,
            (
                Kind::Trace
                | Kind::Scenario
                | Kind::Answer
                | Kind::JobSet
                | Kind::TaskSet(_)
                | Kind::Other(_),
                _,
            ) => false,
        }
    }

    fn sentence(self) -> String {
        match self {
            Kind::Trace => {
                "this is a trace of schedlab, which view, trace, check, why and diff read".to_owned()
            }
            Kind::Scenario => "this is a scenario, which simulate and analyze read".to_owned(),
            Kind::Answer => "this is what a command of schedlab printed for --json".to_owned(),
            Kind::JobSet => "this is a job set, which `schedlab jobs` reads".to_owned(),
            Kind::TaskSet(name) => format!("this is {name}, which simulate and analyze read"),
            Kind::Other(name) => format!("this is {name}, which schedlab does not read"),
        }
    }
}

/// How binary files begin.
const BEGINNINGS: [(&[u8], Kind); 14] = [
    (b"SCHEDLAB", Kind::Trace),
    (b"\x17\x08\x44tracing", Kind::Other("a kernel trace of trace-cmd (trace.dat)")),
    (b"PERFILE2", Kind::Other("a recording of perf (perf.data)")),
    (b"2ELIFREP", Kind::Other("a recording of perf (perf.data)")),
    (b"\xc1\x1f\xfc\xc1", Kind::Other("a trace in the Common Trace Format (LTTng)")),
    (b"\x7fELF", Kind::Other("a program (ELF)")),
    (b"PK\x03\x04", Kind::Other("a packed file, such as a spreadsheet (.xlsx, .ods); save the sheet as CSV")),
    (
        b"\xd0\xcf\x11\xe0",
        Kind::Other("an old office file, such as a spreadsheet (.xls); save the sheet as CSV"),
    ),
    (b"\x1f\x8b", Kind::Other("a packed file (gzip)")),
    (b"\x28\xb5\x2f\xfd", Kind::Other("a packed file (zstd)")),
    (b"%PDF-", Kind::Other("a PDF")),
    (b"\x89PNG", Kind::Other("a picture (PNG)")),
    (b"\xff\xfe", Kind::Other("text in UTF-16; save it as UTF-8")),
    (b"\xfe\xff", Kind::Other("text in UTF-16; save it as UTF-8")),
];

/// The roots of XML files, without prefixes.
const ROOTS: [(&str, &str); 11] = [
    ("cheddar", "a model of Cheddar"),
    ("Amalthea", "a model of AMALTHEA (APP4MC)"),
    ("MAST_MODEL", "a model of MAST"),
    ("nta", "a model of UPPAAL"),
    ("graphml", "a graph (GraphML)"),
    ("svg", "a picture (SVG)"),
    ("html", "a page (HTML)"),
    ("AUTOSAR", "a description of AUTOSAR"),
    ("SystemInstance", "a model of AADL"),
    ("mxfile", "a drawing (draw.io)"),
    ("XMI", "a model in XMI (UML, MARTE)"),
];

/// Endings of names, where the content tells nothing.
const ENDINGS: [(&str, &str); 17] = [
    ("xmlv3", "a model of Cheddar"),
    ("amxmi", "a model of AMALTHEA (APP4MC)"),
    ("mast", "a model of MAST"),
    ("mdl", "a model of MAST"),
    ("aadl", "a model of AADL"),
    ("ftrace", "a kernel trace (ftrace)"),
    ("dat", "a kernel trace of trace-cmd (trace.dat)"),
    ("perf", "a recording of perf (perf.data)"),
    ("pftrace", "a trace of Perfetto"),
    ("perfetto-trace", "a trace of Perfetto"),
    ("py", "a Python script"),
    ("ipynb", "a notebook of Jupyter"),
    ("c", "a C program"),
    ("yaml", "a YAML file"),
    ("yml", "a YAML file"),
    ("md", "a document"),
    ("html", "a page (HTML)"),
];

/// How lines of other languages begin: a kernel trace as text, a package of AADL, the header of a job set, and Python's
/// imports and definitions.
const TRACER: &str = "# tracer:";
const PACKAGE: &str = "package ";
const FIRST_COLUMN: &str = "task id";
const IMPORTS: [&str; 2] = ["import ", "from "];
const DEFINITION: &str = "def ";

/// How much of a file is looked at.
pub const LOOKED_AT: usize = 64 * 1024;

/// Refuses `bytes`, the contents of `file`, if they are known to be something else than what is `wanted`.
pub fn refuse(file: &str, bytes: &[u8], wanted: Wanted) -> Result<(), Errors> {
    match kind_of(file, bytes, wanted) {
        Some(kind) if !kind.suits(wanted) => {
            let problem = Problem::rule(kind.sentence(), wanted.allowed());
            Err(Errors::one(Some(Location::line(file, 1)), "", problem))
        }
        Some(_) | None => Ok(()),
    }
}

fn kind_of(file: &str, bytes: &[u8], wanted: Wanted) -> Option<Kind> {
    let bytes = &bytes[..bytes.len().min(LOOKED_AT)];
    if let Some((_, kind)) = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning)) {
        return Some(*kind);
    }
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    let by_ending = || ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
    if bytes.contains(&0) {
        let is_perfetto = bytes.first() == Some(&0x0a);
        let named = by_ending().map(|(_, name)| *name);
        let name = if is_perfetto { "a trace of Perfetto" } else { "a binary file" };
        return Some(Kind::Other(named.unwrap_or(name)));
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    of_text(text, wanted).or_else(|| match ending {
        // Job sets are written in YAML, too.
        "yaml" | "yml" if wanted == Wanted::JobSet => None,
        _ => by_ending().map(|(_, name)| Kind::Other(name)),
    })
}

/// What a text is, by its content.
fn of_text(text: &str, wanted: Wanted) -> Option<Kind> {
    let begins = text.trim_start();
    if begins.starts_with('<') {
        let root = root_of(begins)?;
        return match root {
            "taskset" => Some(Kind::TaskSet("a task set of SchedCAT")),
            "simulation" => Some(Kind::TaskSet("a configuration of SimSo")),
            _ => ROOTS.iter().find(|(known, _)| *known == root).map(|(_, name)| Kind::Other(name)),
        };
    }
    if begins.starts_with(['{', '[']) && !begins.starts_with("[[") {
        return of_json(begins);
    }
    let line_is = |is: &dyn Fn(&str) -> bool| begins.lines().take(200).any(is);
    let version = |line: &str| {
        line.trim_start().strip_prefix("schedlab").map(|rest| rest.trim_start().starts_with('='))
    };
    if line_is(&|line| version(line) == Some(true)) {
        return Some(Kind::Scenario);
    }
    if begins.starts_with(TRACER) || line_is(&is_kernel_event) {
        return Some(Kind::Other("a kernel trace as text (ftrace, trace-cmd report, perf script)"));
    }
    if line_is(&is_python) {
        return Some(Kind::Other("a Python script"));
    }
    if line_is(&is_mast) {
        return Some(Kind::Other("a model of MAST"));
    }
    if line_is(&|line| line.trim_start().starts_with(PACKAGE) && !line.contains('=')) {
        return Some(Kind::Other("a model of AADL"));
    }
    let first = begins.lines().next().unwrap_or_default().to_lowercase();
    if first.starts_with(FIRST_COLUMN) {
        return Some(Kind::JobSet);
    }
    if begins.lines().any(|line| line.trim_end() == "jobset:") {
        return Some(Kind::JobSet);
    }
    (wanted != Wanted::JobSet && is_yaml(begins)).then_some(Kind::Other("a YAML file"))
}

/// The name of the first element, without its prefix.
fn root_of(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start().strip_prefix('<')?;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
        } else if rest.starts_with(['?', '!']) {
            rest = rest.split_once('>')?.1;
        } else {
            let name = rest.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next()?;
            return Some(name.rsplit_once(':').map_or(name, |(_, name)| name));
        }
    }
}

fn of_json(text: &str) -> Option<Kind> {
    if text.contains("\"traceEvents\"") || (text.starts_with('[') && text.contains("\"ph\"")) {
        return Some(Kind::Other("a trace of Perfetto or Chrome (traceEvents)"));
    }
    if text.contains("\"format\": \"schedlab-") {
        return Some(Kind::Answer);
    }
    text.contains("\"nbformat\"").then_some(Kind::Other("a notebook of Jupyter"))
}

/// A line of ftrace, `trace-cmd report` or `perf script`.
fn is_kernel_event(line: &str) -> bool {
    let event = [": sched_switch:", ": sched_wakeup:", "sched:sched_", ": sched_waking:", ": sched_process_"];
    event.iter().any(|event| line.contains(event)) || line.contains("tracing_mark_write:")
}

fn is_python(line: &str) -> bool {
    let imports = IMPORTS.iter().find_map(|word| line.strip_prefix(word));
    let is_name = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (line.starts_with("#!") && line.contains("python"))
        || (imports.is_some_and(is_name) && !line.contains('='))
        || (line.starts_with(DEFINITION) && line.trim_end().ends_with(':'))
}

fn is_mast(line: &str) -> bool {
    let words = [
        "Model",
        "Processing_Resource",
        "Scheduling_Server",
        "Scheduler",
        "Shared_Resource",
        "Operation",
        "Transaction",
    ];
    let line = line.trim_start();
    let rest = words.iter().find_map(|word| line.strip_prefix(word));
    rest.is_some_and(|rest| rest.trim_start().starts_with('('))
        && (line.contains("=>") || line.trim_end().ends_with('('))
}

/// A document of YAML: it says so, or its first line of content is a key alone or a key with a value, and no TOML.
fn is_yaml(text: &str) -> bool {
    let Some(first) = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#')) else {
        return false;
    };
    let key = first.split_once(':').filter(|(key, rest)| {
        let is_key = |c: char| c.is_ascii_alphanumeric() || "_- ".contains(c);
        !key.is_empty() && key.chars().all(is_key) && (rest.is_empty() || rest.starts_with(' '))
    });
    first.trim_end() == "---" || key.is_some() || first.starts_with("- ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(file: &str, bytes: &[u8], wanted: Wanted) -> String {
        refuse(file, bytes, wanted).err().map_or_else(String::new, |errors| errors.to_string())
    }

    /// Each is refused by its name, whatever its ending, and in one line.
    #[test]
    fn files_of_other_tools_are_refused_by_name() {
        let ftrace =
            "# tracer: nop\n#\n  thread0-2345  [003] d..2 115591.580217: sched_switch: prev_comm=thread0\n";
        let perf = "swapper 0 [003] 115591.580217: sched:sched_switch: prev_comm=swapper\n";
        for (file, content, name) in [
            ("a.xml", "<?xml version=\"1.0\"?>\n<!-- a > b -->\n<cheddar>\n</cheddar>", "a model of Cheddar"),
            ("a.xmlv3", "", "a model of Cheddar"),
            ("a.toml", "<am:Amalthea xmi:version=\"2.0\">", "a model of AMALTHEA (APP4MC)"),
            ("a.xml", "<mast:MAST_MODEL>", "a model of MAST"),
            ("model.txt", "Model (Model_Name => demo,\n", "a model of MAST"),
            ("model.txt", "-- a comment\nProcessing_Resource (\n  Type => x);\n", "a model of MAST"),
            ("t.txt", ftrace, "a kernel trace as text (ftrace, trace-cmd report, perf script)"),
            ("t", perf, "a kernel trace as text"),
            ("trace.dat", "\u{17}\u{8}Dtracing6\0", "a kernel trace of trace-cmd (trace.dat)"),
            ("perf.data", "PERFILE2\0", "a recording of perf (perf.data)"),
            ("x", "\n\u{1}\0\u{2}", "a trace of Perfetto"),
            ("x.json", "{\"displayTimeUnit\": \"ns\", \"traceEvents\": []}", "a trace of Perfetto or Chrome"),
            ("x.json", "[{\"name\": \"a\", \"ph\": \"X\"}]", "a trace of Perfetto or Chrome"),
            ("s", "\"\"\"Doc.\"\"\"\nfrom simso.core import Model\n", "a Python script"),
            ("s.py", "", "a Python script"),
            ("x", "---\ntasks:\n", "a YAML file"),
            ("x.txt", "# Tasks\ntasks:\n  - name: a\n", "a YAML file"),
            ("x.xlsx", "PK\u{3}\u{4}", "a packed file, such as a spreadsheet"),
            ("x", "a\0b", "a binary file"),
        ] {
            let found = said(file, content.as_bytes(), Wanted::Scenario);
            let wanted = format!("{file}:1:1: this is {name}");
            assert!(found.starts_with(&wanted) && found.lines().count() == 1, "{found}\nwanted {wanted}");
            for (_, other) in Wanted::NAMED.iter().filter(|(_, other)| *other != Wanted::JobSet) {
                assert_ne!(said(file, content.as_bytes(), *other), "", "{content}");
            }
        }
    }

    /// A file of ours in the place of another one is told where it belongs; what is right passes.
    #[test]
    fn our_own_files_are_told_apart() {
        let scenario = b"# A set.\nschedlab = 1\n[[task]]\n";
        let jobs = b"Task ID, Job ID, Release min\n";
        assert_eq!(said("a.toml", scenario, Wanted::Scenario), "");
        assert!(
            said("a.toml", scenario, Wanted::Trace).contains("a scenario, which simulate and analyze read")
        );
        assert!(said("a.csv", scenario, Wanted::JobSet).contains("this is a scenario"));
        assert!(said("a.toml", b"SCHEDLAB\0", Wanted::Scenario).contains("a trace of schedlab"));
        assert_eq!(said("a.slt", b"SCHEDLAB\0", Wanted::Trace), "");
        assert!(said("jobs.csv", jobs, Wanted::Scenario).contains("a job set, which `schedlab jobs` reads"));
        assert_eq!(said("jobs.csv", jobs, Wanted::JobSet), "");
        assert_eq!(said("jobs.yaml", b"jobset:\n  - Task ID: 1\n", Wanted::JobSet), "");
        assert!(said("jobs.yaml", b"jobset:\n", Wanted::Scenario).contains("a job set"));
        assert!(
            said("a.xml", b"<taskset/>", Wanted::Batch).contains("a task set of SchedCAT, which simulate")
        );
        assert_eq!(said("a.jsonl", b"{\"tasks\": [[1, 2]]}\n", Wanted::Batch), "");
        for (file, text) in [
            ("a.csv", "name,wcet,period\n"),
            ("a.xml", "<taskset/>"),
            ("a.xml", "<simulation/>"),
            ("a.json", "{\"tasks\": {}}"),
            ("a.toml", "[[task]]\nname = \"from here: on\"\n"),
            ("", ""),
        ] {
            assert_eq!(said(file, text.as_bytes(), Wanted::Scenario), "", "{text}");
        }
    }
}
