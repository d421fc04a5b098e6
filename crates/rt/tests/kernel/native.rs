//! Runs in which the scheduler in the kernel decides by itself, and the engine decides the same.

use crate::drawn::{scenario_of, sharing_of};
use crate::support::{
    alone, checked_by, command, is_counted, run_by, scenario, state, text, until, AVIONICS,
};
use crate::whole::{LIGHT, SHARED};
use schedlab_lab::Catalog;
use schedlab_policy::Make;
use std::path::Path;

pub const NATIVE: &str = "scx-native";

/// Every order by points, on clusters of each size, preemptive or not, with random tasks: of each as many sets as
/// `SETS` says. All other schedulers but those by quanta are refused by name.
#[test]
fn every_order_by_points_runs_natively() {
    let _alone = alone();
    let sets: u64 = std::env::var("SETS").map_or(1, |text| text.parse().expect("SETS is a number"));
    let folder = tempfile::tempdir().unwrap();
    let light = scenario(folder.path(), LIGHT);
    let mut tried = 0;
    for scheduler in Catalog::shipped().schedulers().filter(|scheduler| scheduler.kernel_class().is_none()) {
        let arguments = ["--scheduler", &scheduler.name];
        match &scheduler.make {
            Make::Clustered { .. } => {}
            Make::Pfair { order, .. } if order.packs => continue,
            Make::Pfair { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => {
                refused(&light, &arguments, &scheduler.name);
                continue;
            }
        }
        for number in 0..sets {
            // On several processors a section that delays a preemption is decided otherwise than by the engine.
            let text = scenario_of(&scheduler.name, number, scheduler.name.starts_with('P'));
            let drawn = drawn(folder.path(), number, &text);
            let found = checked_by(NATIVE, &drawn, &arguments)
                .unwrap_or_else(|| panic!("it takes the tasks: {text}"));
            let native = &found["native"];
            assert_eq!(native["lost_records"], 0, "{native}");
            println!("{}, set {number}: {} jobs, {native}", scheduler.name, found["jobs"]["completed"]);
        }
        tried += 1;
    }
    assert!(tried >= 30, "{tried} schedulers");
}

/// A file with this random scenario in `folder`.
fn drawn(folder: &Path, number: u64, text: &str) -> std::path::PathBuf {
    let path = folder.join(format!("{number}.toml"));
    std::fs::write(&path, text).unwrap();
    path
}

/// Checks that the kernel does not decide such a run by itself, with status 2 and this word.
pub fn refused(path: &Path, arguments: &[&str], word: &str) {
    let output = run_by(NATIVE, path, arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(said.contains(word) && said.contains("allowed: --backend scx"), "{word}: {said}");
    assert_eq!(state(), "disabled");
}

#[test]
fn what_the_kernel_does_not_decide_is_refused() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let shared = scenario(folder.path(), SHARED);
    refused(&shared, &["--protocol", "spin-priority"], "first come, first served");
    let spinning = SHARED.replacen("horizon", "overruns = \"warn\"\nhorizon", 1);
    refused(&scenario(folder.path(), &spinning), &["--protocol", "task-fair"], "budgets of jobs that spin");
    // A resource of one processor goes by preemption levels.
    let local = SHARED.replace("processor = 1", "processor = 0");
    refused(&scenario(folder.path(), &local), &["--protocol", "MSRP"], "the resource \"r\" under msrp");
    let cut = scenario(folder.path(), &LIGHT.replacen("horizon", "overruns = \"cut\"\nhorizon", 1));
    refused(&cut, &[], "overruns");
    let light = scenario(folder.path(), LIGHT);
    let output = run_by(NATIVE, &light, &["--unprivileged"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

/// Protocols of spin locks run, and all others are refused by name.
#[test]
fn spin_locks_run_natively() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = scenario(folder.path(), SHARED);
    let mut ran = Vec::new();
    for protocol in Catalog::shipped().protocols() {
        for scheduler in ["P-EDF", "P-FP", "G-EDF", "G-FP"] {
            let arguments = ["--scheduler", scheduler, "--protocol", protocol.name];
            match checked_by(NATIVE, &path, &arguments) {
                Some(found) => {
                    locks_hold(&found, 15);
                    ran.push((protocol.name, scheduler));
                }
                None => {
                    let said = text(&run_by(NATIVE, &path, &arguments).stderr);
                    println!("{}", said.trim());
                    let is_native = said.contains("allowed: --backend scx") && said.contains(protocol.name);
                    let is_unsuited = !said.contains(NATIVE);
                    assert!(is_native || is_unsuited, "{arguments:?}: {said}");
                }
            }
        }
    }
    let names: std::collections::BTreeSet<&str> = ran.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["fmlp-short", "msrp", "task-fair"], "{ran:?}");
    assert_eq!(ran.len(), 2 + 4 + 4, "MSRP is for processors alone: {ran:?}");
}

/// Random sets whose jobs share a resource, under partitioned schedulers: on clusters of several processors, a section
/// that delays a preemption is decided otherwise than by the engine.
#[test]
fn random_sets_with_spin_locks_run_natively() {
    let _alone = alone();
    let sets: u64 = std::env::var("SETS").map_or(2, |text| text.parse().expect("SETS is a number"));
    let folder = tempfile::tempdir().unwrap();
    for scheduler in ["P-EDF", "P-RM", "P-FP", "NP-EDF"] {
        // Sets that draw no section say nothing of locks.
        let shares = |number: &u64| sharing_of(scheduler, *number, "task-fair").contains("request r");
        let numbers = (0..).filter(shares).take(sets as usize);
        for (number, protocol) in numbers.flat_map(|set| [(set, "task-fair"), (set, "fmlp-short")]) {
            let text = sharing_of(scheduler, number, protocol);
            let drawn = drawn(folder.path(), number, &text);
            let found = checked_by(NATIVE, &drawn, &["--scheduler", scheduler])
                .unwrap_or_else(|| panic!("it takes the tasks: {text}"));
            println!("{scheduler}, {protocol}, set {number}");
            locks_hold(&found, 1);
        }
    }
}

/// Checks that there were so many sections, on locks that were what they ought to be.
fn locks_hold(found: &serde_json::Value, least: u64) {
    let native = &found["native"];
    println!("{native}");
    for broken in
        ["overlapping_sections", "overtaking_sections", "sections_granted_otherwise", "lost_records"]
    {
        assert_eq!(native[broken], 0, "{native}");
    }
    // A busy host leaves less time where each emulated processor has a thread of it.
    let least = if is_counted() { least } else { 1 };
    assert!(native["sections"].as_u64().unwrap() >= least, "{native}");
}

/// In each period, two jobs spin for what a third one holds, and an urgent job comes while it is held. Resources are
/// nested, of one lock.
const CONTENDED: &str = "schedlab = 1\nscheduler = \"P-FP\"\nprotocol = \"fmlp-short\"\nhorizon = \"800 ms\"\n\
    [platform]\nprocessors = 2\n\
    [[resource]]\nname = \"r\"\n[[resource]]\nname = \"s\"\n\
    [[task]]\nname = \"a\"\nperiod = \"80 ms\"\npriority = 4\nprocessor = 0\n\
    program = [\"request r\", \"execute 7 ms\", \"request s\", \"execute 8 ms\", \"release s\", \"release r\"]\n\
    [[task]]\nname = \"b\"\nperiod = \"80 ms\"\npriority = 2\nprocessor = 1\noffset = \"1 ms\"\n\
    program = [\"request s\", \"execute 1 ms\", \"release s\"]\n\
    [[task]]\nname = \"c\"\nperiod = \"80 ms\"\npriority = 1\nprocessor = 0\noffset = \"2 ms\"\n\
    program = [\"execute 12 ms\"]\n";

/// Jobs that are released late, and jobs that interrupt their threads on the way to sleep until then.
const JITTER: &str = "schedlab = 1\nscheduler = \"P-EDF\"\nhorizon = \"4 s\"\n[platform]\nprocessors = 1\n\
    [[task]]\nname = \"often\"\nwcet = \"50 us\"\nperiod = \"2 ms\"\nprocessor = 0\n\
    [[task]]\nname = \"late\"\nwcet = \"4 ms\"\nperiod = \"20 ms\"\njitter = \"18 ms\"\ndeadline = \"60 ms\"\n\
    processor = 0\n\
    [[task]]\nname = \"later\"\nwcet = \"5 ms\"\nperiod = \"30 ms\"\njitter = \"28 ms\"\ndeadline = \"90 ms\"\n\
    processor = 0\n";

/// No job begins before its release: else its thread, which still sleeps until then, would suspend it.
#[test]
fn a_job_that_is_released_late_does_not_begin_before() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (path, trace) = (scenario(folder.path(), JITTER), folder.path().join("run.slt"));
    checked_by(NATIVE, &path, &["--out", trace.to_str().unwrap()]).expect("it runs");
    let file = schedlab_report::files::TraceFile::open(std::fs::File::open(&trace).unwrap()).unwrap();
    let suspended =
        file.map(Result::unwrap).filter(|(_, it)| matches!(it, schedlab_trace::Record::Suspend { .. }));
    assert_eq!(suspended.collect::<Vec<_>>(), [], "no program suspends itself");
}

/// A job without preemption, during which five others of one task arrive; and then two more tasks' are ready.
const BACK_TO_BACK: &str =
    "schedlab = 1\nscheduler = \"NP-EDF\"\nhorizon = \"1 s\"\n[platform]\nprocessors = 1\n\
    [[task]]\nname = \"often\"\nwcet = \"200 us\"\nperiod = \"4 ms\"\n\
    [[task]]\nname = \"middle\"\nwcet = \"1 ms\"\nperiod = \"100 ms\"\noffset = \"5 ms\"\n\
    [[task]]\nname = \"long\"\nwcet = \"22 ms\"\nperiod = \"100 ms\"\noffset = \"2 ms\"\n";

/// A job that is complete, and the next one of its task, which waits already, are one step of the engine, too: no other
/// job begins between them.
#[test]
fn no_job_begins_between_two_of_a_task_that_is_late() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = scenario(folder.path(), BACK_TO_BACK);
    let found = checked_by(NATIVE, &path, &[]).expect("it runs");
    let native = &found["native"];
    println!("{native}");
    if is_counted() {
        assert!(native["longest_move_ns"].as_u64().unwrap() < 5_000_000, "{native}");
    }
}

/// A third processor, on which a job asks after the second one.
const THIRD: &str =
    "[[task]]\nname = \"d\"\nperiod = \"80 ms\"\npriority = 3\nprocessor = 2\noffset = \"3 ms\"\n\
    program = [\"request r\", \"execute 1 ms\", \"release r\"]\n";

/// A section is not preempted, others spin for it, and go on in the order in which they asked.
#[test]
fn contended_locks_go_first_come_first_served() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    // Two processors share the time of one where instructions are counted.
    let text = match is_counted() {
        true => CONTENDED.to_owned(),
        false => format!("{}{THIRD}", CONTENDED.replace("processors = 2", "processors = 3")),
    };
    let (path, trace) = (scenario(folder.path(), &text), folder.path().join("run.slt"));
    let found = checked_by(NATIVE, &path, &["--out", trace.to_str().unwrap()]).expect("it runs");
    locks_hold(&found, 27);
    let file = schedlab_report::files::TraceFile::open(std::fs::File::open(&trace).unwrap()).unwrap();
    let (mut spins, mut waits) = (0, std::collections::BTreeMap::new());
    for record in file {
        let (at, record) = record.unwrap();
        match record {
            schedlab_trace::Record::Spin { .. } => spins += 1,
            schedlab_trace::Record::Ready { job, .. } if job.task.0 == 2 => drop(waits.insert(job, at)),
            schedlab_trace::Record::Dispatch { job, .. } => {
                if let Some(ready) = waits.get_mut(&job) {
                    println!("{job} waits for {}", at - *ready);
                }
            }
            _ => {}
        }
    }
    if is_counted() {
        assert!(spins >= 9, "{spins} jobs spun");
        // Had the kernel preempted a section, the urgent job would have been complete much too early for the engine.
        let longest = found["native"]["longest_move_ns"].as_u64().unwrap();
        assert!(longest < 5_000_000, "{longest} ns");
    }
}

/// Sections, suspensions and jobs that exceed their WCETs.
const STEPS: &str = "schedlab = 1\nscheduler = \"P-EDF\"\nhorizon = \"1 s\"\noverruns = \"best-effort\"\n\
    [platform]\nprocessors = 2\n\
    [[task]]\nname = \"a\"\nperiod = \"20 ms\"\nprocessor = 0\n\
    program = [\"execute 1 ms\"]\n\
    [[task]]\nname = \"b\"\nperiod = \"100 ms\"\nprocessor = 0\n\
    program = [\"execute 1 ms\", \"np_enter\", \"execute 15 ms\", \"np_exit\", \"execute 4 ms\"]\n\
    [[task]]\nname = \"c\"\nperiod = \"50 ms\"\nprocessor = 1\n\
    program = [\"execute 1 ms\", \"suspend 5 ms\", \"execute 2 ms\"]\n";

#[test]
fn sections_suspensions_and_overruns_run_natively() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = scenario(folder.path(), STEPS);
    for scheduler in ["P-EDF", "P-RM", "G-EDF", "NG-EDF"] {
        let found = checked_by(NATIVE, &path, &["--scheduler", scheduler]).expect("it takes the tasks");
        assert!(found["jobs"]["completed"].as_u64().unwrap() >= 60, "{scheduler}: {}", found["jobs"]);
    }
}

#[test]
fn avionics_runs_natively() {
    let _alone = alone();
    let found = checked_by(NATIVE, Path::new(AVIONICS), &["--duration", "1s"]).expect("it is a scenario");
    assert!(found["jobs"]["completed"].as_u64().unwrap() > 10);
}

/// The output says what was compared, and claims no replay.
#[test]
fn a_native_run_says_what_was_compared() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let output = run_by(NATIVE, &scenario(folder.path(), LIGHT), &["--check"]);
    let said = text(&output.stdout);
    for words in [" decisions are in the kernel's switches; ", " inputs moved"] {
        assert!(said.contains(words), "{words}: {said} {}", text(&output.stderr));
    }
    assert!(!said.contains("replay"), "{said}");
}

/// The trace of such a run is one that every reader reads.
#[test]
fn a_native_trace_can_be_read() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (path, trace) = (scenario(folder.path(), LIGHT), folder.path().join("run.slt"));
    checked_by(NATIVE, &path, &["--scheduler", "G-EDF", "--out", trace.to_str().unwrap()]).expect("it runs");
    let file = schedlab_report::files::TraceFile::open(std::fs::File::open(&trace).unwrap()).unwrap();
    let header = file.header().clone();
    assert_eq!(header.backend().map(|backend| backend.name()), Some(NATIVE));
    assert_eq!((header.get("priorities"), header.get("scheduler_end")), (Some("sched_ext"), None));
    assert!(file.count() > 100);
}

#[test]
fn a_killed_native_run_leaves_no_scheduler() {
    let _alone = alone();
    let mut run = command();
    run.args(["run", AVIONICS, "--backend", NATIVE, "--duration", "60s"]).stdout(std::process::Stdio::null());
    let mut child = run.spawn().unwrap();
    assert!(until(30_000, || state() == "enabled"));
    std::thread::sleep(std::time::Duration::from_millis(500));
    child.kill().unwrap();
    assert!(until(1_000, || state() == "disabled"), "one second after kill -9");
    child.wait().unwrap();
    checked_by(NATIVE, Path::new(AVIONICS), &["--duration", "300ms"]).expect("the next run works");
}
