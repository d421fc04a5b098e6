//! How runs end that are not let go on, and what keeps them from beginning. Where real-time priorities are refused, the
//! runs say so and the tests pass.

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::binary::{command, read, refused, scenario, text, AVIONICS, TAKEN};
use support::{let_it_run, pause, turn};

#[test]
fn an_interrupted_run_keeps_what_happened() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("run.trace");
    let mut run = command();
    run.args(["run", AVIONICS, "--duration", "60s", "--out"]).arg(&trace);
    let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let_it_run(&mut child);
    // SIGINT, as Ctrl-C sends it.
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    if refused(&output) {
        return;
    }
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("stopped at"), "{}", text(&output.stdout));
    assert!(read(&trace).0 > 100);
}

/// Threads and their priorities are gone with the process; what happened until then can be read.
#[test]
fn a_killed_run_leaves_what_happened_and_nothing_else() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("run.trace");
    let mut run = command();
    run.args(["run", AVIONICS, "--duration", "60s", "--out"]).arg(&trace);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let_it_run(&mut child);
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    if refused(&output) {
        return;
    }
    let said = text(&output.stderr);
    assert!(said.contains("run.trace.part"), "{said}");
    support::look_at_what_was_kept(&trace, true);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// The second run is refused before it disturbs the first, whatever it is, unless it uses other processors or no
/// priorities.
#[test]
fn two_runs_do_not_share_processors() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let alone = "schedlab = 1\nscheduler = \"P-EDF\"\nplatform = { processors = 1 }\n\
                 [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n";
    let path = scenario(folder.path(), alone);
    let on_first = |words: &[&str]| {
        let mut pinned = Command::new("taskset");
        pinned.args(["-c", "0", env!("CARGO_BIN_EXE_schedlab-rt")]).args(words);
        pinned
    };
    let run = ["run", path.to_str().unwrap(), "--duration"];
    let mut first = on_first(&run).arg("60s").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let_it_run(&mut first);
    if first.try_wait().unwrap().is_some() {
        assert!(refused(&first.wait_with_output().unwrap()));
        return;
    }
    let out = folder.path().join("overheads.toml");
    let measure = ["measure", "--quick", "--out", out.to_str().unwrap()];
    for second in [&[&run[..], &["1s"]].concat()[..], &["measure", "calls"], &measure] {
        let output = on_first(second).output().unwrap();
        let why = format!("schedlab-rt: process {} {TAKEN} 0: wait until it ends", first.id());
        assert!(text(&output.stderr).contains(&why), "{second:?}: {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(3), "{second:?}");
    }
    let ordinary = on_first(&run).args(["100ms", "--unprivileged"]).output().unwrap();
    assert!(ordinary.status.success(), "{}", text(&ordinary.stderr));
    let mut elsewhere = Command::new("taskset");
    elsewhere.args(["-c", "1", env!("CARGO_BIN_EXE_schedlab-rt")]).args(run).arg("100ms");
    let elsewhere = elsewhere.output().unwrap();
    let has_second = !text(&elsewhere.stderr).contains("taskset");
    assert!(!has_second || elsewhere.status.success(), "{}", text(&elsewhere.stderr));
    assert!(first.try_wait().unwrap().is_none(), "the first one goes on");
    first.kill().unwrap();
    first.wait().unwrap();
    let after = on_first(&run).arg("100ms").output().unwrap();
    assert!(after.status.success(), "{}", text(&after.stderr));
}

/// Jobs that were late since their process was stopped have that as their reason.
#[test]
fn a_run_that_is_stopped_for_a_while_says_so() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let one = "schedlab = 1\nscheduler = \"P-EDF\"\nplatform = { processors = 1 }\n\
               [[task]]\nname = \"a\"\nwcet = \"4 ms\"\nperiod = \"10 ms\"\n";
    let path = scenario(folder.path(), one);
    let mut run = command();
    run.args(["run", "--duration", "3s", "--check", "--json"]).arg(&path);
    let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let_it_run(&mut child);
    let send =
        |signal: &str| Command::new("kill").args([signal, child.id().to_string().as_str()]).status().unwrap();
    send("-STOP");
    pause(Duration::from_millis(700));
    send("-CONT");
    let output = child.wait_with_output().unwrap();
    if refused(&output) {
        return;
    }
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let still = found["from_outside"]["stood_still"].as_array().unwrap();
    let length = |one: &serde_json::Value| one["to_ns"].as_u64().unwrap() - one["from_ns"].as_u64().unwrap();
    assert!(still.iter().any(|one| length(one) >= 600_000_000), "{}", found["from_outside"]);
    let misses = &found["misses"];
    // Without the kernel's context switches it is not known why.
    if misses.is_null() {
        return;
    }
    assert_eq!(misses["unexplained"], serde_json::json!([]), "{misses}");
    assert!(misses["lost_mostly_to"].to_string().contains("standstill"), "{misses}");
}

#[test]
fn a_run_ends_with_its_parent() {
    let _turn = turn();
    let script = format!(
        "{} run {AVIONICS} --duration 60s --with-parent >/dev/null 2>&1 & echo $!; wait",
        env!("CARGO_BIN_EXE_schedlab-rt")
    );
    let mut parent = Command::new("sh").args(["-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut child = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(parent.stdout.take().unwrap()), &mut child)
        .unwrap();
    pause(Duration::from_millis(700));
    parent.kill().unwrap();
    parent.wait().unwrap();
    let child = format!("/proc/{}/status", child.trim());
    let is_there = || fs::read_to_string(&child).is_ok_and(|status| !status.contains("State:\tZ"));
    for _ in 0..100 {
        if !is_there() {
            return;
        }
        pause(Duration::from_millis(100));
    }
    panic!("the run goes on without its parent");
}
