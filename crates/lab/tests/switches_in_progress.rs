//! On several processors a job may meet three context switches: none of the analyses may call such a system
//! schedulable.

use schedlab_analysis::{Answer, Guarantee};
use schedlab_lab::{analyze, findings, Finding, Prepared};
use schedlab_report::metrics::Metrics;
use schedlab_scenario::Scenario;

const TEXT: &str = include_str!("data/switches_in_progress.toml");

#[test]
fn a_job_that_meets_three_switches_is_not_called_schedulable() {
    let scenario = Scenario::parse("switches_in_progress.toml", TEXT).expect("it is well-formed");
    let prepared = Prepared::new(&scenario).expect("it can be run");
    let mut metrics = Metrics::new(prepared.tasks.len(), prepared.platform.processors().into());
    prepared.simulate(&mut metrics, &mut |_| true).expect("it runs");
    let longest = metrics.tasks()[10].response_time.max().expect("T10 has jobs");
    assert!(longest > prepared.tasks[10].relative_deadline.as_ns(), "the case shows something");
    let found = analyze(&prepared).expect("it can be analysed");
    let is_hard = |one: &&Finding| one.guarantee == Guarantee::Hard;
    let answers = findings(&prepared, &found);
    let hard: Vec<_> = answers.iter().filter(is_hard).collect();
    assert!(!hard.is_empty(), "somebody answers");
    assert!(hard.iter().all(|one| one.answer != Answer::Schedulable), "{hard:?}");
}
