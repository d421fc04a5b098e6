//! Devi's test for EDF with self-suspensions accepts a system that misses a deadline: what docs/peers.md says,
//! replayed.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, Prepared};
use schedlab_model::{Instant, JobId, TaskId};
use schedlab_scenario::Scenario;
use schedlab_trace::{Record, Timeline};

const SYSTEM: &str = r#"
schedlab = 1
horizon = "48ms"
scheduler = "P-EDF"

[platform]
processors = 1

[[task]]
name = "a"
period = "12ms"
program = ["execute 1ms", "suspend 7ms", "execute 4ms"]

[[task]]
name = "b"
period = "14ms"
wcet = "1ms"
offset = "6ms"
"#;

/// Cost, suspension and period in milliseconds, by rising period.
const TASKS: [(i64, i64, i64); 2] = [(5, 7, 12), (1, 0, 14)];

/// Theorem 8 for implicit deadlines: for each k, `(B + B') / T_k` and the utilizations up to k add up to at most 1,
/// with `B = sum over i <= k of min(S_i, C_i)` and `B' = max over i <= k of max(0, S_i - C_i)`. Times the product of
/// all periods.
fn theorem_8(tasks: &[(i64, i64, i64)]) -> bool {
    let product: i64 = tasks.iter().map(|task| task.2).product();
    (1..=tasks.len()).all(|k| {
        let first = &tasks[..k];
        let suspended: i64 = first.iter().map(|(cost, suspension, _)| suspension.min(cost)).sum();
        let beyond = first.iter().map(|(cost, suspension, _)| (suspension - cost).max(0)).max().unwrap_or(0);
        let utilization: i64 = first.iter().map(|(cost, _, period)| cost * (product / period)).sum();
        (suspended + beyond) * (product / first[k - 1].2) + utilization <= product
    })
}

/// The job of `a` that arrives at 24 has not a unit to spare, and `b`'s job of 20, due before it, still has to execute
/// then.
#[test]
fn a_system_that_theorem_8_accepts_misses_a_deadline() {
    // k = 1: (5 + 2) / 12 + 5 / 12 = 1. k = 2: (5 + 2) / 14 + 5 / 12 + 1 / 14 = 83 / 84.
    assert!(theorem_8(&TASKS));
    // One unit of suspension or of execution more would be too much already for the first.
    assert!(!theorem_8(&[(5, 8, 12), (1, 0, 14)]) && !theorem_8(&[(6, 7, 12), (1, 0, 14)]));

    let scenario = Scenario::parse("suspensions.toml", SYSTEM).unwrap();
    let prepared = Prepared::new(&scenario).unwrap();
    let mut timeline = Timeline::default();
    prepared.simulate(&mut timeline, &mut |_| true).unwrap();
    let (late, ms) = (JobId { task: TaskId(0), number: 2 }, |ms: u64| Instant::from_ns(ms * 1_000_000));
    let of = |wanted: fn(&Record) -> Option<JobId>| {
        let found = timeline.records.iter().find(|(_, record)| wanted(record) == Some(late));
        found.map(|(at, _)| *at)
    };
    let is_missed = of(|record| if let Record::Miss { job } = record { Some(*job) } else { None }).is_some();
    let completed = of(|record| if let Record::Complete { job } = record { Some(*job) } else { None });
    // Due at 36.
    assert_eq!((is_missed, completed), (true, Some(ms(37))));

    let found = analyze(&prepared).unwrap().analysis.unwrap();
    assert_ne!(found.hard, Answer::Schedulable);
}
