//! C programs, built by `cc` against the library, do what they say. Where real-time priorities are refused, the
//! tests say so and pass.

#[path = "../../runtime/tests/support/skipped.rs"]
mod skipped;

use schedlab_account::{Account, RealRun};
use schedlab_lab::{context_of, Prepared};
use schedlab_report::TraceFile;
use skipped::skipped;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folder with the libraries that the tests were built with.
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// The library of this name in that folder, with Cargo's hash or without, the newest of them; others have longer names.
fn library(name: &str, ends: &str) -> PathBuf {
    let fits = |path: &PathBuf| {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let rest = file.strip_prefix(name).and_then(|rest| rest.strip_suffix(ends));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let all = std::fs::read_dir(libraries()).unwrap().map(|entry| entry.unwrap().path()).filter(fits);
    all.max_by_key(|path| path.metadata().unwrap().modified().unwrap()).expect("the library was built")
}

fn build(source: &Path, out: &Path, links: &[&str]) {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"]).arg(include).arg(source).arg("-o").arg(out);
    let output = cc.args(links).output().expect("there is a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Waits until no other test has the processors.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True, and said, if this machine does not let the run happen.
fn refused(output: &Output) -> bool {
    let refused = output.status.code() == Some(3);
    if refused {
        skipped(&String::from_utf8_lossy(&output.stderr));
    }
    refused
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c").join(name)
}

#[test]
fn the_periodic_example_runs_with_the_dynamic_library() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("periodic");
    let shared = library("libschedlab", ".so");
    let rpath = format!("-Wl,-rpath,{}", shared.parent().unwrap().display());
    build(&example("periodic.c"), &program, &[shared.to_str().unwrap(), &rpath]);
    let output = Command::new(&program).output().unwrap();
    if refused(&output) {
        return;
    }
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said} {}", String::from_utf8_lossy(&output.stderr));
    // 100 jobs add one, 50 add ten; the last ones may not be complete.
    let counter: u32 = said.trim().rsplit(' ').next().unwrap().parse().unwrap();
    assert!((580..=600).contains(&counter) && said.contains(" jobs, "), "{said}");
}

/// A library that was built for it loads a scheduler into the kernel; every other one says why it does not.
#[test]
fn a_program_chooses_its_backend() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("backend");
    let archive = library("libschedlab", ".a");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/backend.c");
    let kernel = if cfg!(feature = "kernel") { &["-lelf", "-lz"][..] } else { &[] };
    let links = [&[archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"], kernel].concat();
    build(&source, &program, &links);
    let run = |backend: &str| Command::new(&program).arg(backend).output().unwrap();
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let class = run("class");
    assert!(class.status.code() == Some(1) && said(&class).contains("SCHED_FIFO"), "{}", said(&class));
    let (threads, scx) = (run("threads"), run("scx"));
    if !refused(&threads) {
        assert!(threads.status.success(), "{}", said(&threads));
    }
    if std::env::var("SCHEDLAB_TEST_BACKEND").is_ok_and(|backend| backend == "scx") {
        let counted = String::from_utf8_lossy(&scx.stdout).into_owned();
        assert!(scx.status.success() && counted.contains(" counted"), "{counted} {}", said(&scx));
    } else if !cfg!(feature = "kernel") {
        assert!(
            scx.status.code() == Some(3) && said(&scx).contains("no scheduler loads into the kernel"),
            "{}",
            said(&scx)
        );
    }
}

#[test]
fn the_interface_does_what_its_header_says() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("interface");
    let archive = library("libschedlab", ".a");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interface.c");
    build(&source, &program, &[archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"]);
    let trace = folder.path().join("run.slt");
    let kept = folder.path().join("kept.slt");
    let output = Command::new(&program).args([&trace, &kept]).output().unwrap();
    if refused(&output) {
        return;
    }
    assert!(output.status.success(), "{:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("arrival to first instruction") && said.contains("the replay is exact"), "{said}");
    assert!(std::fs::metadata(&trace).unwrap().len() > 100);
    assert_eq!(std::fs::read(&trace).unwrap(), std::fs::read(&kept).unwrap());
    assert!(!folder.path().join("kept.slt.part").exists(), "the run lived to write it");
    is_explained(&trace);
    // What the kernel says that ran, where it may be asked.
    let beside =
        ["run.kernel.slt", "kept.kernel.slt"].map(|name| std::fs::read(folder.path().join(name)).ok());
    assert_eq!(beside[0], beside[1]);
    match &beside[0] {
        Some(bytes) => {
            assert!(bytes.windows(6).any(|window| window == b"kernel"), "its header says whose word it is")
        }
        None => {
            let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
            let has_events = Path::new("/proc/sys/kernel/perf_event_paranoid").exists();
            assert!(!(is_root && has_events), "the kernel may be asked");
            skipped("the kernel may not be asked here");
        }
    }
}

/// None needs real-time priorities.
#[test]
fn two_processes_share_wait_free_objects() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let archive = library("libschedlab", ".a");
    let gnu = ["-D_GNU_SOURCE", archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"];
    let (program, members) = (folder.path().join("example"), folder.path().join("members"));
    let examples = [
        ("buffer.c", "none torn, and some of them read"),
        ("heap.c", "100000 events put, each of them taken once"),
    ];
    for (name, says) in examples {
        build(&example(name), &program, &gnu);
        let output = Command::new(&program).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said} {}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(says), "{said}");
    }
    build(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/members.c"), &members, &gnu);
    let output = Command::new(&members).output().unwrap();
    assert!(output.status.success(), "{:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
}

/// It needs no real-time priorities.
#[test]
fn bad_arguments_are_refused_with_a_text() {
    let folder = tempfile::tempdir().unwrap();
    let (program, archive) = (folder.path().join("refusals"), library("libschedlab", ".a"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refusals.c");
    build(&source, &program, &[archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"]);
    let output = Command::new(&program).output().unwrap();
    assert!(output.status.success(), "{:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
}

/// The trace of a C program says why its jobs missed deadlines, where the kernel may be asked.
fn is_explained(trace: &Path) {
    let file = TraceFile::open(std::fs::File::open(trace).unwrap()).unwrap();
    let header = file.header().clone();
    let (scenario, _) = context_of(&header).unwrap();
    let prepared = Prepared::new(&scenario).unwrap();
    let run = RealRun::of(&prepared, &header, file.map(Result::unwrap)).unwrap();
    let account = Account::of(&prepared, &run, true, &mut |_| {}).unwrap();
    assert_eq!(account.misses().is_some(), run.switches.is_some());
    println!("{account}{:?}", account.judgements());
}

/// A child that is left over holds open what its parent had open.
#[test]
fn forked_children_have_no_part_in_a_run_and_are_not_waited_for() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (program, kept) = (folder.path().join("forks"), folder.path().join("kept.slt"));
    let archive = library("libschedlab", ".a");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forks.c");
    let gnu = ["-D_GNU_SOURCE", archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"];
    build(&source, &program, &gnu);
    let output = Command::new(&program).arg(&kept).output().unwrap();
    if refused(&output) {
        return;
    }
    assert!(output.status.success(), "{:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
    assert!(std::fs::metadata(&kept).unwrap().len() > 100);
    assert!(!folder.path().join("kept.slt.part").exists(), "the run lived to write it");
}

/// The tool for that is another package's: a build of the whole workspace has it.
#[test]
fn the_periodic_example_is_observed_from_outside() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let tool = libraries().parent().unwrap().join("schedlab-rt");
    if !tool.exists() {
        return skipped(&format!("{} is not built", tool.display()));
    }
    let (program, seen) = (folder.path().join("periodic"), folder.path().join("seen.toml"));
    let archive = library("libschedlab", ".a");
    build(&example("periodic.c"), &program, &[archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"]);
    let mut observe = Command::new(tool);
    let output =
        observe.args(["observe", "--duration", "20 s", "--out"]).arg(&seen).arg("--").arg(&program).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if refused(&output) {
        return;
    }
    if said.contains("are refused") {
        return skipped(&said);
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen = schedlab_runtime::Scenario::read(&seen).unwrap();
    for (name, period) in [("task 0", 10_000_000u64), ("task 1", 20_000_000)] {
        let task = seen.tasks.iter().find(|task| task.name == name).expect("its thread has a name");
        assert!(task.period.as_ns().abs_diff(period) < period / 50, "{name}: {}", task.period);
    }
}

#[test]
fn the_aborts_example_cuts_jobs() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (program, archive) = (folder.path().join("aborts"), library("libschedlab", ".a"));
    build(&example("aborts.c"), &program, &[archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"]);
    let output = Command::new(&program).output().unwrap();
    if refused(&output) {
        return;
    }
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said} {}", String::from_utf8_lossy(&output.stderr));
    let numbers: Vec<u32> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [jobs, whole, cut] = numbers[..] else { panic!("{said}") };
    // Of eight jobs, four take too long; the last one may not be over.
    assert!(jobs == 100 && cut >= 25 && whole + cut <= jobs, "{said}");
}

/// The alarm is raised by a job and by a thread, and again in signals' handlers of another program.
#[test]
fn the_events_example_releases_jobs_by_calls() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let archive = library("libschedlab", ".a");
    let (program, signals) = (folder.path().join("events"), folder.path().join("signals"));
    let gnu = ["-D_GNU_SOURCE", archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"];
    build(&example("events.c"), &program, &gnu[1..]);
    let output = Command::new(&program).output().unwrap();
    if refused(&output) {
        return;
    }
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said} {}", String::from_utf8_lossy(&output.stderr));
    let number = |word: &str| word.trim_matches(',').parse::<u64>().ok();
    let numbers: Vec<u64> = said.split_whitespace().filter_map(number).collect();
    let [calls, delayed, refused, answered] = numbers[..] else { panic!("{said}") };
    assert!(calls > 0 && delayed + refused <= calls && answered <= calls - refused, "{said}");
    build(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/events.c"), &signals, &gnu);
    let trace = folder.path().join("run.slt");
    let output = Command::new(&signals).arg(&trace).output().unwrap();
    assert!(output.status.success(), "{:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("the replay is exact") && said.contains(" calls for task alarm: "), "{said}");
    is_explained(&trace);
}

/// Two clients on two processors, and the server of what they share.
const SERVED: &str = r#"
schedlab = 1
scheduler = "PD2"
protocol = "pfair-server"
[platform]
processors = 2
quantum = "2 ms"
[[resource]]
name = "device"
[[task]]
name = "a"
period = "20 ms"
program = ["execute 1 ms", "request device", "execute 3 ms", "release device"]
[[task]]
name = "b"
period = "30 ms"
program = ["execute 1 ms", "request device", "execute 3 ms", "release device"]
[[task]]
name = "S"
period = "4 ms"
program = ["serve device", "execute 2 ms"]
"#;

#[test]
fn a_server_executes_the_sections_of_its_clients() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (program, scenario) = (folder.path().join("servers"), folder.path().join("served.toml"));
    std::fs::write(&scenario, SERVED).unwrap();
    let archive = library("libschedlab", ".a");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers.c");
    build(&source, &program, &[archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"]);
    let output = Command::new(&program).arg(&scenario).output().unwrap();
    if refused(&output) {
        return;
    }
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{:?} {said}{}", output.status, String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("the replay is exact"), "{said}");
}

/// Jobs in their own code, in a section and in a system call are cut, so many of each; their handlers run, and nothing
/// leaks.
fn jobs_are_cut(times: u32) {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (program, trace) = (folder.path().join("aborts"), folder.path().join("run.slt"));
    let archive = library("libschedlab", ".a");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/aborts.c");
    build(&source, &program, &[archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"]);
    let output = Command::new(&program).arg(times.to_string()).arg(&trace).output().unwrap();
    if refused(&output) {
        return;
    }
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{:?} {said}{}", output.status, String::from_utf8_lossy(&output.stderr));
    println!("{said}");
    is_explained(&trace);
}

#[test]
fn aborted_jobs_are_cut() {
    jobs_are_cut(20);
}

#[test]
#[ignore = "9 s, a thousand aborts of each kind: each change runs 20, `make soak` these"]
fn a_thousand_aborted_jobs_are_cut() {
    jobs_are_cut(1_000);
}

/// Jobs are cut within operations on buffers, queues and heaps, so many jobs of each of two tasks: no operation is left
/// half done.
fn operations_are_whole(times: u32) {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (program, archive) = (folder.path().join("cuts"), library("libschedlab", ".a"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cuts.c");
    build(&source, &program, &[archive.to_str().unwrap(), "-lpthread", "-lm", "-ldl"]);
    let output = Command::new(&program).arg(times.to_string()).output().unwrap();
    if refused(&output) {
        return;
    }
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{:?} {said}{}", output.status, String::from_utf8_lossy(&output.stderr));
    println!("{said}");
}

#[test]
fn operations_on_objects_are_not_cut() {
    operations_are_whole(300);
}

#[test]
#[ignore = "10 s, thousands of cuts: each change runs hundreds, `make soak` these"]
fn operations_on_objects_are_not_cut_in_thousands_of_jobs() {
    operations_are_whole(10_000);
}
