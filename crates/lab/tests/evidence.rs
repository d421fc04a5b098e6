//! Nobody is told "unschedulable" unless the simulator misses a deadline.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Prepared, ScenarioAnalysis};
use schedlab_model::{Instant, JobId, TaskId};
use schedlab_scenario::Scenario;

fn prepared(scheduler: &str, processors: u16, tasks: &[&str]) -> Prepared {
    let rows: Vec<String> =
        tasks.iter().enumerate().map(|(at, fields)| format!("{{ name = \"t{at}\", {fields} }}")).collect();
    let text = format!(
        "schedlab = 1\nscheduler = \"{scheduler}\"\nplatform = {{ processors = {processors} }}\ntask = [{}]\n",
        rows.join(", ")
    );
    Prepared::new(&Scenario::parse("test", &text).expect("the scenario is well-formed"))
        .expect("it can be run")
}

fn of(scheduler: &str, processors: u16, tasks: &[&str]) -> ScenarioAnalysis {
    analyze(&prepared(scheduler, processors, tasks)).expect("it can be analysed")
}

fn hard(found: &ScenarioAnalysis) -> Answer {
    found.analysis.as_ref().expect("there is an analysis").hard
}

#[test]
fn a_refused_set_comes_with_its_late_job() {
    let found = of("G-EDF", 1, &["wcet = \"2 ms\", period = \"5 ms\"", "wcet = \"4 ms\", period = \"6 ms\""]);
    assert_eq!(hard(&found), Answer::Unschedulable);
    let evidence = &found.evidence[0];
    assert_eq!(evidence.late, JobId::new(TaskId(0), 4));
    assert_eq!(evidence.absolute_deadline, Instant::from_ns(25_000_000));
    assert_eq!(evidence.jobs.len(), 6 + 5);
}

/// An overload that takes longer to show than is simulated is not called one.
#[test]
fn what_cannot_be_shown_is_not_said() {
    let tasks = ["wcet = \"500000001 ns\", period = \"1 s\"", "wcet = \"1 us\", period = \"2 us\""];
    let prepared = prepared("G-EDF", 1, &tasks);
    let found = analyze(&prepared).unwrap();
    assert_eq!(hard(&found), Answer::Unknown);
    assert!(found.evidence.is_empty());
    let all = findings(&prepared, &found);
    assert!(all.iter().all(|finding| finding.answer != Answer::Unschedulable), "{all:?}");
    assert!(all.iter().any(|finding| finding.reason.contains("no deadline was missed in")), "{all:?}");
}

/// Costs below the WCET make a job late that would not be late at the WCET: the explorer names them, the simulator agrees.
#[test]
fn an_anomaly_is_replayed() {
    let tasks = [
        "wcet = \"2 ms\", cost = { uniform = [\"1 ms\", \"2 ms\"] }, period = \"20 ms\", deadline = \"10 ms\"",
        "wcet = \"1 ms\", period = \"20 ms\", deadline = \"2 ms\", offset = \"2 ms\"",
        "wcet = \"5 ms\", period = \"20 ms\"",
    ];
    let found = of("NG-EDF", 1, &tasks);
    assert_eq!(hard(&found), Answer::Unschedulable);
    let evidence = &found.evidence[0];
    assert_eq!(evidence.late, JobId::new(TaskId(1), 0));
    let shortened = evidence.jobs.iter().find(|job| job.id == JobId::new(TaskId(0), 0)).unwrap();
    assert!(shortened.cost.as_ns() < 2_000_000);
    let calm: Vec<String> = tasks.iter().map(|task| task.replace("[\"1 ms\"", "[\"2 ms\"")).collect();
    let calm: Vec<&str> = calm.iter().map(String::as_str).collect();
    assert_eq!(hard(&of("NG-EDF", 1, &calm)), Answer::Schedulable);
}

/// Sporadic worst cases: releases together after jitter, and just after a job that is not preempted.
#[test]
fn sporadic_worst_cases_are_found() {
    let late_by_jitter = of(
        "P-RM",
        1,
        &[
            "wcet = \"2 ms\", period = \"5 ms\", deadline = \"5 ms\", jitter = \"3 ms\", arrival = \"sporadic\"",
            "wcet = \"3 ms\", period = \"20 ms\", deadline = \"6 ms\", arrival = \"sporadic\"",
        ],
    );
    assert_eq!(hard(&late_by_jitter), Answer::Unschedulable);
    assert!(late_by_jitter.evidence[0].rule.contains("together"), "{:?}", late_by_jitter.evidence);
    let blocked = of(
        "NP-EDF",
        1,
        &[
            "wcet = \"1 ms\", period = \"10 ms\", deadline = \"3 ms\", arrival = \"sporadic\"",
            "wcet = \"4 ms\", period = \"40 ms\", arrival = \"sporadic\"",
        ],
    );
    assert_eq!(hard(&blocked), Answer::Unschedulable);
    assert!(blocked.evidence[0].rule.contains("just after one of t1"), "{:?}", blocked.evidence);
}

/// Evidence holds jobs of the scenario only: none of a task that has left.
#[test]
fn tasks_that_leave_have_no_later_jobs_in_evidence() {
    let text = "schedlab = 1\nscheduler = \"P-FP\"\nprotocol = \"msrp\"\nplatform.processors = 2\n\
        resource = [{ name = \"R\" }]\n\
        [[task]]\nname = \"a\"\nperiod = \"5ns\"\nprocessor = 0\npriority = 1\nwcet_may_exceed_deadline = true\n\
        program = [\"execute 5ns\", \"request R\", \"execute 1ns\", \"release R\"]\n\
        [[task]]\nname = \"b\"\nperiod = \"2ns\"\nprocessor = 1\npriority = 2\nleave = \"3ns\"\n\
        program = [\"request R\", \"execute 1ns\", \"release R\"]\n";
    let scenario = Scenario::parse("leaves.toml", text).unwrap();
    let found = analyze(&Prepared::new(&scenario).unwrap()).unwrap();
    let jobs = &found.evidence[0].jobs;
    let late = jobs.iter().find(|job| job.id.task == TaskId(1) && job.arrival >= Instant::from_ns(3));
    assert!(late.is_none() && jobs.len() > 2, "{jobs:?}");
}
