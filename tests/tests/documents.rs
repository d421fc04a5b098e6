//! The documents' own rules: lines have at most 120 characters, and two words that hide the subject are not used.

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
    collect(&root(), false, &mut all);
    for folder in ["docs", "examples", "studies", "benches"] {
        collect(&root().join(folder), true, &mut all);
    }
    all.sort();
    assert!(all.len() > 12, "only {} documents were found", all.len());
    all
}

fn collect(folder: &Path, deep: bool, all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && deep && !hidden {
            collect(&path, deep, all);
        } else if path.extension().is_some_and(|extension| extension == "md") {
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
        let prose = without_code(line).to_lowercase();
        let words = prose.split(|letter: char| !letter.is_alphabetic());
        for word in words.filter(|word| ["whoever", "nobody"].contains(word)) {
            all.push(format!("{name}:{number}: \"{word}\"; say which thread, job, task or reader it is"));
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
