//! No answer is "unschedulable" unless the simulator misses a deadline.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Assumption, Catalog, Prepared, ScenarioAnalysis};
use schedlab_model::{Duration, Instant, JobId, TaskId};
use schedlab_scenario::Scenario;

fn prepared(scheduler: &str, processors: u16, tasks: &[&str]) -> Prepared {
    let row = |(index, fields)| format!("{{ name = \"t{index}\", {fields} }}");
    let rows: Vec<String> = tasks.iter().enumerate().map(row).collect();
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
    assert!(
        all.iter().any(|finding| finding.reason.to_string().contains("no deadline was missed in")),
        "{all:?}"
    );
}

/// Costs below the WCET make a job late that would not be late at the WCET: the explorer names them, the simulator
/// agrees.
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

/// A scheduler that refuses a set never runs it: whatever piles up in theory, no answer says that a job of a run is
/// late.
#[test]
fn what_the_scheduler_refuses_is_not_called_unschedulable() {
    let first = "wcet = \"11 ns\", period = \"30 ns\"";
    let second = "wcet = \"11 ns\", period = \"40 ns\"";
    let with = |extra: [&str; 2]| [format!("{first}{}", extra[0]), format!("{second}{}", extra[1])];
    let sets = [
        with(["", ""]),
        with([", arrival = { at = [\"0 ns\"] }", ", arrival = { at = [\"50 ns\"] }"]),
        with([", arrival = \"sporadic\"", ", arrival = \"sporadic\""]),
        with(["", ", offset = \"50 ns\""]),
        // Utilizations alone are above 1.
        with(["", ""]).map(|task| task.replace("11 ns", "29 ns")),
    ];
    for tasks in sets {
        for scheduler in ["PD2", "S-PD2", "ER-PD2", "PF", "PD"] {
            let text = format!(
                "schedlab = 1\nscheduler = \"{scheduler}\"\nplatform = {{ processors = 1, quantum = \"10 ns\" }}\n\
                 task = [{{ name = \"a\", {} }}, {{ name = \"b\", {} }}]\n",
                tasks[0], tasks[1]
            );
            let scenario = Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"));
            assert!(Prepared::new(&scenario).is_err(), "{text}");
            let prepared = Prepared::for_analysis(&scenario, &Catalog::shipped()).unwrap();
            let found = analyze(&prepared).unwrap();
            assert!(found.evidence.is_empty());
            let analysis = found.analysis.as_ref().unwrap();
            assert_eq!((analysis.hard, analysis.soft), (Answer::Unknown, Answer::Unknown), "{text}");
            let said = findings(&prepared, &found);
            assert!(said.iter().all(|finding| finding.answer == Answer::Unknown), "{said:?}\n{text}");
            for test in ["pfair", "pfair_lateness"] {
                let reason = &said.iter().find(|finding| finding.test == test).unwrap().reason;
                assert!(reason.to_string().contains("refuses"), "{reason}\n{text}");
            }
        }
    }
}

/// Whether no test says unschedulable.
fn is_not_refuted(scheduler: &str, processors: u16, tasks: &[&str]) -> bool {
    let prepared = prepared(scheduler, processors, tasks);
    let found = analyze(&prepared).expect("it can be analysed");
    let all = findings(&prepared, &found);
    found.evidence.is_empty() && all.iter().all(|finding| finding.answer != Answer::Unschedulable)
}

/// The scenario says when jobs arrive: others are no evidence against it.
#[test]
fn only_arrivals_of_the_scenario_are_evidence() {
    let apart = |second: &str, how: &str| {
        let second = format!("wcet = \"25 ms\", period = \"40 ms\", {second}");
        is_not_refuted("G-EDF", 1, &[&format!("wcet = \"25 ms\", period = \"30 ms\", {how}"), &second])
    };
    let at_0 = "arrival = { at = [\"0 ms\"] }";
    assert!(apart("arrival = { at = [\"500 ms\"] }", at_0), "lists");
    assert!(apart("offset = \"500 ms\", arrival = \"sporadic\"", at_0), "an offset beside a list");
    let half = |fields: &str| format!("wcet = \"4 ms\", period = \"10 ms\", deadline = \"5 ms\", {fields}");
    // Jobs that are never delayed do not move towards each other.
    let strict = "arrival = { sporadic = \"0 ms\" }";
    for (first, second) in [(strict, strict), ("", strict), (strict, "")] {
        let second = format!("offset = \"5 ms\", {second}");
        assert!(is_not_refuted("P-RM", 1, &[&half(first), &half(&second)]), "{first}; {second}");
    }
    // Periodic tasks keep their offsets beside a sporadic one.
    let sporadic = "wcet = \"1 us\", period = \"100 ms\", arrival = \"sporadic\"";
    assert!(is_not_refuted("P-RM", 1, &[&half(""), &half("offset = \"5 ms\""), sporadic]));
}

/// What the arrivals of the scenario do show is said, as before.
#[test]
fn listed_arrivals_are_refuted_by_themselves() {
    let tasks = |second: &str| {
        let list = "arrival = { at = [\"0 ms\", \"100 ms\"] }";
        let other = format!("arrival = {{ at = [\"50 ms\", \"{second}\"] }}");
        let (a, b) = ("wcet = \"25 ms\", period = \"30 ms\"", "wcet = \"25 ms\", period = \"40 ms\"");
        of("G-EDF", 1, &[&format!("{a}, {list}"), &format!("{b}, {other}")])
    };
    assert_eq!(hard(&tasks("200 ms")), Answer::Unknown);
    let late = tasks("100 ms");
    assert_eq!(hard(&late), Answer::Unschedulable);
    let evidence = &late.evidence[0];
    assert_eq!(evidence.late, JobId::new(TaskId(1), 1));
    let arrivals: Vec<u64> = evidence.jobs.iter().map(|job| job.arrival.as_ns() / 1_000_000).collect();
    assert_eq!(arrivals, [0, 50, 100, 100]);
    // Lists end: nothing grows for ever.
    assert_ne!(late.analysis.expect("there is an analysis").soft, Answer::Unschedulable);
}

/// Sporadic tasks arrive together with a periodic one where that arrives.
#[test]
fn sporadic_tasks_meet_periodic_ones() {
    let periodic = "wcet = \"3 ms\", period = \"10 ms\", deadline = \"5 ms\", offset = \"4 ms\"";
    let sporadic = "wcet = \"3 ms\", period = \"20 ms\", deadline = \"5 ms\", arrival = \"sporadic\"";
    let found = of("P-DM", 1, &[periodic, sporadic]);
    assert_eq!(hard(&found), Answer::Unschedulable);
    let jobs = &found.evidence[0].jobs;
    assert!(jobs.iter().any(|job| job.id == JobId::new(TaskId(0), 0) && job.arrival.as_ns() == 4_000_000));
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

/// Dhall's effect: no sufficient test decides, and the scenario itself misses a deadline.
#[test]
fn a_deadline_that_the_scenario_itself_misses_refutes_it() {
    let text = |scheduler: &str, more: &str| {
        format!(
            "schedlab = 1\nscheduler = \"{scheduler}\"\nhorizon = \"40 ms\"\n{more}platform.processors = 2\n\
             [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n\
             [[task]]\nname = \"b\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n\
             [[task]]\nname = \"long\"\nwcet = \"10.5 ms\"\nperiod = \"11 ms\"\n"
        )
    };
    let own_run = |scheduler: &str, more: &str| {
        let prepared = Prepared::new(&Scenario::parse("dhall", &text(scheduler, more)).unwrap()).unwrap();
        let found = analyze(&prepared).unwrap();
        let said = findings(&prepared, &found).into_iter().find(|one| one.test == "simulation");
        let said = said.map(|one| (one.reason.in_words(&prepared.scenario), one));
        (found.evidence, said)
    };
    let (evidence, said) = own_run("G-EDF", "");
    let (reason, said) = said.expect("it is refuted");
    assert_eq!(said.answer, Answer::Unschedulable);
    assert_eq!(reason, "long's job 0 (T2J0) was late by 500 us: its deadline was at 11 ms");
    assert_eq!(said.assumptions, [Assumption::ArrivalsAsStated]);
    let [evidence] = evidence.as_slice() else { panic!("{evidence:?}") };
    assert_eq!(
        (evidence.late.to_string().as_str(), evidence.late_by),
        ("T2J0", Some(Duration::from_us(500)))
    );
    assert_eq!(evidence.absolute_deadline, Instant::from_ns(11_000_000));
    // What is assumed of the machine is an assumption of the answer.
    let (_, said) = own_run("G-EDF", "overheads = \"paper-2008-4k\"\n");
    let takes = Assumption::MachineTakes { overheads: "paper-2008-4k".to_owned(), statistic: None };
    assert_eq!(said.expect("it is refuted").1.assumptions[1], takes);
    // What is proved, or not refuted by its own run, says nothing of it.
    assert_eq!(own_run("P-EDF", "").1, None);
    // A job that is not complete at the end is late all the same.
    let cut = text("G-EDF", "").replace("40 ms", "11.2 ms");
    let prepared = Prepared::new(&Scenario::parse("dhall", &cut).unwrap()).unwrap();
    let found = analyze(&prepared).unwrap();
    assert_eq!(found.own_run.map(|late| late.by), Some(None));
}
