//! Runs of the binary.

pub use crate::machine::{alone, is_counted, limit, state, until};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const AVIONICS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/avionics.toml");

pub fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_schedlab-rt"))
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file with this scenario in `folder`.
pub fn scenario(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("own.toml");
    fs::write(&path, text).unwrap();
    path
}

/// Runs `scenario` by links with these arguments, and returns what it prints.
pub fn run(scenario: &Path, arguments: &[&str]) -> Output {
    run_by("scx", scenario, arguments)
}

/// Runs `scenario` by this backend with these arguments, and returns what it prints.
pub fn run_by(backend: &str, scenario: &Path, arguments: &[&str]) -> Output {
    let mut run = command();
    run.arg("run").arg(scenario).args(["--backend", backend]).args(arguments);
    run.output().expect("the binary can be started")
}

/// The findings of a checked run, in which all that does not depend on emulated time has to hold; none if the scheduler
/// or the protocol does not take the scenario.
pub fn checked(scenario: &Path, arguments: &[&str]) -> Option<Value> {
    checked_by("scx", scenario, arguments)
}

/// As above, by this backend. Where instructions count as time, switches must agree with decisions, too. But there an
/// emulated processor may stand still for longer than the check allows; such a run is done up to twice more.
pub fn checked_by(backend: &str, scenario: &Path, arguments: &[&str]) -> Option<Value> {
    let mut tried = Vec::new();
    for _ in 0..3 {
        let (found, said) = run_once(backend, scenario, arguments)?;
        if !is_counted() || found["holds"] == true {
            return Some(found);
        }
        println!("once more: {}", found["witness"]);
        tried.push(said);
    }
    panic!("three times: {}", tried.join("\n"));
}

/// The findings of a checked run by this backend in which all has to hold but how soon the kernel's switches follow the
/// decisions: an emulated processor may stand still for some milliseconds, which short quanta do not allow.
pub fn followed_by(backend: &str, scenario: &Path, arguments: &[&str]) -> Option<Value> {
    run_once(backend, scenario, arguments).map(|(found, _)| found)
}

/// The findings of a checked run in which invariants hold and, if schedlab decided, the replay is exact; and all that
/// it printed.
fn run_once(backend: &str, scenario: &Path, arguments: &[&str]) -> Option<(Value, String)> {
    let output = run_by(backend, scenario, &[arguments, &["--check", "--json"]].concat());
    if output.status.code() == Some(2) {
        return None;
    }
    let said = format!("{arguments:?}: {} {}", text(&output.stderr), text(&output.stdout));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    for holds in ["invariants_hold", "whole"] {
        assert_eq!(found[holds], true, "{holds}: {said}");
    }
    // Where the kernel decided, a replay shows nothing.
    let exact = if found["native"].is_null() { true.into() } else { Value::Null };
    assert_eq!(found["replay_is_exact"], exact, "{said}");
    assert_eq!((&found["backend"], &found["ending"]), (&backend.into(), &"horizon".into()), "{said}");
    assert_eq!(found["kernel_scheduler"]["end"], Value::Null, "{said}");
    // The kernel's own switches keep the policy's promises, too.
    let witness = &found["witness"];
    assert_eq!(witness["invariants_hold"], true, "{said}");
    assert_eq!((&witness["on_two_processors"], &witness["lost"]), (&0.into(), &0.into()), "{said}");
    assert_eq!(output.status.code(), Some(if found["holds"] == true { 0 } else { 1 }), "{said}");
    assert_eq!(state(), "disabled", "{said}");
    Some((found, said))
}
