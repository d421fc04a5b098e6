//! What is registered says itself what others must know of it: no code compares its name with a literal.

use schedlab_lab::Catalog;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_model::Invariant;
use schedlab_policy::{all_schedulers, kernel_classes, ALL_ORDERS};
use schedlab_scenario::shipped_names;
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
