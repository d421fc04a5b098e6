//! What is registered says itself what others must know of it: no other code has its name as a literal.
//!
//! Any literal counts, not only one that is compared. So no pattern, list or call can hide one.
//! `tests/python/test_names.py` asks the same of Python.

use schedlab_analysis::priority;
use schedlab_lab::Catalog;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_model::Invariant;
use schedlab_policy::{all_schedulers, kernel_classes, ALL_ORDERS};
use schedlab_scenario::shipped_names;
use schedlab_workload::generate::accesses;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders in which a literal that follows `name:`, or is the constant `NAME`, registers what it names.
const REGISTERING: &[&str] = &["policy/src/", "lock/src/", "analysis/src/", "lp-blocking/src/"];

/// Folders about names that other tools or papers gave, not about what is registered.
const ABOUT_OTHERS: &[(&str, &str)] = &[
    ("native/src/crosscheck", "they compare the names in the records of other tools"),
    ("runtime/examples", "an example names what it runs, as a user does"),
];

/// Files that have such literals, which ones (all, if none is named), and why they may.
const ALLOWED: &[(&str, &[&str], &str)] = &[
    ("policy/src/utility_schedulers.rs", &[], "registers schedulers"),
    ("policy/src/pfair_schedulers.rs", &[], "registers schedulers"),
    ("policy/src/optimal_schedulers.rs", &[], "registers schedulers"),
    ("policy/src/kernel_class.rs", &[], "registers the kernel's classes"),
    ("policy/src/order/rm.rs", &[], "registers an order and its alias"),
    ("policy/src/setup/affinity.rs", &["none"], "an affinity of this name"),
    ("model/src/invariant.rs", &[], "registers invariants"),
    (
        "model/src/object.rs",
        &["lock-free", "wait-free"],
        "registers schemes, after which protocols are called",
    ),
    ("model/src/mutex.rs", &["none"], "the word for a mutex without protocol"),
    ("analysis/src/blocking/methods.rs", &[], "registers tests"),
    ("analysis/src/blocking/methods/lock_free.rs", &[], "registers tests"),
    ("analysis/src/blocking/methods/reader_writer.rs", &[], "registers tests"),
    ("analysis/src/blocking/methods/uniprocessor.rs", &[], "registers tests"),
    ("lp-blocking/src/methods.rs", &[], "registers tests"),
    ("lp-blocking/src/spin/methods.rs", &[], "registers tests"),
    ("scenario/src/overheads/shipped.rs", &[], "registers overheads"),
    ("scenario/src/words.rs", &["given", "Audsley"], "registers what gives priorities besides rules"),
    ("scenario/src/words.rs", &["none"], "the word for no split"),
    ("workload/src/generate/periods/mod.rs", &[], "registers distributions of periods"),
    ("workload/src/generate/utilization/mod.rs", &[], "registers distributions of utilizations"),
    ("workload/src/generate/accesses/mod.rs", &[], "registers rules for accesses"),
    ("workload/src/generate/utilities.rs", &["none", "uniform"], "registers rules for utilities"),
    ("scenario/src/field.rs", &["uniform"], "the name of a field"),
    ("scenario/src/field/utility.rs", &["exponential"], "the name of a field"),
    ("scenario/src/write/task.rs", &["uniform", "exponential"], "names of fields"),
    ("scenario/src/read/task.rs", &["uniform"], "the name of a field"),
    ("scenario/src/read/utility.rs", &["exponential"], "the name of a field"),
    (
        "scenario/src/interchange/rt_app/task.rs",
        &["SCHED_FIFO", "SCHED_DEADLINE"],
        "Linux's policies, as rt-app has them",
    ),
    ("scenario/src/interchange/schedcat.rs", &["response_time"], "an attribute of the format"),
    (
        "scenario/src/launch/rt_app.rs",
        &["SCHED_FIFO", "SCHED_DEADLINE"],
        "Linux's policies, as rt-app has them",
    ),
    ("lab/src/batch/charges.rs", &["objects"], "a part of overheads"),
    ("native/src/batch.rs", &["given"], "what a question calls the overheads beside it"),
    ("account/src/trace/real_run.rs", &["none"], "what a header says of a run without priorities"),
    ("measure/src/doctor.rs", &["none"], "nothing throttles"),
    ("measure/src/machine/about.rs", &["none"], "nothing mitigates"),
    ("measure/src/one/calls.rs", &[], "names what it measures"),
    ("measure/src/one/quanta.rs", &[], "names what it measures"),
    ("measure/src/whole/mod.rs", &[], "names what is measured unless others are named"),
    ("measure/src/runs/sets.rs", &[], "names what it measures"),
];

fn names() -> BTreeSet<String> {
    let catalog = Catalog::shipped();
    let mut all = BTreeSet::new();
    for known in all_schedulers().into_iter().chain(kernel_classes()) {
        all.extend(known.names().map(str::to_owned));
    }
    all.extend(
        ALL_ORDERS
            .iter()
            .flat_map(|order| [order.name].into_iter().chain(order.aliases.iter().copied()))
            .map(str::to_owned),
    );
    all.extend(ALL_PROTOCOLS.iter().map(|protocol| protocol.name.to_owned()));
    all.extend(catalog.tests().map(|test| test.name.to_owned()));
    all.extend(Invariant::ALL.iter().map(|invariant| invariant.name().to_owned()));
    all.extend(shipped_names().map(str::to_owned));
    all.extend(catalog.utilizations().chain(catalog.periods()).map(str::to_owned));
    let accesses = accesses::written().filter_map(|(form, _)| form.split_whitespace().next());
    all.extend(accesses.map(str::to_owned));
    all.extend(priority::ALL.iter().map(|rule| rule.name.to_owned()));
    all.extend(["given", "Audsley"].map(str::to_owned));
    all
}

/// A literal of a text, on which line, and what stands before it.
#[derive(Debug, PartialEq, Eq)]
struct Literal {
    line: usize,
    text: String,
    before: String,
}

/// The string literals of `code`, but for those of comments and of what is compiled for tests alone.
fn literals(code: &str) -> Vec<Literal> {
    let (mut found, mut index, mut line) = (Vec::new(), 0, 1);
    // Since `#[cfg(test)]`, the braces that are open.
    let mut of_tests: Option<u32> = None;
    while index < code.len() {
        let rest = &code[index..];
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some((length, text)) = literal(&code[..index], rest) {
            if of_tests.is_none() {
                let before = code[..index].lines().next_back().unwrap_or_default().trim().to_owned();
                found.push(Literal { line, text: text.to_owned(), before });
            }
            length
        } else if let Some(length) = character(rest) {
            length
        } else if rest.starts_with("#[cfg(test)]") {
            of_tests = of_tests.or(Some(0));
            "#[cfg(test)]".len()
        } else {
            of_tests = match (of_tests, rest.as_bytes()[0]) {
                (Some(open), b'{') => Some(open + 1),
                (Some(0), b';') | (Some(1), b'}') => None,
                (Some(open), b'}') => Some(open - 1),
                (open, _) => open,
            };
            rest.chars().next().map_or(1, char::len_utf8)
        };
        line += rest[..skipped].matches('\n').count();
        index += skipped;
    }
    found
}

/// How long the string literal at the start of `rest` is, and what it says.
fn literal<'a>(before: &str, rest: &'a str) -> Option<(usize, &'a str)> {
    let is_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let hashes = rest.strip_prefix('r').map(|rest| rest.len() - rest.trim_start_matches('#').len());
    if let Some(hashes) = hashes.filter(|hashes| !is_word && rest[1 + hashes..].starts_with('"')) {
        let start = 2 + hashes;
        let end = format!("\"{}", "#".repeat(hashes));
        let length = rest[start..].find(&end)?;
        return Some((start + length + end.len(), &rest[start..start + length]));
    }
    let body = rest.strip_prefix('"')?;
    let mut escaped = false;
    let end = body.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some((end + 2, &body[..end]))
}

/// How long the character at the start of `rest` is, such as `'"'`; a lifetime is none.
fn character(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    match body.strip_prefix('\\') {
        Some(escape) => Some(3 + escape.char_indices().skip(1).find(|(_, c)| *c == '\'')?.0),
        None => {
            let first = body.chars().next()?.len_utf8();
            body[first..].starts_with('\'').then_some(first + 2)
        }
    }
}

/// The literals of `code` that are names, where `file` does not register them.
fn named(file: &str, code: &str, names: &BTreeSet<String>) -> Vec<Literal> {
    let registers = REGISTERING.iter().any(|folder| file.starts_with(folder));
    let is_registered = |before: &str| before.ends_with("name:") || before == "const NAME: &str =";
    let is_name =
        |literal: &Literal| names.contains(&literal.text) && !(registers && is_registered(&literal.before));
    literals(code).into_iter().filter(is_name).collect()
}

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" && name != "benches" {
            sources(&path, all);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            all.push(path);
        }
    }
}

#[test]
fn no_registered_name_is_a_literal_elsewhere() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let (names, mut files) = (names(), Vec::new());
    sources(&crates, &mut files);
    assert!(files.len() > 300, "only {} sources were found", files.len());
    let (mut found, mut used) = (Vec::new(), BTreeSet::new());
    for path in files {
        let file = path.strip_prefix(&crates).expect("it lies there").to_string_lossy().into_owned();
        if ABOUT_OTHERS.iter().any(|(folder, _)| file.starts_with(folder)) {
            continue;
        }
        for Literal { line, text, .. } in named(&file, &fs::read_to_string(&path).expect("a text"), &names) {
            let permits = |(known, names, _): &&(&str, &[&str], &str)| {
                *known == file && (names.is_empty() || names.contains(&text.as_str()))
            };
            match ALLOWED.iter().position(|entry| permits(&entry)) {
                Some(entry) => drop(used.insert(entry)),
                None => found.push(format!("crates/{file}:{line}: \"{text}\"")),
            }
        }
    }
    assert!(
        found.is_empty(),
        "these have a registered name as a literal: ask what is registered, or list the file in ALLOWED\n{}",
        found.join("\n")
    );
    let unused = (0..).zip(ALLOWED).filter(|(index, _)| !used.contains(index));
    let unused: Vec<_> = unused.map(|(_, allowed)| allowed.0).collect();
    assert!(unused.is_empty(), "ALLOWED is needless for {unused:?}");
}

#[test]
fn literals_are_found_wherever_they_stand() {
    let names = BTreeSet::from(["G-EDF", "msrp", "none", "RM"].map(str::to_owned));
    for line in [
        "if name == \"G-EDF\" {}",
        "let is = matches!(name, \"none\");",
        "match name { Some(\"msrp\") => 1, _ => 2 }",
        "match pair { (\"RM\", _) => 1, _ => 2 }",
        "[\"x\", \"msrp\"].contains(&name);",
        "name.eq(\"msrp\");",
        "name.starts_with(\"G-EDF\");",
        "f(r\"msrp\");",
        "f(r#\"msrp\"#);",
        "let quote = '\"'; f(\"msrp\");",
        "let (a, b): (&'static str, char) = (\"msrp\", '\\'');",
        "#[cfg(test)] mod tests { fn f() {} } const NAME: &str = \"msrp\";",
        "#[cfg(test)] use a::b; const NAME: &str = \"msrp\";",
        "Protocol { name: \"msrp\" }",
    ] {
        assert_eq!(named("lab/src/some.rs", line, &names).len(), 1, "{line}");
    }
    for line in [
        "// name == \"msrp\"",
        "/* name == \"msrp\" */",
        "f(\"msrp and others\");",
        "f(\"\\\"msrp\\\"\");",
        "#[cfg(test)] mod tests { fn f() { g(\"msrp\"); } }",
    ] {
        assert_eq!(named("lab/src/some.rs", line, &names), [], "{line}");
    }
    for line in ["Protocol { name: \"msrp\" }", "const NAME: &str = \"msrp\";"] {
        assert_eq!(named("lock/src/spin/msrp.rs", line, &names), [], "{line}");
    }
    let second = named("lab/src/some.rs", "// one\nf(\"x\n y\");\ng(\"msrp\");", &names);
    assert_eq!(second.iter().map(|literal| literal.line).collect::<Vec<_>>(), [4]);
}
