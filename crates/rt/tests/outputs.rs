//! Where outputs go wrong: readers that leave, devices, folders that are missing or vanish. Where real-time priorities
//! are refused, the runs say so and the tests pass.
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a user waits, too")]

mod support;

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::binary::{command, refused, text, AVIONICS};
use support::turn;

fn run(duration: &str) -> Command {
    let mut command = command();
    command.args(["run", AVIONICS, "--duration", duration]);
    command
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn a_reader_may_leave_but_a_full_device_is_an_error() {
    let _turn = turn();
    let mut child = run("200ms").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    if refused(&output) {
        return;
    }
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = run("200ms").stdout(full).stderr(Stdio::piped()).output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(4) && said.starts_with("schedlab-rt: standard output: "), "{said}");
}

/// As everywhere: what fails by the disk is neither bad input nor a finding.
#[test]
fn a_full_disk_has_a_status_of_its_own() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let doctor = command().arg("doctor").stdout(full()).output().unwrap();
    assert_eq!(doctor.status.code(), Some(4), "{}", text(&doctor.stderr));
    assert_eq!(text(&doctor.stderr), "schedlab-rt: standard output: No space left on device\n");
    let slot = command()
        .args(["measure", "pfair-slots", "--processors", "2", "--tasks", "4", "--sets", "1"])
        .stdout(full())
        .output()
        .unwrap();
    assert_eq!(slot.status.code(), Some(4), "{}", text(&slot.stderr));
    let _turn = turn();
    let trace = run("200ms").args(["--out", "/dev/full"]).output().unwrap();
    if refused(&trace) {
        return;
    }
    assert_eq!(trace.status.code(), Some(4), "{}", text(&trace.stderr));
    assert!(text(&trace.stderr).contains("/dev/full: No space left on device"), "{}", text(&trace.stderr));
}

#[test]
fn a_device_is_written_to_and_stays_one() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let device = folder.path().join("device");
    symlink("/dev/null", &device).unwrap();
    let output = run("200ms").arg("--out").arg(&device).arg("--perfetto").arg(&device).output().unwrap();
    if refused(&output) {
        return;
    }
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(fs::symlink_metadata(&device).unwrap().is_symlink(), "it was replaced");
}

#[test]
fn a_place_that_cannot_be_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    for (option, place) in [("--out", "none/run.slt"), ("--perfetto", "none/run.pftrace"), ("--out", "")] {
        let begun = Instant::now();
        let output = run("20s").arg(option).arg(folder.path().join(place)).output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(4) && said.lines().count() == 1, "{said}");
        assert!(begun.elapsed().as_secs() < 10 && is_empty(folder.path()));
    }
}

#[test]
fn a_run_whose_trace_cannot_be_written_still_says_what_it_found() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("place");
    fs::create_dir(&place).unwrap();
    let trace = place.join("run.slt");
    let mut run = run("2s");
    run.args(["--check", "--out"]).arg(&trace).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = run.spawn().unwrap();
    // It looks for the place before it begins, and writes there in the end.
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(1_200));
        fs::remove_dir_all(place).unwrap();
    });
    let output = child.wait_with_output().unwrap();
    if refused(&output) {
        return;
    }
    let (said, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.code() == Some(4) && said.contains("the replay is exact"), "{said} {error}");
    assert!(error.contains("run.slt: No such file"), "{error}");
    assert!(!error.contains("is gone"), "the process is still there: {error}");
}
