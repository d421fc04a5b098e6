//! One name, one meaning: a public type of one crate has no namesake in another, but those that are listed here with
//! a reason. `at` is an instant, and no index. Words of the glossary have no second meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "tests" && name != "benches") {
            sources(&path, all);
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Cross-checks compare the names in other tools' records; a figure of a paper is about the schedulers that it
        // names.
        let is_code = [".rs", ".py"].iter().any(|ending| name.ends_with(ending)) && name != "tests.rs";
        let is_code = is_code
            && !name.starts_with("crosscheck")
            && !path.iter().any(|part| part == "crosscheck" || part == "_studies");
        if is_code {
            all.push(path.clone());
        }
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
    ("Shape", "of a cache; of a shared object"),
    ("Span", "an interval of numbers, in an exploration; a stretch that a run measured of itself"),
    ("Spinning", "how a protocol, and its bound by a linear program, lets jobs wait"),
    ("System", "what is analysed; what a user's program declares"),
    ("ThreadClass", "of a task's thread; of a thread that a recording shows"),
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
    name.split(|c: char| !c.is_alphanumeric()).next().filter(|name| !name.is_empty())
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

/// Whether this line of code uses `at`, which is an instant, as an index: as a number of a list or within brackets.
fn indexes_by_at(line: &str) -> bool {
    let ends_a_word = |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_index = |(place, _): (usize, &str)| {
        let (before, after) = (&line[..place], &line[place + 2..]);
        let is_typed =
            [": usize", " as usize", " as u32", " as u16"].iter().any(|kind| after.starts_with(kind));
        let list = before.strip_suffix('*').unwrap_or(before).strip_suffix('[').unwrap_or_default();
        let within = ["]", "..", " + ", " - "].iter().any(|next| after.starts_with(next));
        !ends_a_word(before) && (is_typed || within && (ends_a_word(list) || list.ends_with([')', ']'])))
    };
    !line.trim_start().starts_with("//") && line.match_indices("at").any(is_index)
}

#[test]
fn at_is_an_instant_and_no_index() {
    let (root, mut files) = (Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), Vec::new());
    ["crates", "benches", "tests/src"].iter().for_each(|folder| sources(&root.join(folder), &mut files));
    assert!(files.len() > 500, "only {} files were found", files.len());
    for path in files {
        let text = fs::read_to_string(&path).expect("a text");
        let found = text.lines().find(|line| indexes_by_at(line));
        assert_eq!(found, None, "{path:?}: call an index by what it counts, or `index`");
    }
    let indexes =
        ["row[at]", "row[*at]", "row()[at..]", "rows[0][at - 1]", "fn f(at: usize)", "Id(at as u32)"];
    assert!(indexes.into_iter().all(indexes_by_at));
    let others = ["let [at] = all;", "[at(0), 1]", "// row[at]", "format: usize", "row[that]", "at + length"];
    assert!(!others.into_iter().any(indexes_by_at));
}

/// Words with one meaning elsewhere, and what the code of crates says for another one.
const TAKEN: &[(&str, &str)] = &[
    (
        "claim",
        "is a paper's sentence that a study judges; what a thread takes without asking is a fast section",
    ),
    ("enum Note", "a policy notes events; what it adds to the trace is an annotation"),
];

#[test]
fn a_word_of_the_glossary_has_one_meaning() {
    let (root, mut files) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates"), Vec::new());
    sources(&root, &mut files);
    assert!(files.len() > 500, "only {} files were found", files.len());
    for path in files {
        let text = fs::read_to_string(&path).expect("a text");
        // Other words end like it.
        let begins = |(index, _): (usize, &str)| !text[..index].ends_with(char::is_alphabetic);
        let found = TAKEN.iter().find(|(word, _)| text.match_indices(word).any(begins));
        assert_eq!(found, None, "{path:?}");
    }
}

#[test]
fn declarations_are_found() {
    assert_eq!(declared("    pub struct Row<'a> {"), Some("Row"));
    assert_eq!(declared("pub type Kinds = u8;"), Some("Kinds"));
    assert_eq!(declared("pub(crate) struct Row;"), None);
    assert_eq!(declared("pub use x::Row;"), None);
    assert_eq!(declared("pub struct $name(pub u32);"), None);
}
