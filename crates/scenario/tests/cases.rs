//! Files that users of other tools have asked about: each gives the expected tasks, or is refused by what is missing.

use schedlab_scenario::interchange::Ignored;
use schedlab_scenario::Scenario;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/cases")).join(name)
}

fn read(name: &str) -> Scenario {
    Scenario::read(&path(name)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// What is wrong with a file, without the path of its folder.
fn refused(name: &str) -> String {
    let errors = Scenario::read(&path(name)).expect_err(name).to_string();
    errors.replace(&*path(name).to_string_lossy(), name.rsplit_once('/').unwrap().1)
}

/// Name, WCET and period in milliseconds.
fn tasks(scenario: &Scenario) -> Vec<(&str, u64, u64)> {
    let ms = |ns: u64| ns / 1_000_000;
    let row = |task: &schedlab_scenario::TaskSpec| (ms(task.wcet.as_ns()), ms(task.period.as_ns()));
    scenario.tasks.iter().map(|task| (task.name.as_str(), row(task).0, row(task).1)).collect()
}

/// scheduler-tools/rt-app, doc/examples/deadline.json: comments, a comma before a brace, a default policy.
#[test]
fn files_in_rt_apps_dialect_are_read() {
    for name in ["plain", "with-comments", "default-policy"] {
        let scenario = read(&format!("rtapp-shipped-dialect/{name}.json"));
        assert_eq!(tasks(&scenario), [("worker", 10, 100)], "{name}");
        let expected = if name == "default-policy" { "G-EDF" } else { "G-FP" };
        assert_eq!((scenario.scheduler.name.as_str(), scenario.horizon.as_ns()), (expected, 2_000_000_000));
    }
}

/// scheduler-tools/rt-app, issues 130 and 37, pull requests 45 and 101.
#[test]
fn configurations_of_rt_app_are_read_or_refused_by_their_keys() {
    let two = read("rtapp-issue-configs/two-fifo.json");
    assert_eq!(tasks(&two), [("alpha.1", 10, 100), ("alpha.2", 10, 100), ("beta", 20, 150)]);
    let mixed = read("rtapp-issue-configs/two-policies.json");
    let classes: Vec<_> = mixed.tasks.iter().map(|task| task.class.name()).collect();
    assert_eq!(
        (classes.as_slice(), mixed.scheduler.name.as_str()),
        (&["deadline", "fifo"][..], "SCHED_FIFO")
    );
    for (name, wanted) in [
        ("exec-key", "exec-key.json:3:65: tasks.T0.exec: \"exec\" is a legacy key, and no key of rt-app's any more"),
        ("runtime-and-timer", "runtime-and-timer.json:3:26: tasks.task1.runtime: \"runtime\" is a legacy key for dl-runtime"),
        ("phase-delay", "phase-delay.json:3:77: tasks.p20.phases: \"phases\" is a program of several phases, which is not supported"),
    ] {
        let found = refused(&format!("rtapp-issue-configs/{name}.json"));
        assert!(found.lines().any(|line| line.starts_with(wanted)), "{found}\nwanted {wanted}");
    }
}

/// MaximeCheramy/simso, issue 12: a processor at a fifth of the speed must not be taken for a whole one.
#[test]
fn a_slow_processor_is_refused_or_named() {
    assert_eq!(tasks(&read("simso-unequal-speeds/equal.xml")), [("T1", 6, 10), ("T2", 6, 10)]);
    let wanted =
        "slow.xml:7:66: speed 0.2 of processor CPU 2 has no place in a scenario, and an answer without it \
                  could be too good; allowed: --ignore speed, to leave it out";
    assert_eq!(refused("simso-unequal-speeds/slow.xml"), wanted);
    let slow = path("simso-unequal-speeds/slow.xml");
    let read = Scenario::read_ignoring(&slow, &Ignored::of(["speed"]).unwrap()).unwrap().value;
    assert_eq!(read.left_out, [format!("{}: speed 0.2 of processor CPU 2 (line 7)", slow.display())]);
}

/// Models and traces of other tools, by their content and by the endings of their names.
#[test]
fn models_of_other_tools_are_refused_by_name() {
    for (name, tool) in [
        ("cheddar.xml", "a model of Cheddar"),
        ("cheddar.xmlv3", "a model of Cheddar"),
        ("demo.amxmi", "a model of AMALTHEA (APP4MC)"),
        ("demo.xml", "a model of AMALTHEA (APP4MC)"),
        ("model.txt", "a model of MAST"),
        ("sched.ftrace", "a kernel trace as text"),
    ] {
        let found = refused(&format!("foreign-models/{name}"));
        assert!(found.starts_with(&format!("{name}:1:1: this is {tool}")), "{found}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

/// Byte order marks and line ends of spreadsheets.
#[test]
fn tables_of_spreadsheets_are_read() {
    for name in ["unix.csv", "bom-only.csv", "windows-bom.csv", "mac-cr.csv"] {
        assert_eq!(tasks(&read(&format!("spreadsheet-csv/{name}"))), [("a", 2, 10), ("b", 3, 15)], "{name}");
    }
    for name in ["bom.toml", "windows.toml"] {
        assert_eq!(tasks(&read(&format!("spreadsheet-csv/{name}"))), [("a", 2, 10)], "{name}");
    }
    assert_eq!(
        refused("spreadsheet-csv/semicolon.csv"),
        "semicolon.csv:1:1: the cells of this table are separated by semicolons; allowed: commas between cells, and a \
         point before decimals"
    );
    let jobs = refused("spreadsheet-csv/sag-windows-bom.csv");
    assert!(
        jobs.starts_with("sag-windows-bom.csv:1:1: this is a job set, which `schedlab jobs` reads"),
        "{jobs}"
    );
}

/// What other tools have and schedlab has not is refused by its name.
#[test]
fn wishes_are_refused_by_what_is_missing() {
    for (name, wanted) in [
        ("one-mutex-without-inheritance/in.toml", "in.toml:13:12: resource[1].protocol: \"none\" is of a mutex under the kernel's fixed priorities, which P-FP is not"),
        ("wishes/chain.toml", "in.toml:16:1: task[1].after: precedence constraints and end-to-end latencies of chains are not supported"),
        ("wishes/mk-firm.toml", "in.toml:9:1: task[0].firm: (m,k)-firm deadlines are not supported"),
        ("wishes/probabilities.toml", "in.toml:9:10: task[0].cost.distribution: execution times with probabilities are not supported"),
    ] {
        let found = refused(name);
        let wanted = wanted.replacen("in.toml", name.rsplit_once('/').unwrap().1, 1);
        assert!(found.lines().any(|line| line.starts_with(&wanted)), "{found}\nwanted {wanted}");
    }
}
