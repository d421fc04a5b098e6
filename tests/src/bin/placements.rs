//! How many sets each placement proves: the table of `docs/advise.md`.
//!
//! `placements [--sets K] [--only SCHEDULER]`: K sets of each distribution and load; tasks with periods of 10 to
//! 100 ms, as in litmus-rt-2006, whose distributions these are, with those of chronos-scalability-2011. A set counts if
//! `analyze` proves all its deadlines, so the placements are those that users name.

#![forbid(unsafe_code)]

use schedlab_lab::sensitivity::is_proved;
use schedlab_lab::{Catalog, Prepared};
use schedlab_scenario::{Clusters, DeadlineRule, Scenario, TaskSpec};
use schedlab_workload::generate::{Accesses, Generator, Spec};

const SEED: u64 = 7;
const DISTRIBUTIONS: [&str; 6] =
    ["uniform-light", "uniform-medium", "uniform-heavy", "bimodal", "bimodal-medium", "bimodal-heavy"];
/// Parts of the processors.
const LOADS: [f64; 6] = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// What is asked: a scheduler, deadlines, a locking protocol, processors, and how many of them a cluster has.
struct Row {
    scheduler: &'static str,
    deadlines: &'static str,
    protocol: &'static str,
    processors: u16,
    cluster: u16,
}

const fn row(scheduler: &'static str, deadlines: &'static str, protocol: &'static str) -> Row {
    Row { scheduler, deadlines, protocol, processors: 4, cluster: 1 }
}

const fn clustered(scheduler: &'static str) -> Row {
    Row { processors: 8, cluster: 4, ..row(scheduler, "implicit", "none") }
}

const ROWS: &[Row] = &[
    row("P-EDF", "implicit", "none"),
    row("P-EDF", "constrained", "none"),
    row("P-RM", "implicit", "none"),
    row("P-DM", "constrained", "none"),
    row("P-FIFO", "implicit", "none"),
    row("NP-EDF", "implicit", "none"),
    row("NP-RM", "implicit", "none"),
    row("P-EDF", "implicit", "msrp"),
    row("P-RM", "implicit", "mpcp"),
    row("P-RM", "implicit", "fmlp+"),
    clustered("C-EDF"),
    clustered("C-RM"),
    clustered("C-FIFO"),
];

/// By the heading of a column: words of `--placement`; none for what holds if a file names no rule.
const COLUMNS: [(&str, Option<&str>); 7] = [
    ("default", None),
    ("worst fit", Some("worst_fit_decreasing")),
    ("first fit", Some("first_fit_decreasing")),
    ("best fit", Some("best_fit_decreasing")),
    ("next fit", Some("next_fit_decreasing")),
    ("worst, as listed", Some("worst_fit")),
    ("together", Some("together worst_fit_decreasing")),
];

/// The scenario of a drawn set.
fn scenario(row: &Row, distribution: &str, load: f64, index: u64) -> Scenario {
    let spec = Spec {
        utilization: distribution.into(),
        periods: "uniform 10ms 100ms".into(),
        deadlines: row.deadlines.into(),
        stop: format!("trim {}", f64::from(row.processors) * load),
    };
    let tasks = Generator::parse(&spec).expect("a generator").generate(SEED, index).expect("a set");
    let named = |(number, task): (usize, &schedlab_model::Task)| TaskSpec {
        relative_deadline: task.relative_deadline,
        ..TaskSpec::new(format!("t{number}"), task.wcet, task.period)
    };
    let mut made = Scenario::new(tasks.iter().enumerate().map(named).collect());
    made.deadlines = DeadlineRule::Arbitrary;
    made.platform.processors = row.processors;
    made.platform.clusters = Clusters::OfSize(row.cluster);
    let made = made.with_scheduler(row.scheduler).expect("a shipped scheduler");
    if row.protocol == "none" {
        return made;
    }
    let accesses: Accesses = "shared 4 1 1 10us".parse().expect("a rule of accesses");
    let shared = made.with_accesses(&accesses, SEED, index).expect("sections that fit");
    shared.with_protocol(row.protocol).expect("a shipped protocol")
}

fn is_proved_with(scenario: &Scenario, words: Option<&str>) -> bool {
    let placed = match words {
        None => scenario.clone(),
        Some(words) => scenario.clone().with_placement(words).expect("words of a placement"),
    };
    Prepared::of(&placed, &Catalog::shipped()).is_ok_and(|prepared| is_proved(&prepared))
}

fn main() {
    let (mut sets, mut only) = (10, String::new());
    let mut arguments = std::env::args().skip(1);
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        match name.as_str() {
            "--sets" => sets = value.parse().expect("--sets needs a whole number"),
            "--only" => only = value,
            other => panic!("unknown option {other}; known are --sets, --only"),
        }
    }
    let headings: Vec<&str> = COLUMNS.iter().map(|(heading, _)| *heading).collect();
    println!("| scheduler | {} |", headings.join(" | "));
    println!("|---|{}", "---|".repeat(COLUMNS.len()));
    for row in ROWS.iter().filter(|row| row.scheduler.contains(&only)) {
        let (mut proved, mut all) = ([0u64; COLUMNS.len()], 0u64);
        for (distribution, load) in DISTRIBUTIONS.iter().flat_map(|one| LOADS.map(|load| (*one, load))) {
            for scenario in (0..sets).map(|index| scenario(row, distribution, load, index)) {
                all += 1;
                for (count, (_, words)) in proved.iter_mut().zip(&COLUMNS) {
                    *count += u64::from(is_proved_with(&scenario, *words));
                }
            }
        }
        let share = |count: &u64| format!("{:.1}", 100.0 * *count as f64 / all as f64);
        let shares: Vec<String> = proved.iter().map(share).collect();
        let Row { scheduler, deadlines, protocol, .. } = row;
        println!("| {scheduler}, {deadlines}, {protocol} | {} |", shares.join(" | "));
    }
}
