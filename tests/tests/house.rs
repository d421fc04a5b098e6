//! The house's own rules: who may depend on whom, no unsafe code below the runtime, files of one concept.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in the repository").to_owned()
}

/// Each crate and the crates of the house that it depends on. An arrow that is not here is against the plan.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("policy", &["model"]),
    ("lock", &["model"]),
    ("trace", &["model"]),
    ("workload", &["model"]),
    ("analysis", &["model", "policy"]),
    ("sim", &["model", "policy", "lock", "trace"]),
    ("scenario", &["analysis", "membus", "model", "policy", "lock", "workload"]),
    ("report", &["model", "trace"]),
    ("lp-blocking", &["analysis", "model"]),
    ("membus", &["workload"]),
    ("objects", &["model"]),
    ("scx", &[]),
    (
        "lab",
        &[
            "membus",
            "model",
            "policy",
            "lock",
            "trace",
            "workload",
            "analysis",
            "lp-blocking",
            "sim",
            "scenario",
            "report",
        ],
    ),
    ("account", &["lab", "lock", "model", "report", "sim", "trace"]),
    ("batch", &["lab", "model", "report", "scenario"]),
    (
        "runtime",
        &[
            "account", "lab", "lock", "model", "objects", "policy", "report", "scenario", "scx", "sim",
            "trace",
        ],
    ),
    (
        "measure",
        &[
            "account", "lab", "lock", "model", "objects", "policy", "report", "runtime", "scenario", "scx",
            "sim", "trace", "workload",
        ],
    ),
    ("tracepoints", &["model", "policy", "scenario", "trace"]),
    ("observe", &["account", "model", "policy", "report", "runtime", "scenario", "tracepoints"]),
    ("capi", &["model", "objects", "runtime"]),
    ("rt", &["account", "lab", "measure", "observe", "report", "runtime", "scenario", "trace"]),
    (
        "native",
        &[
            "account",
            "batch",
            "lp-blocking",
            "membus",
            "model",
            "policy",
            "lock",
            "trace",
            "workload",
            "analysis",
            "sim",
            "scenario",
            "report",
            "lab",
        ],
    ),
];

/// The crates of the house in the section `[dependencies]` of each crate's manifest.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).expect("there are crates") {
        let path = entry.expect("a readable folder").path();
        let Ok(manifest) = fs::read_to_string(path.join("Cargo.toml")) else { continue };
        let mut section = "";
        let mut found = Vec::new();
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line.trim();
            }
            let name = line.strip_prefix("schedlab-").and_then(|rest| rest.split(['.', ' ', '=']).next());
            // Under [target.*.dependencies] too, but tests may look anywhere.
            if section.ends_with("dependencies]") && !section.contains("dev-") {
                found.extend(name.map(str::to_owned));
            }
        }
        all.insert(path.file_name().expect("it has a name").to_string_lossy().into_owned(), found);
    }
    all
}

#[test]
fn arrows_point_down_only() {
    let all = dependencies();
    assert!(all.len() >= ARROWS.len(), "only {} crates were found", all.len());
    for (name, found) in &all {
        let (_, allowed) = ARROWS
            .iter()
            .find(|(known, _)| known == name)
            .unwrap_or_else(|| panic!("crates/{name} is new: say in ARROWS what it depends on"));
        for other in found {
            assert!(allowed.contains(&other.as_str()), "{name} must not depend on {other}");
        }
        for other in *allowed {
            assert!(
                found.iter().any(|known| known == other),
                "{name} does not depend on {other}: delete the arrow"
            );
        }
    }
    assert_eq!(all["sim"].len(), 4, "the manifests are read: {all:?}");
}

#[test]
fn no_unsafe_code_on_the_first_three_floors() {
    // `unsafe` lives on floor 4 alone; the Python module's is PyO3's.
    for (name, _) in
        ARROWS.iter().filter(|(name, _)| !["capi", "native", "objects", "runtime", "scx"].contains(name))
    {
        let source = root().join("crates").join(name).join("src");
        let read = |file| fs::read_to_string(source.join(file));
        let text = read("lib.rs").or_else(|_| read("main.rs")).expect("a library or a program");
        assert!(text.contains("#![forbid(unsafe_code)]"), "{name} does not forbid unsafe code");
    }
}

/// Every Rust source of the house, with its path.
fn sources() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for folder in ["crates", "tests/src", "tests/tests", "tools"] {
        collect(&root().join(folder), &mut all);
    }
    all.sort();
    assert!(all.len() > 100, "only {} sources were found", all.len());
    all
}

fn collect(folder: &Path, all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            collect(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
            all.push((name, fs::read_to_string(&path).expect("a text")));
        }
    }
}

#[test]
fn files_hold_one_concept() {
    /// Files that are longer. This list only shrinks.
    const LONGER: &[&str] = &[];
    for (path, text) in sources() {
        let length = text.lines().count();
        assert!(
            length <= 450 || LONGER.contains(&path.as_str()),
            "{path} has {length} lines; 450 are allowed"
        );
        assert!(text.starts_with("//!") || path.ends_with("/tests.rs"), "{path} does not say what it is");
    }
}

/// An editor shows code and comments beside each other.
#[test]
fn comments_fit_their_lines() {
    for (path, text) in sources() {
        let is_long = |line: &&str| line.trim_start().starts_with("//") && line.chars().count() > 120;
        let long: Vec<&str> = text.lines().filter(is_long).collect();
        assert!(long.is_empty(), "{path}: comments of more than 120 characters: {long:#?}");
    }
}

#[test]
fn nothing_is_left_to_do() {
    // Put together here, so that this file does not contain them.
    let banned = [["FIX", "ME"], ["XX", "X"], ["todo", "!("], ["unimplemented", "!("], ["dbg", "!("]]
        .map(|p| p.concat());
    for (path, text) in sources() {
        for word in &banned {
            assert!(!text.contains(word.as_str()), "{path} contains {word}");
        }
    }
}

#[test]
fn every_test_file_belongs_to_a_program() {
    // Without `autotests`, Cargo ignores a file that no program names.
    let mut programs = 0;
    for package in packages().filter(|package| package.join("tests/all.rs").exists()) {
        programs += 1;
        let listed = fs::read_to_string(package.join("tests/all.rs")).expect("it exists");
        let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("a package has a manifest");
        for entry in fs::read_dir(package.join("tests")).expect("it exists") {
            let path = entry.expect("a readable folder").path();
            let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            let is_file = path.extension().is_some_and(|kind| kind == "rs") && name != "all";
            let is_test = is_file || ["main.rs", "mod.rs"].iter().any(|file| path.join(file).exists());
            let belongs = listed.contains(&format!("mod {name};\n"))
                || manifest.contains(&format!("name = \"{name}\""));
            assert!(!is_test || belongs, "{}: say `mod {name};` in tests/all.rs", path.display());
        }
    }
    assert!(programs > 8, "only {programs} programs of tests were found");
}

#[test]
fn every_source_belongs_to_its_crate() {
    // Cargo ignores a file that no module names.
    let mut files = 0;
    for package in packages() {
        let (source, mut all) = (package.join("src"), Vec::new());
        collect(&source, &mut all);
        for (path, _) in &all {
            let file = root().join(path);
            let is_folder = file.ends_with("mod.rs");
            let module = if is_folder { file.parent().expect("it is in a folder") } else { &file };
            let (name, folder) = (module.file_stem(), module.parent().expect("it is in a folder"));
            let name = name.expect("it has a name").to_string_lossy();
            let is_program = folder == source && ["lib", "main"].contains(&&*name);
            if is_program || folder == source.join("bin") {
                continue;
            }
            let listing = ["mod.rs", "lib.rs", "main.rs"].map(|list| folder.join(list));
            let lists = listing.into_iter().chain([folder.with_extension("rs")]);
            let listed: String = lists.filter_map(|list| fs::read_to_string(list).ok()).collect();
            let belongs = listed.contains(&format!("mod {name};\n"));
            assert!(
                belongs,
                "{path}: nothing compiles it; say `mod {name};` in the file that lists its folder"
            );
            files += 1;
        }
    }
    assert!(files > 500, "only {files} sources were found");
}

/// The folders of all packages.
fn packages() -> impl Iterator<Item = PathBuf> {
    let crates = fs::read_dir(root().join("crates")).expect("there are crates");
    let each = crates.map(|entry| entry.expect("a readable folder").path());
    each.chain([root().join("tests")])
}

/// `make test` runs no examples in documentation but those of objects: building each crate's costs more than it finds.
#[test]
fn examples_in_documentation_are_run() {
    for (file, text) in sources() {
        let comments = text.lines().map(str::trim_start).filter(|line| line.starts_with("//"));
        let fences = comments.filter_map(|line| line.trim_start_matches(['/', '!', ' ']).strip_prefix("```"));
        let example = fences.step_by(2).find(|language| !matches!(*language, "text" | "toml"));
        assert!(
            example.is_none() || file.starts_with("crates/objects/"),
            "{file}: an example that nothing runs; make it a test, which the documentation names"
        );
    }
}

/// The table at the head of a library names folders and modules that are there.
#[test]
fn folders_in_tables_are_there() {
    let mut tables = 0;
    for package in packages() {
        let Ok(text) = fs::read_to_string(package.join("src/lib.rs")) else { continue };
        if !["//! | folder |", "//! | modules |"].iter().any(|head| text.contains(head)) {
            continue;
        }
        tables += 1;
        let cells = text.lines().filter_map(|line| line.strip_prefix("//! | ")?.split(" | ").next());
        let names = cells.filter(|cell| cell.contains('`')).flat_map(|cell| cell.split(", "));
        let name = |name: &str| name.trim_matches(['[', ']', '`']).trim_start_matches("mod@").to_owned();
        let named: Vec<String> = names.map(name).collect();
        let source = package.join("src");
        let is_there =
            |name: &String| source.join(name).is_dir() || source.join(format!("{name}.rs")).is_file();
        assert!(named.len() > 3 && named.iter().all(is_there), "{}: {named:?}", package.display());
    }
    assert!(tables > 6, "only {tables} libraries have such a table");
}
