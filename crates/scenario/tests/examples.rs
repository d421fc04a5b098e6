//! The examples read, say where they come from, and have the sizes and utilizations of their sources.

use schedlab_scenario::Scenario;
use std::path::Path;

fn example(name: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).with_extension("toml");
    Scenario::read(&path).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The utilization in millionths, rounded down.
fn utilization(scenario: &Scenario) -> u128 {
    // Summed in units of 10^-15, so that rounding stays far below a millionth.
    let parts = scenario
        .tasks
        .iter()
        .map(|task| u128::from(task.wcet.as_ns()) * 1_000_000_000_000_000 / u128::from(task.period.as_ns()));
    parts.sum::<u128>() / 1_000_000_000
}

/// Number of tasks and utilization: golden values of the published sets (real task sets, `litmus06-sets`).
#[test]
fn sizes_and_utilizations() {
    for (name, tasks, hundred_thousandths, processors) in [
        ("avionics", 16, 84_509, 1),
        ("pathfinder", 7, 72_200, 1),
        ("caseva", 5, 51_786, 1),
        ("litmus2006-a", 84, 332_000, 4),
        ("litmus2006-b", 38, 301_333, 4),
        ("litmus2006-c", 34, 340_000, 4),
        ("litmus2006-fig1", 3, 183_333, 2),
        ("dhall", 3, 100_300, 2),
        ("papabench", 11, 0, 2),
        ("waters2019", 10, 0, 6),
        ("automotive", 9, 0, 4),
    ] {
        let scenario = example(name);
        assert_eq!((scenario.tasks.len(), scenario.platform.processors), (tasks, processors), "{name}");
        if hundred_thousandths > 0 {
            let found = utilization(&scenario);
            assert!(found.abs_diff(hundred_thousandths * 10) <= 10, "{name}: {found}");
        }
    }
}

#[test]
fn every_example_names_its_source_and_reads_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let scenario = Scenario::read(&path).unwrap_or_else(|errors| panic!("{errors}"));
        // The scenario that the documents show, as they show it, has no other source.
        let is_shown = path.ends_with("robot.toml");
        assert!(is_shown || !scenario.title.is_empty() && !scenario.source.is_empty(), "{}", path.display());
        let canonical = scenario.to_toml();
        assert_eq!(Scenario::parse("canonical", &canonical).unwrap(), scenario);
        count += 1;
    }
    assert!(count >= 11);
}

/// The task set of `make demo`: four copies on four processors, 84.5% load.
#[test]
fn the_demo() {
    let scenario = example("avionics").with_processors(4).unwrap().with_copies(4).unwrap();
    assert_eq!((scenario.tasks.len(), utilization(&scenario) / 4_000), (64, 845));
    for name in ["P-EDF", "C-EDF", "G-EDF", "NG-EDF", "P-RM", "G-RM", "G-FIFO"] {
        let scenario =
            scenario.clone().with_scheduler(name).unwrap().with_overheads("paper-2008-4k").unwrap();
        assert_eq!(scenario.model_platform().processors(), 4);
    }
}
