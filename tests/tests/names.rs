//! One name, one meaning.
//!
//! What is registered says itself what others must know of it: no code compares its name with a literal. A public type of
//! one crate has no namesake in another, but those that are listed here with a reason.

use schedlab_lab::Catalog;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_model::Invariant;
use schedlab_policy::{all_schedulers, kernel_classes, ALL_ORDERS};
use schedlab_scenario::shipped_names;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Names that are words of other lists, too, where they mean something else.
const WORDS: &[&str] = &["none", "RM", "DM"];

fn names() -> Vec<String> {
    let schedulers = all_schedulers().into_iter().chain(kernel_classes()).map(|scheduler| scheduler.name);
    let orders = ALL_ORDERS.iter().map(|order| order.name.to_owned());
    let protocols = ALL_PROTOCOLS.iter().map(|protocol| protocol.name.to_owned());
    let catalog = Catalog::shipped();
    let tests = catalog.tests().map(|test| test.name.to_owned());
    let invariants = Invariant::ALL.iter().map(|invariant| invariant.name().to_owned());
    let overheads = shipped_names().map(str::to_owned);
    let all = schedulers.chain(orders).chain(protocols).chain(tests).chain(invariants).chain(overheads);
    all.filter(|name| !WORDS.contains(&name.as_str())).collect()
}

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "tests" && name != "benches") {
            sources(&path, all);
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Cross-checks compare the names in other tools' records; a figure of a paper is about the schedulers that it names.
        let is_code = [".rs", ".py"].iter().any(|ending| name.ends_with(ending)) && name != "tests.rs";
        let is_code = is_code
            && !name.starts_with("crosscheck")
            && !path.iter().any(|part| part == "crosscheck" || part == "_studies");
        if is_code {
            all.push(path.clone());
        }
    }
}

/// The first comparison with one of `names` in a line of code.
fn comparison(line: &str, names: &[String]) -> Option<String> {
    let code = line.trim_start();
    if code.starts_with("//") || code.starts_with('#') || !code.contains('"') {
        return None;
    }
    let compared = |name: &&String| {
        let literal = format!("\"{name}\"");
        code.match_indices(&literal).any(|(at, _)| {
            let (before, after) = (code[..at].trim_end(), code[at + literal.len()..].trim_start());
            let by_sign = before.ends_with("==") || before.ends_with("!=") || before.ends_with("contains(&");
            let by_sign = by_sign || after.starts_with("== ") || before.ends_with("starts_with(");
            by_sign || after.starts_with("=>") || (after.starts_with("| \"") || before.ends_with("\" |"))
        }) || code.contains(&format!("ends_with(\"-{name}\")"))
    };
    names.iter().find(compared).cloned()
}

#[test]
fn no_registered_name_is_compared_with_a_literal() {
    let names = names();
    let mut files = Vec::new();
    for folder in ["../crates", "../python"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    assert!(files.len() > 300, "only {} sources were found", files.len());
    let mut found = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("a text");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            if let Some(name) = comparison(line, &names) {
                found.push(format!("{}:{}: \"{name}\"", path.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "these compare a registered name:\n{}", found.join("\n"));
}

#[test]
fn comparisons_are_found() {
    let names = ["G-EDF".to_owned(), "msrp".to_owned()];
    for line in [
        "if name == \"G-EDF\" {",
        "\"msrp\" => 1,",
        "    \"x\" | \"msrp\" | \"y\" => 1,",
        "if [\"a\"].contains(&\"msrp\") {",
    ] {
        assert!(comparison(line, &names).is_some(), "{line}");
    }
    for line in ["name: \"msrp\",", "// name == \"msrp\"", "find(\"G-EDF\")"] {
        assert_eq!(comparison(line, &names), None, "{line}");
    }
}

/// Names of public types in several crates, and why they are no trap.
const NAMESAKES: &[(&str, &str)] = &[
    ("Answer", "a test's verdict; what an operation on an object returns, and no test is near it"),
    ("Arrivals", "what an analysis may assume of arrivals, and the pattern by which they are made so"),
    (
        "Assumption",
        "what a test assumes, and what a scenario adds to it: the same idea, one within the other",
    ),
    ("Conclusion", "of one exploration, and the strongest of all answers: the same idea"),
    ("Context", "users write it for a job; names of a trace, in a crate that users do not build against"),
    ("Entry", "a job in a list of contention, within one formula; how a thread entered a section"),
    ("Failure", "why there are no response times, within one module; why a batch has no results"),
    ("Heap", "a data structure, and the shared object that is one"),
    ("Kind", "which requests contention counts, within one module; what is advised to change"),
    ("Kinds", "overheads by kind; which accesses write"),
    ("Measured", "a value of overheads; what a run measured of itself"),
    ("Memory", "of a batch's questions; of an object in a sequential reading"),
    ("Prepared", "a scenario with everything decided; a system in one bound's own form, within its file"),
    ("Reason", "why a test does not apply, and why a scenario has no answer: the same idea"),
    ("Request", "what a program asks for: to an analysis, a protocol's answer, an object"),
    ("Shape", "of a cache; of a shared object"),
    ("Span", "an interval of numbers, in an exploration; a stretch that a run measured of itself"),
    ("Spinning", "how a protocol, and its bound by a linear program, lets jobs wait"),
    ("System", "what is analysed; what a user's program declares"),
    ("User", "a task that uses a resource, in two bounds"),
    ("Users", "tasks that use a resource, for a protocol and for its bound"),
    ("Waiting", "how jobs wait: a fact of protocols, and what analyses charge for it"),
    ("Window", "of a subtask; of time, in pictures"),
    ("Workspace", "memory of simulations that follow one another, and of a batch's tests"),
];

/// By name of a public type: the libraries that have one.
fn public_types() -> BTreeMap<String, BTreeSet<String>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in fs::read_dir(crates).expect("there are crates") {
        let (name, mut files) = (entry.expect("a readable folder"), Vec::new());
        let (source, name) = (name.path().join("src"), name.file_name().to_string_lossy().into_owned());
        // What C and Python see has their own names; a program has no public types.
        if !["capi", "native", "rt"].contains(&name.as_str()) {
            sources(&source, &mut files);
        }
        for text in files.iter().map(|path| fs::read_to_string(path).expect("a text")) {
            for declared in text.lines().filter_map(declared) {
                all.entry(declared.to_owned()).or_default().insert(name.clone());
            }
        }
    }
    all
}

/// The public type that this line declares.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let name = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric()).next()
}

#[test]
fn public_types_have_no_namesakes_in_other_crates() {
    let types = public_types();
    assert!(types.len() > 500, "only {} types were found", types.len());
    let found: Vec<&str> =
        types.iter().filter(|(_, crates)| crates.len() > 1).map(|(name, _)| &**name).collect();
    let listed: Vec<&str> = NAMESAKES.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, listed, "rename a type, or list its name here with a reason");
}

#[test]
fn declarations_are_found() {
    assert_eq!(declared("    pub struct Row<'a> {"), Some("Row"));
    assert_eq!(declared("pub type Kinds = u8;"), Some("Kinds"));
    assert_eq!(declared("pub(crate) struct Row;"), None);
    assert_eq!(declared("pub use x::Row;"), None);
}
