//! Overheads that say how processors wait for each other's decisions are simulated, and refused wherever a verdict
//! would need an account of them.

use schedlab_analysis::Answer;
use schedlab_lab::batch::Question;
use schedlab_lab::{analyze, findings, Catalog, Prepared};
use schedlab_report::metrics::Metrics;
use schedlab_scenario::{OverheadProfile, Scenario};

const DECISIONS: &str = r#"
[[overheads.scheduler]]
name = "G-EDF"
scheduling = "0.2 ms"
[overheads.scheduler.decisions]
architecture = "stop-the-world"
lock = "mcs"
hand_over = "0.1 ms"
access = "0.1 ms"
migration = "0.1 ms"
source = "a test"
"#;

fn prepared(scheduler: &str) -> Prepared {
    let text = format!(
        "schedlab = 1\nhorizon = \"30 ms\"\nscheduler = \"{scheduler}\"\nplatform.processors = 2\n{DECISIONS}\n\
         [[task]]\nname = \"a\"\nwcet = \"3 ms\"\nperiod = \"10 ms\"\n\
         [[task]]\nname = \"b\"\nwcet = \"3 ms\"\nperiod = \"10 ms\"\n"
    );
    let scenario = Scenario::parse("decisions.toml", &text).expect("it is well-formed");
    Prepared::new(&scenario).expect("it can be run")
}

/// Choosing takes 0.2 ms, and 0.1 for each of two descriptors: a runs from 0.4 to 3.4 ms, b from 0.5 on. The world then
/// stops for a's completion while b executes: for 0.2 ms, one descriptor, and the hand-over.
#[test]
fn they_are_simulated() {
    let prepared = prepared("G-EDF");
    let mut metrics = Metrics::new(prepared.tasks.len(), 2);
    prepared.simulate(&mut metrics, &mut |_| true).expect("it runs");
    let longest = metrics.tasks().iter().map(|task| task.response_time.max().expect("it has jobs"));
    assert_eq!(longest.collect::<Vec<_>>(), [3_400_000, 3_900_000]);
}

#[test]
fn no_test_ignores_them() {
    let answers = |scheduler| {
        let prepared = prepared(scheduler);
        let analysis = analyze(&prepared).expect("the tasks can be analysed");
        findings(&prepared, &analysis)
    };
    let charged = answers("G-EDF");
    assert!(charged.iter().all(|found| found.answer != Answer::Schedulable), "{charged:?}");
    let text = "no test accounts for the decisions of the overheads: for processors that wait for each other";
    assert!(charged.iter().any(|found| found.reason.to_string() == text), "{charged:?}");
    // They are those of G-EDF alone.
    assert!(answers("P-EDF").iter().any(|found| found.answer == Answer::Schedulable));
}

#[test]
fn no_batch_ignores_them() {
    let text = format!("schedlab-overheads = 1\n{}", DECISIONS.replace("overheads.scheduler", "scheduler"));
    let profile = OverheadProfile::parse_with("mine.toml", text.into(), &|_| Err("no file".into())).unwrap();
    let catalog = Catalog::shipped().with_overheads("mine", profile).expect("the name is new");
    for (text, overheads) in [
        ("G-EDF hard mine", "mine"),
        ("G-EDF fmlp-long soft mine", "mine"),
        ("PD2 hard mine:G-EDF", "mine:G-EDF"),
    ] {
        let refused = Question::parse(text, &catalog).expect_err(text).to_string();
        let text = format!(
            "\"{overheads}\": it says how the decisions of G-EDF delay other processors, which no test accounts for; \
             allowed: overheads without \"decisions\" of this scheduler"
        );
        assert_eq!(refused, text, "{text}");
    }
    assert!(Question::parse("P-EDF hard mine", &catalog).is_ok());
}

const MOVES: &str = r#"
[[overheads.scheduler]]
name = "SCHED_FIFO"
push = "0.1 ms"
pull = { max = "0.3 ms", mean = "0.2 ms" }
"#;

/// A system of one thread under the kernel's class, with what moves take.
fn with_moves(scheduler: &str, processors: u16) -> Prepared {
    let text = format!(
        "schedlab = 1\nhorizon = \"30 ms\"\nscheduler = \"{scheduler}\"\nplatform.processors = {processors}\n{MOVES}\n\
         [[task]]\nname = \"a\"\nwcet = \"3 ms\"\nperiod = \"10 ms\"\npriority = 1\n"
    );
    let scenario = Scenario::parse("moves.toml", &text).expect("it is well-formed");
    Prepared::new(&scenario).expect("it can be run")
}

/// Even of one thread that never moves nothing is proved where moves take time; alone on its processor it is.
#[test]
fn no_test_ignores_moves_between_run_queues() {
    let answers = |scheduler, processors| {
        let prepared = with_moves(scheduler, processors);
        findings(&prepared, &analyze(&prepared).expect("the tasks can be analysed"))
    };
    let moving = answers("SCHED_FIFO", 2);
    assert!(moving.iter().all(|found| found.answer != Answer::Schedulable), "{moving:?}");
    for (scheduler, processors) in [("SCHED_FIFO", 1), ("P-SCHED_FIFO", 2)] {
        let bound = answers(scheduler, processors);
        assert!(bound.iter().any(|found| found.answer == Answer::Schedulable), "{scheduler}: {bound:?}");
    }
}

#[test]
fn no_batch_ignores_moves_between_run_queues() {
    let text = format!("schedlab-overheads = 1\n{}", MOVES.replace("overheads.scheduler", "scheduler"));
    let profile = OverheadProfile::parse_with("mine.toml", text.into(), &|_| Err("no file".into())).unwrap();
    let catalog = Catalog::shipped().with_overheads("mine", profile).expect("the name is new");
    let refused =
        Question::parse("PD2 hard mine:SCHED_FIFO", &catalog).expect_err("it pays for moves").to_string();
    let text = "\"mine:SCHED_FIFO\": it says what pushes and pulls take under SCHED_FIFO, which no test accounts for; \
                allowed: overheads without \"push\" and \"pull\" of this scheduler";
    assert_eq!(refused, text);
    assert!(Question::parse("G-EDF hard mine", &catalog).is_ok(), "they are those of SCHED_FIFO alone");
}
