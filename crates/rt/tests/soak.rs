//! Runs that are killed again and again leave nothing behind: `make soak`. Where real-time priorities are refused, the
//! tests say so and pass.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::pause;

const AVIONICS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/avionics.toml");

/// Kills a run `after` some milliseconds; false if real time is refused here.
fn kill_a_run(after: u64) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let server = folder.path().join("fair_server/cpu0");
    fs::create_dir_all(&server).unwrap();
    fs::write(server.join("runtime"), "50000000\n").unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_schedlab-rt"));
    run.args(["run", AVIONICS, "--duration", "60s", "--lift-fair-server", "--out"]);
    run.arg(folder.path().join("run.trace"));
    run.arg("--fair-server-folder").arg(folder.path().join("fair_server"));
    let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    pause(Duration::from_millis(after));
    if child.try_wait().unwrap().is_some_and(|status| status.code() == Some(3)) {
        println!("not run: real-time priorities are refused");
        return false;
    }
    let lifted = fs::read_to_string(server.join("runtime")).unwrap() == "0";
    assert!(lifted || after < 500, "the fair server was not lifted");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!Path::new(&format!("/proc/{}", child.id())).exists(), "a thread is left");
    let restored = (0..100).any(|_| {
        let value = fs::read_to_string(server.join("runtime")).unwrap();
        pause(Duration::from_millis(20));
        value.trim() == "50000000"
    });
    assert!(restored, "the fair server's setting is not restored");
    support::look_at_what_was_kept(&folder.path().join("run.trace"), after >= 500);
    true
}

#[test]
fn a_killed_run_restores_the_fair_server() {
    if kill_a_run(1_500) {
        kill_a_run(40);
    }
}

#[test]
#[ignore = "37 s, a hundred runs: each change kills two, `make soak` these"]
fn a_hundred_killed_runs_leave_nothing() {
    (0..100).all(|at| kill_a_run(at * 13 % 700));
}
