//! Scenarios under Pfair schedulers: what they may say, and what then happens.

use schedlab_lab::{PrepareError, Prepared};
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_report::schedule::{Lanes, ScheduleRecorder, Window};
use schedlab_scenario::Scenario;

/// Two processors, quanta of 1 ms, four tasks that leave hardly any room.
const TASKS: &str = r#"
horizon = "600 ms"
platform = { processors = 2, quantum = "1 ms" }
task = [
    { name = "a", wcet = "2 ms", period = "3 ms" },
    { name = "b", wcet = "1 ms", period = "2 ms" },
    { name = "c", wcet = "2 ms", period = "5 ms" },
    { name = "d", wcet = "2 ms", period = "5 ms" },
]
"#;

fn prepared(text: &str) -> Result<Prepared, PrepareError> {
    let text = format!("schedlab = 1\n{text}");
    let scenario = Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(Scenario::parse("again", &scenario.to_toml()).unwrap(), scenario);
    Prepared::new(&scenario)
}

struct Run {
    metrics: Metrics,
    /// Who ran in each quantum, by processor.
    rows: Vec<String>,
}

/// Simulates, and checks every invariant.
fn simulate(text: &str) -> Run {
    let prepared = prepared(text).unwrap_or_else(|error| panic!("{error}"));
    let context = prepared.context();
    let mut checker = Checker::new(&context);
    let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
    let mut recorder = ScheduleRecorder::new(&context, Window::ALL);
    prepared.simulate((&mut checker, (&mut metrics, &mut recorder)), &mut |_| true).unwrap();
    let verdict = checker.finish();
    assert!(verdict.holds(), "{:?}", verdict.outcomes.iter().find(|outcome| !outcome.holds()));
    let rows = recorder.finish().rows(Lanes::Processors, prepared.platform.quantum);
    Run { metrics, rows }
}

/// Whatever the affinity, the same tasks run in each slot; without any, more of them migrate.
#[test]
fn a_scenario_chooses_the_affinity() {
    let under = |affinity: &str| {
        simulate(&format!("scheduler = {{ name = \"PD2\", affinity = \"{affinity}\" }}{TASKS}"))
    };
    let sets = |run: &Run| {
        let (first, second) = (run.rows[0].chars(), run.rows[1].chars());
        first.zip(second).map(|(a, b)| if a < b { (a, b) } else { (b, a) }).collect::<Vec<_>>()
    };
    let all: Vec<(&str, Run)> =
        ["none", "BTB", "LS", "MRP", "MRAP", "directed-migration"].map(|name| (name, under(name))).into();
    let migrations = |run: &Run| run.metrics.all_tasks().migrations;
    for (name, run) in &all[1..] {
        assert_eq!(sets(run), sets(&all[0].1), "{name}");
        assert_eq!(run.metrics.all_tasks().missed, 0, "{name}");
        assert!(migrations(run) < migrations(&all[0].1), "{name}: {} migrations", migrations(run));
    }
    assert_eq!(under("back-to-back").rows, all[1].1.rows);
    assert_ne!(all[2].1.rows, all[3].1.rows);
}
