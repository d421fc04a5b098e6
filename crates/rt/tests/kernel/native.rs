//! Runs in which the scheduler in the kernel decides by itself, and the engine decides the same.

use crate::drawn::scenario_of;
use crate::support::{alone, checked_by, command, run_by, scenario, state, text, until, AVIONICS};
use crate::whole::{LIGHT, SHARED};
use schedlab_lab::Catalog;
use schedlab_policy::Make;
use std::path::Path;

const NATIVE: &str = "scx-native";

/// Every order by points, on clusters of each size, preemptive or not, with random tasks: of each as many sets as
/// `SETS` says. All other schedulers are refused by name.
#[test]
fn every_order_by_points_runs_natively() {
    let _alone = alone();
    let sets: u64 = std::env::var("SETS").map_or(1, |text| text.parse().expect("SETS is a number"));
    let folder = tempfile::tempdir().unwrap();
    let light = scenario(folder.path(), LIGHT);
    let mut tried = 0;
    for scheduler in Catalog::shipped().schedulers().filter(|scheduler| scheduler.kernel_class().is_none()) {
        let arguments = ["--scheduler", &scheduler.name];
        if !matches!(scheduler.make, Make::Clustered { .. }) {
            refused(&light, &arguments, &scheduler.name);
            continue;
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
fn refused(path: &Path, arguments: &[&str], word: &str) {
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
    refused(&shared, &["--protocol", "MSRP"], "resources");
    let cut = scenario(folder.path(), &LIGHT.replacen("horizon", "overruns = \"cut\"\nhorizon", 1));
    refused(&cut, &[], "overruns");
    let light = scenario(folder.path(), LIGHT);
    let output = run_by(NATIVE, &light, &["--unprivileged"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
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
