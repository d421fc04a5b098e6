//! Malformed scenarios: each file in `tests/bad` with its whole message beside it.
//!
//! `make renew` writes the messages anew, to be read before they are committed.

use schedlab_scenario::Scenario;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad")
}

/// What a user is told about the file, its name without the folder, on every system alike.
fn message(path: &Path) -> String {
    // What is not there is not there on any system; its words for that differ.
    let loader = |name: &str| fs::read(folder().join(name)).map_err(|_| "there is no such file".to_owned());
    let name = path.file_name().unwrap().to_string_lossy();
    match Scenario::parse_with(&name, fs::read(path).unwrap(), &loader) {
        Ok(_) => "no error\n".to_owned(),
        Err(errors) => format!("{errors}\n"),
    }
}

#[test]
fn each_malformed_file_has_its_message() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        count += 1;
        let found = message(&path);
        let expected = path.with_extension("txt");
        if std::env::var_os("RENEW").is_some() {
            fs::write(&expected, &found).unwrap();
        }
        let wanted = fs::read_to_string(&expected).unwrap_or_default();
        if found != wanted || found == "no error\n" {
            wrong.push(format!("{}\nfound:  {found}wanted: {wanted}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}\n`make renew` writes the messages anew", wrong.join("\n"));
    assert!(count >= 30, "{count}");
}

/// Every message names the file, a line and what is allowed; all but those of the syntax a field.
#[test]
fn messages_are_complete() {
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        for line in message(&path).lines() {
            let parts: Vec<&str> = line.splitn(4, ':').collect();
            assert!(parts[0].ends_with(".toml"), "{line}");
            assert!(parts[1].parse::<usize>().is_ok() && parts[2].parse::<usize>().is_ok(), "{line}");
            assert!(line.contains("allowed: ") || line.contains("not valid TOML"), "{line}");
        }
    }
}
