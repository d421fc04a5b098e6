//! Every scheduler and every protocol that threads run.

use crate::support::{alone, checked, is_counted, scenario, AVIONICS};
use schedlab_lab::Catalog;
use std::path::Path;

/// Tasks of little load on two processors, with what schedulers may ask for: places, points, and costs in whole quanta.
pub const LIGHT: &str = "schedlab = 1\nscheduler = \"P-EDF\"\nhorizon = \"400 ms\"\n\
    [platform]\nprocessors = 2\nquantum = \"10 ms\"\n\
    [[task]]\nname = \"a\"\nwcet = \"10 ms\"\nperiod = \"40 ms\"\npriority = 1\nprocessor = 0\npriority_point = \"30 ms\"\n\
    [[task]]\nname = \"b\"\nwcet = \"10 ms\"\nperiod = \"80 ms\"\npriority = 2\nprocessor = 1\npriority_point = \"70 ms\"\n\
    [[task]]\nname = \"c\"\nwcet = \"20 ms\"\nperiod = \"200 ms\"\npriority = 3\nprocessor = 0\npriority_point = \"20 ms\"\n";

#[test]
fn avionics_runs_by_links() {
    let _alone = alone();
    let found = checked(Path::new(AVIONICS), &["--duration", "1s"]).expect("it is a scenario");
    assert!(found["jobs"]["completed"].as_u64().unwrap() > 10);
}

/// The engine is the same for all of them; what differs is where threads go, and when they stop.
#[test]
fn every_scheduler_runs_by_links() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = scenario(folder.path(), LIGHT);
    let mut refused = Vec::new();
    for scheduler in Catalog::shipped().schedulers().filter(|scheduler| scheduler.kernel_class().is_none()) {
        match checked(&path, &["--scheduler", &scheduler.name]) {
            Some(found) => println!("{}: {} jobs", scheduler.name, found["jobs"]["completed"]),
            None => refused.push(scheduler.name),
        }
    }
    assert!(refused.is_empty(), "these take the tasks, too: {refused:?}");
}

/// Two tasks on different processors share a resource with a third one.
pub const SHARED: &str = "schedlab = 1\nscheduler = \"P-EDF\"\nhorizon = \"400 ms\"\n\
    [platform]\nprocessors = 2\n\
    [[resource]]\nname = \"r\"\n\
    [[task]]\nname = \"a\"\nperiod = \"40 ms\"\npriority = 1\nprocessor = 0\n\
    program = [\"execute 1 ms\", \"request r\", \"execute 1 ms\", \"release r\"]\n\
    [[task]]\nname = \"b\"\nperiod = \"80 ms\"\npriority = 2\nprocessor = 1\n\
    program = [\"request r\", \"execute 3 ms\", \"release r\", \"execute 1 ms\"]\n\
    [[task]]\nname = \"c\"\nperiod = \"200 ms\"\npriority = 3\nprocessor = 0\n\
    program = [\"execute 2 ms\", \"request r\", \"execute 6 ms\", \"release r\", \"execute 1 ms\"]\n";

/// A resource of tasks that share a processor, for protocols that go no further.
fn on_one_processor() -> String {
    SHARED.replace("processor = 1", "processor = 0")
}

/// Sections that fit into a quantum, for protocols of Pfair.
fn in_long_quanta() -> String {
    SHARED.replace("processors = 2", "processors = 2\nquantum = \"20 ms\"")
}

/// Each protocol under the first scheduler that goes with it. Those of objects are in scenarios of their own.
#[test]
fn every_protocol_runs_by_links() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let mut refused = Vec::new();
    for protocol in Catalog::shipped().protocols() {
        let schedulers = ["P-EDF", "P-FP", "G-EDF", "G-FP", "PD2", "S-PD2", "P-DASA"];
        let ran = [SHARED.to_owned(), on_one_processor(), in_long_quanta()].into_iter().find_map(|text| {
            scenario(folder.path(), &text);
            schedulers.into_iter().find_map(|name| {
                let found = checked(&path, &["--scheduler", name, "--protocol", protocol.name])?;
                Some((name, found["jobs"]["completed"].clone()))
            })
        });
        match ran {
            Some((scheduler, jobs)) => println!("{} under {scheduler}: {jobs} jobs", protocol.name),
            None => refused.push(protocol.name),
        }
    }
    println!("refused: {}", refused.join(", "));
    // These scenarios have no server, and know nothing of objects.
    assert_eq!(refused, ["pfair-server", "lock-free", "wait-free"]);
}

/// Objects by each scheme, and supertasks: the examples of what other scenarios lack.
#[test]
fn examples_of_objects_and_supertasks_run_by_links() {
    let _alone = alone();
    if is_counted() {
        println!("not tried: instructions that are counted as time leave no room for these loads");
        return;
    }
    for name in ["objects", "retries", "supertasks"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{name}.toml"));
        checked(&path, &["--duration", "200ms"]).unwrap_or_else(|| panic!("{name} runs"));
    }
}

/// Other processors stand still while a thread decides, and threads queue by another lock.
#[test]
fn other_ways_to_decide_run_by_links() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = scenario(folder.path(), LIGHT);
    for more in
        [&["--architecture", "stop-the-world"][..], &["--dispatch-lock", "mcs"], &["--reserve", "200 ms"]]
    {
        checked(&path, &[&["--scheduler", "G-EDF"], more].concat()).expect("it runs");
    }
}

/// The trace of a run by links says so, and shows each processor's jobs one after the other.
#[test]
fn a_trace_of_links_says_who_executed_them() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (path, trace) = (scenario(folder.path(), LIGHT), folder.path().join("run.slt"));
    checked(&path, &["--scheduler", "G-EDF", "--out", trace.to_str().unwrap()]).expect("it runs");
    let file = schedlab_report::files::TraceFile::open(std::fs::File::open(&trace).unwrap()).unwrap();
    let header = file.header().clone();
    assert_eq!(header.backend().map(|backend| backend.name()), Some("scx"));
    assert_eq!((header.get("priorities"), header.get("scheduler_end")), (Some("sched_ext"), None));
    let mut executes: std::collections::BTreeMap<_, _> = std::collections::BTreeMap::new();
    for record in file {
        match record.unwrap().1 {
            schedlab_trace::Record::Dispatch { cpu, job } => {
                assert_eq!(executes.insert(cpu, job), None, "two jobs on {cpu:?}");
            }
            schedlab_trace::Record::Preempt { cpu, job } => assert_eq!(executes.remove(&cpu), Some(job)),
            schedlab_trace::Record::Complete { job } => executes.retain(|_, other| *other != job),
            _ => {}
        }
    }
}
