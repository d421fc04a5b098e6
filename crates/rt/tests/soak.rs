//! Runs that are killed again and again leave nothing behind: `make soak`. Where real-time priorities are refused, the
//! tests say so and pass.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::binary::{command, AVIONICS};
use support::{pause, turn};

/// Tells the processes that the run has started to end, as a service manager does.
fn tell_to_end(run: u32) {
    let children = fs::read_to_string(format!("/proc/{run}/task/{run}/children")).unwrap();
    let children: Vec<_> = children.split_whitespace().collect();
    assert_eq!(children.len(), 2, "a keeper and a guardian");
    for signal in ["-HUP", "-INT", "-TERM"] {
        assert!(Command::new("kill").arg(signal).args(&children).status().unwrap().success());
    }
    pause(Duration::from_millis(100));
}

/// Kills a run `after` some milliseconds, once its helpers were `told` to end; false if real time is refused here.
fn kill_a_run(after: u64, told: bool) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let server = folder.path().join("fair_server/cpu0");
    fs::create_dir_all(&server).unwrap();
    fs::write(server.join("runtime"), "50000000\n").unwrap();
    let mut run = command();
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
    if told {
        tell_to_end(child.id());
    }
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
