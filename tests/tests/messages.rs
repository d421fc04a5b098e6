//! Messages are for readers: no code asks what a sentence says. What a program has to know is a value beside it.

use std::fs;
use std::path::{Path, PathBuf};

/// Files that look for words in what is no message of ours, and the words. This list only shrinks.
const ALLOWED: &[(&str, &str)] = &[
    // The kernel's description of the processor.
    ("runtime/src/program/trace.rs", "model name"),
    ("measure/src/machine/about.rs", "model name"),
    // The kernel's times of all processors, whose line has no number.
    ("runtime/src/machine/stolen.rs", "cpu "),
];

/// Calls and signs before a literal that a text is compared with.
const ASKS: &[&str] = &[
    "contains(",
    "starts_with(",
    "ends_with(",
    "strip_prefix(",
    "strip_suffix(",
    "split_once(",
    "find(",
    "matches(",
    "== ",
    "!= ",
];

fn collect(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" && name != "benches" {
            collect(&path, all);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            all.push(path);
        }
    }
}

/// The words that a line of code compares a text with: a literal that has a blank and a letter.
fn asked(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let literal = |(index, _): (usize, &str)| {
        let (before, rest) = (&code[..index], &code[index + 1..]);
        let text = &rest[..rest.find('"')?];
        let is_words = text.contains(' ') && text.contains(char::is_alphabetic);
        let is_arm = rest[text.len() + 1..].trim_start().starts_with("=>");
        let is_asked = ASKS.iter().any(|ask| before.ends_with(ask)) || is_arm;
        (is_words && is_asked).then_some(text)
    };
    let is_code = !code.starts_with("//") && !code.contains("assert");
    is_code.then(|| code.match_indices('"').find_map(literal)).flatten()
}

/// The code of all crates by file, without tests.
fn shipped() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut files = Vec::new();
    collect(&crates, &mut files);
    assert!(files.len() > 300, "only {} sources were found", files.len());
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        let file = path.strip_prefix(&crates).expect("below the crates").to_string_lossy().into_owned();
        (file, text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned())
    };
    files.into_iter().map(read).collect()
}

#[test]
fn no_code_decides_by_the_words_of_a_message() {
    let (mut found, mut seen) = (Vec::new(), Vec::new());
    for (file, code) in shipped() {
        for (number, line) in code.lines().enumerate() {
            let Some(words) = asked(line) else { continue };
            match ALLOWED.iter().find(|(known, allowed)| *known == file && *allowed == words) {
                Some(allowed) => seen.push(allowed),
                None => found.push(format!("{file}:{}: \"{words}\"", number + 1)),
            }
        }
    }
    assert!(found.is_empty(), "these ask what a text says:\n{}", found.join("\n"));
    for allowed in ALLOWED {
        assert!(seen.contains(&allowed), "{allowed:?} is not needed any more");
    }
}

/// `Own` is for tests that are not shipped.
#[test]
fn shipped_tests_take_their_reasons_from_the_list() {
    let own: Vec<String> = shipped()
        .into_iter()
        .filter(|(_, code)| code.contains("Reason::Own") || code.contains("Stated::Own"))
        .map(|(file, _)| file)
        .collect();
    assert!(own.is_empty(), "these have reasons in words of their own: {own:?}");
}

#[test]
fn questions_about_words_are_found() {
    for line in [
        "text.ends_with(\"no overheads\")",
        "if why == \"is negative\" {",
        "    \"is too fine\" => 1,",
        "said(\"a\").contains(\"may be late\")",
    ] {
        assert!(asked(line).is_some(), "{line}");
    }
    for line in [
        "name.ends_with(\"-EDF\")",
        "// why == \"is negative\"",
        "Err(\"is too fine\")",
        "assert!(said.contains(\"may be late\"));",
        "format!(\"{name} has no value\")",
        "line.split_once(\": \")",
    ] {
        assert_eq!(asked(line), None, "{line}");
    }
}
