//! How the house writes: documents' lines have at most 120 characters. Two words that hide the subject are used neither
//! in documents nor in comments.

use std::fs;
use std::path::{Path, PathBuf};

/// Characters, not bytes. Nothing is exempt: code, tables and addresses fit too.
const LONGEST: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in the repository").to_owned()
}

/// Every document of the house, with its path.
fn documents() -> Vec<(String, String)> {
    let mut all = Vec::new();
    collect(&root(), false, &["md"], &mut all);
    for folder in ["docs", "examples", "studies", "benches"] {
        collect(&root().join(folder), true, &["md"], &mut all);
    }
    all.sort();
    assert!(all.len() > 12, "only {} documents were found", all.len());
    all
}

/// Every source whose comments are judged, with its path.
fn sources() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for folder in ["crates", "python", "tests", "studies"] {
        collect(&root().join(folder), true, &["rs", "py"], &mut all);
    }
    all.sort();
    assert!(all.len() > 500, "only {} sources were found", all.len());
    all
}

fn collect(folder: &Path, deep: bool, endings: &[&str], all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && deep && !hidden {
            collect(&path, deep, endings, all);
        } else if path.extension().is_some_and(|found| endings.iter().any(|ending| found == *ending)) {
            let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
            all.push((name, fs::read_to_string(&path).expect("a text")));
        }
    }
}

/// The line without its code between backticks: a rule has to be able to name the words that it forbids.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// What is wrong with a document, with the number of the line.
fn faults(name: &str, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let length = line.chars().count();
        if length > LONGEST {
            all.push(format!("{name}:{number}: {length} characters; {LONGEST} are allowed"));
        }
        hidden_subjects(name, number, line, &mut all);
    }
    all
}

fn hidden_subjects(name: &str, number: usize, prose: &str, all: &mut Vec<String>) {
    let prose = without_code(prose).to_lowercase();
    let words = prose.split(|letter: char| !letter.is_alphabetic());
    for word in words.filter(|word| ["whoever", "nobody"].contains(word)) {
        all.push(format!("{name}:{number}: \"{word}\"; say which thread, job, task or reader it is"));
    }
}

/// What is wrong with the comments of a source. Python's are what stands behind its sign or between triple quotes; in
/// Rust, where no line holds the second sign, there is only the first kind.
fn faults_of_comments(name: &str, text: &str) -> Vec<String> {
    let (sign, quotes) = if name.ends_with(".py") { ("#", "\"\"\"") } else { ("//", "\n") };
    let (mut all, mut quoted) = (Vec::new(), false);
    for (line, number) in text.lines().zip(1..) {
        for (index, part) in line.split(quotes).enumerate() {
            quoted ^= index > 0;
            let comment = if quoted { Some(part) } else { part.split_once(sign).map(|(_, comment)| comment) };
            hidden_subjects(name, number, comment.unwrap_or_default(), &mut all);
        }
    }
    all
}

#[test]
fn documents_keep_to_their_style() {
    let all: Vec<String> = documents().iter().flat_map(|(name, text)| faults(name, text)).collect();
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

#[test]
fn comments_keep_to_their_style() {
    let all: Vec<String> = sources().iter().flat_map(|(name, text)| faults_of_comments(name, text)).collect();
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

#[test]
fn faults_are_found() {
    let fits = "µ".repeat(LONGEST);
    let text = format!(
        "{fits}\n{fits}x\nNobody's, whoever decides.\n`nobody` is code, nobodyish no word.\n```\n{fits} \n```\n"
    );
    assert_eq!(
        faults("a.md", &text),
        [
            "a.md:2: 121 characters; 120 are allowed",
            "a.md:3: \"nobody\"; say which thread, job, task or reader it is",
            "a.md:3: \"whoever\"; say which thread, job, task or reader it is",
            "a.md:6: 121 characters; 120 are allowed",
        ]
    );
}

/// The signs are no part of the texts here, since this file is judged, too.
#[test]
fn faults_are_found_in_comments_alone() {
    let (slashes, quotes) = ("//", "\"\"\"");
    let fault = |place: &str| format!("{place}; say which thread, job, task or reader it is");
    let rust =
        format!("let nobody = \"whoever\"; {slashes} `nobody`\n{slashes}/ Whoever\n{slashes}! A nobody.\n");
    let found = faults_of_comments("a.rs", &rust);
    assert_eq!(found, ["a.rs:2: \"whoever\"", "a.rs:3: \"nobody\""].map(fault));
    let python = format!(
        "nobody = 1  # whoever\n{quotes}Fine.\n\nNobody.{quotes}\nwhoever\n{quotes}Whoever.{quotes}\n"
    );
    let found = faults_of_comments("a.py", &python);
    assert_eq!(found, ["a.py:1: \"whoever\"", "a.py:4: \"nobody\"", "a.py:6: \"whoever\""].map(fault));
}
