//! No room for a run's threads: it is refused by the name of the limit, and nothing of it stays.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::binary::{scenario, text};
use support::skipped::skipped;
use support::turn;

/// A user who has no process.
const NOBODY_ELSE: &str = "54321";

/// Sixteen tasks on one processor.
fn many_tasks(folder: &Path) -> PathBuf {
    let mut all = "schedlab = 1\nscheduler = \"P-EDF\"\nplatform = { processors = 1 }\n".to_owned();
    for index in 0..16 {
        all += &format!("[[task]]\nname = \"t{index}\"\nwcet = \"100 us\"\nperiod = \"20 ms\"\n");
    }
    scenario(folder, &all)
}

/// Runs `words` of the binary after what `limits` says, in a shell; it is killed if it does not end by itself.
fn limited(limits: &str, words: &str) -> Output {
    let binary = env!("CARGO_BIN_EXE_schedlab-rt");
    let script = format!("{limits} exec timeout -k 1 20 {binary} {words}");
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).env("RUST_BACKTRACE", "1").output().unwrap()
}

/// It was refused by the name of the limit, and left neither a trace nor a part of one.
fn refused_by(limit: &str, output: &Output, folder: &Path) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains(limit) && !said.contains("panicked"), "{said}");
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["own.toml"], "{said}");
}

/// The words of a run of many tasks that keeps its trace in `folder`.
fn run_in(folder: &Path) -> String {
    let out = folder.join("run.slt");
    format!("run {} --duration 100ms --out {}", many_tasks(folder).display(), out.display())
}

/// A control group that is gone at the end of a test.
struct Group(PathBuf);

impl Group {
    /// One that allows so many threads; none where that is not allowed.
    fn of(most: u32) -> Option<Self> {
        let roots = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].map(Path::new);
        let root = roots.into_iter().find(|root| root.join("cgroup.procs").exists())?;
        let group = Group(root.join(format!("schedlab-test-{}", std::process::id())));
        fs::create_dir(&group.0).ok()?;
        fs::write(group.0.join("pids.max"), most.to_string()).ok()?;
        Some(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_control_group_without_room_is_named() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    // The shell, its `timeout`, the keeper and the run's first thread fit into the largest.
    for most in [3, 4, 6, 9, 15] {
        let Some(group) = Group::of(most) else { return skipped("no control group can be made") };
        let enter = format!("echo $$ > {}/cgroup.procs;", group.0.display());
        for words in [run_in(folder.path()), run_in(folder.path()) + " --unprivileged"] {
            refused_by("pids.max", &limited(&enter, &words), folder.path());
        }
    }
}

#[test]
fn a_measurement_without_room_is_refused_too() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    many_tasks(folder.path());
    for most in [3, 4] {
        let Some(group) = Group::of(most) else { return skipped("no control group can be made") };
        let enter = format!("echo $$ > {}/cgroup.procs;", group.0.display());
        let measure = format!("measure --quick --out {}", folder.path().join("overheads.toml").display());
        for words in ["measure calls", &measure] {
            refused_by("pids.max", &limited(&enter, words), folder.path());
        }
    }
}

#[test]
fn a_user_who_may_have_no_more_threads_is_named() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let path = folder.path().display();
    let words = run_in(folder.path()) + " --unprivileged";
    let words = match is_root {
        // The limit is none for root.
        true => format!("setpriv --reuid {NOBODY_ELSE} --clear-groups --inh-caps=-all {{}} {words}"),
        false => format!("{{}} {words}"),
    };
    let script = words.replace("{}", env!("CARGO_BIN_EXE_schedlab-rt"));
    let mut shell = Command::new("bash");
    let script = format!("chmod a+rwx {path} && ulimit -u 6 && exec {script}");
    refused_by("RLIMIT_NPROC", &shell.args(["-c", &script]).output().unwrap(), folder.path());
}

/// Limits at which the run has room for some of its threads, whatever they are.
#[test]
fn too_little_memory_is_named() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let mut refused = 0;
    for mib in [90, 180, 195, 210, 330, 400] {
        let output = limited(&format!("ulimit -v {};", mib << 10), &run_in(folder.path()));
        match output.status.code() {
            // There was room for all of them.
            Some(0) => fs::read_dir(folder.path()).unwrap().for_each(|entry| {
                let path = entry.unwrap().path();
                if !path.ends_with("own.toml") {
                    fs::remove_file(path).unwrap();
                }
            }),
            _ => {
                refused_by("RLIMIT_AS", &output, folder.path());
                refused += 1;
            }
        }
    }
    assert!(refused > 0, "none of the limits was met");
}

/// What no thread can have is bad input, and no lack of the machine.
#[test]
fn a_stack_that_no_thread_can_have_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = format!("run {} --duration 20ms --unprivileged --stack", many_tasks(folder.path()).display());
    for (size, why) in
        [("1", "allowed: at least 64 KiB"), ("63KiB", "at least 64 KiB"), ("much", "--stack much")]
    {
        let output = limited("", &format!("{run} {size}"));
        assert_eq!(output.status.code(), Some(2), "{size}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
    let output = limited("", &format!("{run} 64KiB"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
