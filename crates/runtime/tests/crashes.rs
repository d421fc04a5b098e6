//! A task's code that crashes takes its process with it, and nothing stays behind. Each crash is a child process: this very
//! program, told to crash.

mod support;

use schedlab_runtime::{each_job, Body};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use support::*;

/// Says to a child how to crash.
const HOW: &str = "SCHEDLAB_TEST_CRASH";

fn crash(how: &str) {
    match how {
        // SAFETY: none: that is what this is about.
        "segv" => unsafe { std::ptr::null_mut::<u8>().wrapping_add(8).write_volatile(1) },
        "abort" => std::process::abort(),
        _ => panic!("this task crashes on purpose"),
    }
}

/// Only in a child: real-time tasks, one of which crashes in its fourth job.
#[test]
fn child() {
    let Ok(how) = std::env::var(HOW) else { return };
    let bodies: Vec<Body> = vec![
        each_job(move |context| {
            if context.job().number == 3 {
                crash(&how);
            }
        }),
        each_job(|_| burn(2_000)),
    ];
    let Some(outcome) = run(vec![task(1, 10, 10), task(5, 10, 10)], "G-EDF", 2, 20_000, bodies) else {
        std::process::exit(3)
    };
    assert!(matches!(outcome.ending, schedlab_runtime::Ending::Crashed(_)));
    assert!(outcome.summary.jobs_completed >= 6, "what happened before is there");
    std::process::exit(7);
}

/// False if real time is refused here.
fn crash_once(how: &str) -> bool {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(HOW, how)
        .output()
        .unwrap();
    if child.status.code() == Some(3) {
        println!("not run: {}", String::from_utf8_lossy(&child.stdout));
        return false;
    }
    match how {
        "segv" => assert_eq!(child.status.signal(), Some(11), "{:?}", child.status),
        "abort" => assert_eq!(child.status.signal(), Some(6), "{:?}", child.status),
        _ => assert_eq!(child.status.code(), Some(7), "{}", String::from_utf8_lossy(&child.stderr)),
    }
    true
}

#[test]
fn a_crash_takes_the_process_or_ends_the_run() {
    ["segv", "abort", "panic"].iter().all(|how| crash_once(how));
}

#[test]
#[ignore = "long: make soak"]
fn twenty_crashes_leave_nothing() {
    (0..20).all(|at| crash_once(["segv", "abort", "panic"][at % 3]));
}
