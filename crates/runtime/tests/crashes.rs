//! A task's code that crashes takes its process with it, and nothing stays behind. Each crash is a child process: this
//! very program, asked to crash.

mod support;

use schedlab_model::{JobId, TaskId};
use schedlab_runtime::{each_job, Body, Keep, Options};
use schedlab_trace::{Decoder, Header, Record};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use support::*;

/// The variable by which a child is asked to crash in a certain way.
const HOW: &str = "SCHEDLAB_TEST_CRASH";

fn crash(how: &str) {
    match how {
        // SAFETY: none: that is what this is about.
        "segv" => unsafe { std::ptr::null_mut::<u8>().wrapping_add(8).write_volatile(1) },
        "abort" => std::process::abort(),
        _ => panic!("this task crashes on purpose"),
    }
}

/// The variable with the place of the child's trace.
const WHERE: &str = "SCHEDLAB_TEST_TRACE";

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
    let mut header = Vec::new();
    Header::new(schedlab_trace::Backend::Threads).with("partial", "a test").encode(&mut header);
    let keep = Some(Keep { path: std::env::var(WHERE).unwrap().into(), header });
    let options = Options { keep, ..Options::default() };
    let tasks = vec![task(1, 10, 10), task(5, 10, 10)];
    let Some(outcome) = (Run { options, ..Run::of(tasks, "G-EDF", 2, 20_000, bodies) }).go() else {
        std::process::exit(3)
    };
    assert!(matches!(outcome.ending, schedlab_runtime::Ending::Crashed(_)));
    assert!(outcome.summary.jobs_completed >= 6, "what happened before is there");
    std::process::exit(7);
}

/// The records that were kept of a run that crashed: its first three jobs are complete, the fourth began.
fn look_at(kept: &Path) {
    let bytes = std::fs::read(kept).expect("the keeper ends before its standard error does");
    let mut rest = bytes.as_slice();
    assert_eq!(Header::decode(&mut rest).unwrap().get("partial"), Some("a test"));
    let records: Vec<_> = Decoder::new(rest).map(|record| record.expect("all are whole").1).collect();
    let crashed = |number| JobId::new(TaskId(0), number);
    assert!(records.contains(&Record::Complete { job: crashed(2) }));
    let started = |record: &Record| matches!(record, Record::Dispatch { job, .. } if *job == crashed(3));
    assert!(records.iter().any(started), "the job that crashed had begun");
    assert!(!records.contains(&Record::Complete { job: crashed(3) }) && !records.contains(&Record::End));
}

/// A turn: one child at a time has the processors.
static TURN: Mutex<()> = Mutex::new(());

/// False if real time is refused here.
fn crash_once(how: &str) -> bool {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("run.trace");
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(HOW, how)
        .env(WHERE, &trace)
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
    let said = String::from_utf8_lossy(&child.stderr).into_owned();
    // The trace of a run that panicked was not written, either: this is no program that does so.
    assert!(said.contains("the process of the run did not write its trace; what happened until"), "{said}");
    look_at(&Keep::part(&trace));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is half written");
    true
}

#[test]
fn a_crash_takes_the_process_or_ends_the_run() {
    ["segv", "abort", "panic"].iter().all(|how| crash_once(how));
}

#[test]
fn twenty_crashes_leave_nothing() {
    (0..20).all(|index| crash_once(["segv", "abort", "panic"][index % 3]));
}
