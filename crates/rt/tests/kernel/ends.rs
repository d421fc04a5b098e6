//! However a run ends, no scheduler is left, the ending has a name, and the next run works.

use crate::native::NATIVE;
use crate::support::{alone, checked_by, command, followed_by, limit, state, text, until, AVIONICS};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// A backend, and what a run by it is told besides.
type Way = (&'static str, &'static [&'static str]);

const LINKS: Way = ("scx", &[]);
const QUANTA: Way = (NATIVE, &["--scheduler", "PD2"]);

/// A run of a minute that has begun, with its trace at this path.
fn begun((backend, besides): Way, trace: &Path) -> Child {
    let mut run = command();
    run.args(["run", AVIONICS, "--backend", backend]).args(besides);
    run.args(["--duration", "60s", "--json", "--out"]).arg(trace);
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(until(30_000, || state() == "enabled"), "the run loads its scheduler");
    // Set-up goes on after that: its threads are the last step.
    assert!(until(30_000, || has_thread(child.id(), "watchdog")), "all threads are there");
    std::thread::sleep(std::time::Duration::from_millis(1_000));
    child
}

/// True if the process has a thread of this name.
fn has_thread(process: u32, name: &str) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return false };
    let names = threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("comm")).ok());
    names.into_iter().any(|found| found.trim() == name)
}

fn signal(name: &str, child: &Child) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// The next run works.
fn works((backend, besides): Way) {
    let arguments = [besides, &["--duration", "300ms"]].concat();
    // Quanta are a millisecond long.
    let run = if backend == NATIVE { followed_by } else { checked_by };
    run(backend, Path::new(AVIONICS), &arguments).expect("it runs");
}

fn findings(output: &Output) -> serde_json::Value {
    let said = text(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{:?}: {said}", output.status))
}

#[test]
fn a_killed_run_leaves_no_scheduler() {
    kill(LINKS);
}

#[test]
fn a_killed_run_leaves_no_scheduler_by_quanta() {
    kill(QUANTA);
}

fn kill(way: Way) {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("run.slt");
    let mut child = begun(way, &trace);
    child.kill().unwrap();
    // Sooner than signs of life that are missing would end it.
    assert!(until(limit(500), || state() == "disabled"), "half a second after kill -9");
    child.wait().unwrap();
    let part = folder.path().join("run.slt.part");
    assert!(until(5_000, || part.exists()), "what happened until then was kept");
    works(way);
}

#[test]
fn a_stopped_run_leaves_no_scheduler_and_says_so() {
    stop(LINKS);
}

#[test]
fn a_stopped_run_leaves_no_scheduler_by_quanta_and_says_so() {
    stop(QUANTA);
}

/// The run is named as ended when it goes on.
fn stop(way: Way) {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("run.slt");
    let child = begun(way, &trace);
    signal("-STOP", &child);
    assert!(until(limit(2_000), || state() == "disabled"), "two seconds after SIGSTOP");
    signal("-CONT", &child);
    let output = child.wait_with_output().unwrap();
    let found = findings(&output);
    assert_eq!((output.status.code(), &found["ending"]), (Some(1), &"ejected".into()), "{found}");
    let end = found["kernel_scheduler"]["end"].as_str().expect("the end has a name");
    assert!(end.contains("stood still"), "{end}");
    let file = schedlab_report::files::TraceFile::open(fs::File::open(&trace).unwrap()).unwrap();
    assert_eq!(file.header().get("scheduler_end"), Some("the run's process stood still"));
    works(way);
}

#[test]
fn an_interrupted_run_ends_regularly() {
    interrupt(LINKS);
}

#[test]
fn an_interrupted_run_by_quanta_ends_regularly() {
    interrupt(QUANTA);
}

fn interrupt(way: Way) {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let child = begun(way, &folder.path().join("run.slt"));
    signal("-INT", &child);
    let output = child.wait_with_output().unwrap();
    let found = findings(&output);
    assert_eq!((output.status.code(), &found["ending"]), (Some(130), &"stopped".into()), "{found}");
    assert_eq!((&found["kernel_scheduler"]["end"], state().as_str()), (&serde_json::Value::Null, "disabled"));
    works(way);
}

#[test]
fn a_run_whose_scheduler_is_ejected_fails_and_says_why() {
    eject(LINKS);
}

#[test]
fn a_run_whose_scheduler_by_quanta_is_ejected_fails_and_says_why() {
    eject(QUANTA);
}

/// The kernel ejects every scheduler when a processor goes away.
fn eject(way: Way) {
    let _alone = alone();
    let last = std::thread::available_parallelism().unwrap().get() - 1;
    let online = format!("/sys/devices/system/cpu/cpu{last}/online");
    if !Path::new(&online).exists() {
        println!("not tried: this kernel cannot take processors away");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let child = begun(way, &folder.path().join("run.slt"));
    fs::write(&online, "0").unwrap();
    let output = child.wait_with_output().unwrap();
    fs::write(&online, "1").unwrap();
    let found = findings(&output);
    assert_eq!((output.status.code(), &found["ending"]), (Some(1), &"ejected".into()), "{found}");
    assert_eq!(found["holds"], false, "{found}");
    assert!(found["kernel_scheduler"]["end"].as_str().unwrap().contains("unloaded by the kernel"), "{found}");
    assert!(until(limit(2_000), || state() == "disabled"));
    works(way);
}
