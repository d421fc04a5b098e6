//! Recognition of files that no reader here reads, by their content or else by the ending of their name, so that they
//! can be refused by name.

mod kind;
mod language;
mod marked;

pub use kind::Wanted;
pub(crate) use marked::{after_comments, root_of};

use crate::error::{Errors, Location, Problem};
use kind::Kind;
use language::{is_yaml, language, language_beyond_doubt};
use marked::{of_json, of_xml};

/// First bytes of binary files.
const BEGINNINGS: [(&[u8], Kind); 14] = [
    (b"SCHEDLAB", Kind::Trace),
    (b"\x17\x08\x44tracing", Kind::KernelTrace("a kernel trace of trace-cmd (trace.dat)")),
    (b"PERFILE2", Kind::PerfData),
    (b"2ELIFREP", Kind::PerfData),
    (b"\xc1\x1f\xfc\xc1", Kind::Other("a trace in the Common Trace Format (LTTng)")),
    (b"\x7fELF", Kind::Other("a program (ELF)")),
    (b"PK\x03\x04", Kind::Sheet("a packed file, such as a spreadsheet (.xlsx, .ods)")),
    (b"\xd0\xcf\x11\xe0", Kind::Sheet("an old office file, such as a spreadsheet (.xls)")),
    (b"\x1f\x8b", Kind::Gzip),
    (b"\x28\xb5\x2f\xfd", Kind::Other("a packed file (zstd)")),
    (b"%PDF-", Kind::Other("a PDF")),
    (b"\x89PNG", Kind::Other("a picture (PNG)")),
    (b"\xff\xfe", Kind::Utf16),
    (b"\xfe\xff", Kind::Utf16),
];

/// Endings of names, for files whose content does not identify them.
const ENDINGS: [(&str, Kind); 17] = [
    ("xmlv3", Kind::Other("a model of Cheddar")),
    ("amxmi", Kind::Other("a model of AMALTHEA (APP4MC)")),
    ("mast", Kind::Other("a model of MAST")),
    ("mdl", Kind::Other("a model of MAST")),
    ("aadl", Kind::Other("a model of AADL")),
    ("ftrace", Kind::KernelTrace("a kernel trace (ftrace)")),
    ("dat", Kind::KernelTrace("a kernel trace of trace-cmd (trace.dat)")),
    ("perf", Kind::PerfData),
    ("pftrace", Kind::KernelTrace(PERFETTO)),
    ("perfetto-trace", Kind::KernelTrace(PERFETTO)),
    ("py", Kind::Other("a Python script")),
    ("ipynb", Kind::Other("a notebook of Jupyter")),
    ("c", Kind::Other("a C program")),
    ("yaml", Kind::Other("a YAML file")),
    ("yml", Kind::Other("a YAML file")),
    ("md", Kind::Other("a document")),
    ("html", Kind::Other("a page (HTML)")),
];

/// Name of Perfetto's traces.
const PERFETTO: &str = "a trace of Perfetto";

/// Endings of files that are read, whatever their lines look like.
const OURS: [&str; 4] = ["toml", "csv", "json", "xml"];

/// Begin of the header of a job set.
const FIRST_COLUMN: &str = "task id";

/// Number of bytes of a file that are examined.
pub const LOOKED_AT: usize = 64 * 1024;

/// Refuses `bytes`, the contents of `file`, if they are known to be something else than `wanted`.
pub fn refuse(file: &str, bytes: &[u8], wanted: Wanted) -> Result<(), Errors> {
    match kind_of(file, bytes, wanted) {
        Some(kind) if !kind.suits(wanted) => {
            let problem = Problem::rule(kind.sentence(file), kind.allowed(wanted));
            Err(Errors::one(Some(Location::line(file, 1)), "", problem))
        }
        Some(_) | None => Ok(()),
    }
}

fn kind_of(file: &str, bytes: &[u8], wanted: Wanted) -> Option<Kind> {
    let begins = &bytes[..bytes.len().min(LOOKED_AT)];
    if let Some((_, kind)) = BEGINNINGS.iter().find(|(beginning, _)| begins.starts_with(beginning)) {
        return Some(*kind);
    }
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    let by_ending = || ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
    if begins.contains(&0) {
        let is_perfetto = begins.first() == Some(&0x0a);
        let named = by_ending().map(|(_, kind)| *kind);
        let kind = if is_perfetto { Kind::KernelTrace(PERFETTO) } else { Kind::Other("a binary file") };
        return Some(named.unwrap_or(kind));
    }
    let text = String::from_utf8_lossy(begins);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(kind) = of_structure(text, ending) {
        return Some(kind);
    }
    if let Some(kind) = language_beyond_doubt(text) {
        return Some(kind);
    }
    if OURS.iter().any(|ours| ours.eq_ignore_ascii_case(ending)) {
        return None;
    }
    // A note of a scenario may quote a program.
    if let Some(kind) = of_lines(text, wanted).filter(|_| !is_toml(bytes)) {
        return Some(kind);
    }
    match ending {
        // Job sets are written in YAML, too.
        "yaml" | "yml" if wanted == Wanted::JobSet => None,
        _ => by_ending().map(|(_, kind)| *kind),
    }
}

/// Returns the kind of a text that has the structure of something that is read.
fn of_structure(text: &str, ending: &str) -> Option<Kind> {
    if text.starts_with('<') {
        return of_xml(text);
    }
    let json = after_comments(text);
    if json.starts_with('{') || (json.starts_with('[') && !json.starts_with("[[")) {
        return of_json(json, ending);
    }
    let version = |line: &str| {
        line.trim_start().strip_prefix("schedlab").is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    if text.lines().take(200).any(version) {
        return Some(Kind::Scenario);
    }
    // Excel's first line is that of any table.
    let text = text.strip_prefix("sep=,").map_or(text, str::trim_start);
    let begins_jobs =
        text.get(..FIRST_COLUMN.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(FIRST_COLUMN));
    begins_jobs.then_some(Kind::JobSet)
}

/// Returns the kind of a text, by its lines.
fn of_lines(text: &str, wanted: Wanted) -> Option<Kind> {
    if let Some(kind) = language(text) {
        return Some(kind);
    }
    if text.lines().any(|line| line.trim_end() == "jobset:") {
        return Some(Kind::JobSet);
    }
    (wanted != Wanted::JobSet && is_yaml(text)).then_some(Kind::Other("a YAML file"))
}

/// Returns whether the bytes are TOML, such as a scenario that lacks its version.
fn is_toml(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| toml::de::DeTable::parse(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(file: &str, bytes: &[u8], wanted: Wanted) -> String {
        refuse(file, bytes, wanted).err().map_or_else(String::new, |errors| errors.to_string())
    }

    /// Files of other tools are refused by name, whatever their ending, and in one line.
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
            ("s", "\"\"\"Doc.\"\"\"\nimport sys\nfrom simso.core import Model\n", "a Python script"),
            ("s", "#!/usr/bin/env python3\n", "a Python script"),
            ("s.csv", "#!/usr/bin/python\n", "a Python script"),
            ("m", "package Loop\npublic\n  system S\n  end S;\nend Loop;\n", "a model of AADL"),
            ("a.xml", "<cheddar_project/>", "a model of Cheddar"),
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

    /// A refused sheet or text in another encoding names the format as which it can be saved.
    #[test]
    fn sheets_and_other_encodings_are_told_what_to_become() {
        let sheet = said("a.xlsx", b"PK\x03\x04", Wanted::Scenario);
        assert_eq!(
            sheet,
            "a.xlsx:1:1: this is a packed file, such as a spreadsheet (.xlsx, .ods), which schedlab does not read; \
             allowed: the sheet saved as CSV: commas between cells, a header row with name, wcet and period, \
             times such as 2.5ms; docs/other-tools.md lists more columns"
        );
        let jobs = said("a.xls", b"\xd0\xcf\x11\xe0", Wanted::JobSet);
        assert!(jobs.contains("allowed: the sheet saved as CSV, with the columns Task ID"), "{jobs}");
        let text = said("a.csv", b"\xff\xfen\0", Wanted::Scenario);
        assert_eq!(
            text,
            "a.csv:1:1: this is text in UTF-16, which schedlab does not read; allowed: the same text, saved as UTF-8"
        );
    }

    /// A file of schedlab in the place of another kind is refused with a hint; the right kind passes.
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
        let batch = b"{\"tasks\": [[1, 2]]}\n";
        assert_eq!(said("a.jsonl", batch, Wanted::Batch), "");
        for (file, lines) in [("a.jsonl", "{}"), ("a", "{\"tasks\": [[1, 2]]}\n"), ("a.json", "{}\n{}\n")] {
            let found = said(file, lines.as_bytes(), Wanted::Scenario);
            assert!(
                found.contains("JSON lines, such as a batch of task sets, which `analyze --jsonl`"),
                "{found}"
            );
        }
        let scripts =
            "notes = \"\"\"\nimport radar\nfrom radar import Sensor\npackage Loop\npublic\n\"\"\"\n";
        let workload = "/*\nfrom the Linaro wiki\nimport radar\n*/\n// def\n{\"tasks\": {}}";
        for (file, text) in [
            ("a.csv", "name,wcet,period\n"),
            (
                "a.csv",
                "name,wcet,period\nfrom radar,1 ms,9 ms\nimport radar,1 ms,9 ms\npackage loop,1 ms,9 ms\n",
            ),
            ("a.CSV", "name: x\n"),
            ("a.json", workload),
            ("a", workload),
            ("a.toml", scripts),
            ("a", scripts),
            ("a.toml", "title: x\n"),
            ("a.toml", "title = \"import x\"\n"),
            ("a.json", "{\"tasks\": {\"traceEvents\": {}, \"nbformat\": {}, \"format\": {}}}"),
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
