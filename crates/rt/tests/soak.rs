//! Runs that are killed again and again leave nothing behind: `make soak`. Where real-time priorities are refused, the
//! tests say so and pass.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::binary::{command, AVIONICS};
use support::{pause, turn};

/// Tells the process that the run has started to end, as a service manager does.
fn tell_to_end(run: u32) {
    let children = fs::read_to_string(format!("/proc/{run}/task/{run}/children")).unwrap();
    let children: Vec<_> = children.split_whitespace().collect();
    assert_eq!(children.len(), 1, "a keeper");
    for signal in ["-HUP", "-INT", "-TERM"] {
        assert!(Command::new("kill").arg(signal).args(&children).status().unwrap().success());
    }
    pause(Duration::from_millis(100));
}

/// Kills a run `after` some milliseconds, once its keeper was `told` to end; false if real time is refused here.
fn kill_a_run(after: u64, told: bool) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("run.trace");
    let mut run = command();
    run.args(["run", AVIONICS, "--duration", "60s", "--out"]).arg(&trace);
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    pause(Duration::from_millis(after));
    if child.try_wait().unwrap().is_some_and(|status| status.code() == Some(3)) {
        println!("not run: real-time priorities are refused");
        return false;
    }
    if told {
        tell_to_end(child.id());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!Path::new(&format!("/proc/{}", child.id())).exists(), "a thread is left");
    support::look_at_what_was_kept(&trace, after >= 500);
    true
}

#[test]
fn the_keeper_of_a_killed_run_heeds_no_signal() {
    let _turn = turn();
    if kill_a_run(1_500, true) {
        kill_a_run(40, false);
    }
}

#[test]
#[ignore = "37 s, a hundred runs: each change kills two, `make soak` these"]
fn a_hundred_killed_runs_leave_nothing() {
    let _turn = turn();
    (0..100).all(|at| kill_a_run(at * 13 % 700, false));
}
