//! Scenarios under Pfair schedulers: what they may say, and what then happens.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Assumption, PrepareError, Prepared};
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

/// What is said of a scenario that cannot be read.
fn misread(text: &str) -> String {
    Scenario::parse("test", &format!("schedlab = 1\n{text}")).unwrap_err().to_string()
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

/// The example of staggered events runs as its test of the algorithm says (`crates/policy/tests/pfair_events.rs`).
#[test]
fn the_staggered_example_is_the_tested_one() {
    let scenario =
        Scenario::parse("example", include_str!("../../../examples/staggered-events.toml")).unwrap();
    let prepared = Prepared::new(&scenario).unwrap();
    let mut recorder = ScheduleRecorder::new(&prepared.context(), Window::ALL);
    prepared.simulate(&mut recorder, &mut |_| true).unwrap();
    let rows = recorder.finish().rows(Lanes::Processors, schedlab_model::Duration::from_us(500));
    assert_eq!([&rows[0][..12], &rows[1][..11]], ["CCDDDDBBAACC", ".BBBBCCCCDD"]);
}

/// The example of zones is proved with the time in its weights that requests may wait.
#[test]
fn the_example_of_zones_is_schedulable() {
    let scenario = Scenario::parse("example", include_str!("../../../examples/pfair-zones.toml")).unwrap();
    let found = analyze(&Prepared::new(&scenario).unwrap()).unwrap().analysis.expect("a test speaks of it");
    assert_eq!(found.hard, Answer::Schedulable);
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

/// What a scenario of these tasks on so many processors is told.
fn refusal(scheduler: &str, processors: u16, tasks: &str) -> String {
    let platform = format!("platform = {{ processors = {processors}, quantum = \"1 ms\" }}");
    let error = prepared(&format!("scheduler = \"{scheduler}\"\n{platform}\ntask = [{tasks}]")).unwrap_err();
    assert!(error.is_lack_of_room());
    error.to_string()
}

#[test]
fn what_has_no_weight_or_no_room_is_refused_by_name() {
    for scheduler in ["PD2", "ER-PD2", "PF", "PD", "S-PD2"] {
        let late = r#"{ name = "late", wcet = "5 ms", period = "9 ms", deadline = "4.5 ms", wcet_may_exceed_deadline = true }"#;
        assert_eq!(refusal(scheduler, 4, late), "late, T0: a weight of 5/4; allowed: above 0, at most 1");
        let short = r#"{ name = "short", wcet = "100 us", period = "900 us" }"#;
        let expected =
            "short, T0: the period or relative deadline of 900 us is shorter than the quantum of 1 ms";
        assert_eq!(refusal(scheduler, 4, short), expected);
        assert_eq!(refusal(scheduler, 4, &short.replace("short", "T0")), expected.replacen("short, ", "", 1));
        let full = r#"{ name = "x", wcet = "1 ms", period = "1 ms" }, { name = "y", wcet = "1 us", period = "1 s" }"#;
        let expected =
            "y, T1: with its weight of 1/1000, the tasks need more than 1 processor; costs are rounded up \
                        to quanta, periods down";
        assert_eq!(refusal(scheduler, 1, full), expected);
    }
}

/// A task that joins when there is no room for it is refused; one that joins when another is gone is not.
#[test]
fn a_join_that_overloads_is_refused_by_name() {
    let tasks = |join: &str| {
        format!(
            r#"{{ name = "a", wcet = "4 ms", period = "10 ms", leave = "100 ms" }},
            {{ name = "b", wcet = "6 ms", period = "10 ms" }},
            {{ name = "c", wcet = "4 ms", period = "10 ms", join = "{join}" }}"#
        )
    };
    for scheduler in ["PD2", "S-PD2"] {
        let early = format!(
            "scheduler = \"{scheduler}\"\nplatform = {{ processors = 1, quantum = \"1 ms\" }}\ntask = [{}]",
            tasks("99 ms")
        );
        let message = misread(&early);
        assert!(message.starts_with("test:6:"), "{message}");
        assert!(
            message.contains("task[2].join: c, T2: with its weight of 4/10, the tasks need more"),
            "{message}"
        );
        assert!(message.ends_with("allowed: from 110 ms on, or a smaller weight"), "{message}");
        let platform = "platform = { processors = 1, quantum = \"1 ms\" }";
        let fits = format!("scheduler = \"{scheduler}\"\n{platform}\ntask = [{}]", tasks("110 ms"));
        assert_eq!(simulate(&fits).metrics.all_tasks().missed, 0);
    }
}

/// Fig. 1(c) of litmus-rt-2006: X uses its second quanta by half, and nothing else is wasted.
#[test]
fn wasted_time_is_recorded_measured_and_drawn() {
    let text = r#"
        horizon = "6 ms"
        platform = { processors = 2, quantum = "1 ms" }
        task = [
            { name = "X", wcet = "1.5 ms", period = "3 ms" },
            { name = "Y", wcet = "2 ms", period = "3 ms" },
            { name = "Z", wcet = "4 ms", period = "6 ms" },
        ]
    "#;
    for scheduler in ["PD2", "S-PD2"] {
        let text = format!("scheduler = \"{scheduler}\"\n{text}");
        let wasted = simulate(&text).metrics.all_processors().wasted();
        assert_eq!(wasted, 1_000_000, "{scheduler}");
        let prepared = prepared(&text).unwrap();
        let context = prepared.context();
        let mut recorder = ScheduleRecorder::new(&context, Window::ALL);
        prepared.simulate(&mut recorder, &mut |_| true).unwrap();
        let schedule = recorder.finish();
        let drawn: u64 = schedule.wastes.iter().map(|waste| (waste.to - waste.from).as_ns()).sum();
        assert_eq!(drawn, 1_000_000, "{scheduler}");
        let of_y = schedule.subtasks.iter().filter(|subtask| subtask.job.task.index() == 1);
        let windows: Vec<(u64, u64)> =
            of_y.map(|s| (s.release.as_ns() / 1_000_000, s.deadline.as_ns() / 1_000_000)).collect();
        assert_eq!(windows, [(0, 2), (1, 3), (3, 5), (4, 6)], "{scheduler}");
        let lanes = schedule.text(&context, Lanes::Tasks, schedlab_model::Duration::from_us(500));
        assert!(lanes.contains("  [--]  [--]\n    [--]  [--]"), "{lanes}");
        assert!(schedule.svg(&context, Lanes::Tasks).contains("window of a subtask"));
        assert!(schedule.svg(&context, Lanes::Processors).contains("wasted on P0"));
        assert!(schedule.tikz(&context, Lanes::Tasks).contains("|-|"));
    }
}

/// A scenario on one processor: `a` has half of it until `at`, then three quarters, and `b` a quarter.
fn reweighted(scheduler: &str, at: &str, of_b: &str) -> String {
    format!(
        r#"horizon = "200 ms"
        scheduler = "{scheduler}"
        platform = {{ processors = 1, quantum = "1 ms" }}
        task = [
            {{ name = "a", wcet = "5 ms", period = "10 ms", weights = [{{ at = "{at}", wcet = "3 ms", period = "4 ms" }}] }},
            {{ name = "b", wcet = "1 ms", period = "4 ms" }},
            {of_b}
        ]"#
    )
}

/// The new weight holds from the end of the former windows on: 50 ms if the change is at 41 ms or at 50 ms.
#[test]
fn a_weight_change_is_a_leave_and_a_join() {
    for scheduler in ["PD2", "S-PD2", "PF"] {
        for at in ["41 ms", "45.5 ms", "50 ms"] {
            let text = reweighted(scheduler, at, "");
            let prepared = prepared(&text).unwrap();
            let (a, after) = (&prepared.tasks[0], &prepared.tasks[1]);
            assert_eq!(
                (a.leave.as_ns(), after.join.as_ns(), after.offset),
                (40_000_001, 50_000_000, after.join)
            );
            let run = simulate(&text);
            assert_eq!(run.metrics.all_tasks().missed, 0, "{scheduler} {at}");
            let slots = |range: std::ops::Range<usize>| run.rows[0][range].matches(|c| c != '.').count();
            assert_eq!((slots(0..20), slots(50..70)), (15, 20), "{scheduler} {at}: {}", run.rows[0]);
        }
    }
}

/// Lag within (-1, 1) of the ideal with the former weight, then with the new one: nothing is carried over.
#[test]
fn lag_stays_within_one_over_a_weight_change() {
    let rows = simulate(&reweighted("PD2", "41 ms", "")).rows;
    let (mut got, mut checked) = (0i64, 0);
    for (slot, letter) in rows[0].chars().enumerate().take(200) {
        // A is the task before its change, B after it.
        got += i64::from(letter == 'A' || letter == 'B');
        let slots = slot as i64 + 1;
        // In twentieths of a quantum.
        let ideal = 10 * slots.min(50) + 15 * (slots - 50).max(0);
        assert!((ideal - 20 * got).abs() < 20, "slot {slot}: {}", rows[0]);
        checked += 1;
    }
    assert_eq!(checked, 200);
}

/// A task that joins before the former windows end would overload: refused at load; from their end on there is room.
#[test]
fn room_is_free_when_the_former_windows_end() {
    for scheduler in ["PD2", "S-PD2"] {
        let text = |join: &str| {
            format!(
                r#"horizon = "100 ms"
                scheduler = "{scheduler}"
                platform = {{ processors = 1, quantum = "1 ms" }}
                task = [
                    {{ name = "a", wcet = "8 ms", period = "10 ms", weights = [{{ at = "35 ms", wcet = "2 ms", period = "10 ms" }}] }},
                    {{ name = "c", wcet = "4 ms", period = "5 ms", join = "{join}" }},
                ]"#
            )
        };
        let message = misread(&text("39 ms"));
        assert!(message.contains("c, T2: with its weight of 4/5, the tasks need more"), "{message}");
        assert_eq!(simulate(&text("40 ms")).metrics.all_tasks().missed, 0);
    }
}

/// What is proved of `text`, and that what happens keeps the bounds.
fn proved(text: &str) -> Answer {
    let prepared = prepared(text).unwrap_or_else(|error| panic!("{error}"));
    let found = analyze(&prepared).unwrap().analysis.expect("a test speaks of it");
    let observed = simulate(text).metrics;
    for (task, bound) in observed.tasks().iter().zip(&found.response_times) {
        let bound = bound.expect("a bound is known").as_ns();
        assert!(task.response_time.max().is_none_or(|most| most <= bound), "{text}");
    }
    found.hard
}

/// A task has one weight at a time in the analysis too, whatever its parts add up to.
#[test]
fn weight_changes_are_analysed_part_by_part() {
    for scheduler in ["PD2", "S-PD2", "ER-PD2", "PF", "PD"] {
        assert_eq!(proved(&reweighted(scheduler, "41 ms", "")), Answer::Schedulable, "{scheduler}");
    }
    // Each copy changes three times, at full load throughout.
    let several = r#"
        horizon = "300 ms"
        scheduler = "PD2"
        platform = { processors = 2, quantum = "1 ms" }
        task = [
            { name = "a", wcet = "4 ms", period = "8 ms", copies = 4, weights = [
                { at = "24 ms", wcet = "1 ms", period = "2 ms" },
                { at = "100 ms", wcet = "2 ms", period = "5 ms" },
                { at = "200 ms", wcet = "5 ms", period = "10 ms" },
            ] },
        ]
    "#;
    let run = simulate(several);
    assert_eq!(prepared(several).unwrap().tasks.len(), 16);
    assert_eq!(run.metrics.all_tasks().missed, 0);
    let busy = |from: usize, to: usize| {
        run.rows.iter().map(|row| row[from..to].matches(|c| c != '.').count()).sum::<usize>()
    };
    assert_eq!((busy(0, 24), busy(24, 98), busy(105, 200), busy(210, 300)), (48, 148, 152, 180));
    assert_eq!(proved(several), Answer::Schedulable);
}

/// A change that would overload is refused by its name before anything runs; so is one of several that is too early.
#[test]
fn a_weight_change_that_overloads_is_refused_by_name() {
    for scheduler in ["PD2", "S-PD2"] {
        let other = r#"{ name = "c", wcet = "1 ms", period = "1000 ms" }"#;
        let message = misread(&reweighted(scheduler, "41 ms", other));
        let expected =
            "weights: a (from 41 ms), T1: with its weight of 3/4, the tasks need more than 1 processor";
        assert!(message.contains(expected), "{message}");
    }
}

/// Two tasks that use a resource for 100 us or 200 us of their quanta of 1 ms.
fn sharing(scheduler: &str, protocol: &str, more: &str) -> String {
    format!(
        r#"horizon = "300 ms"
        scheduler = "{scheduler}"
        protocol = "{protocol}"
        {more}
        platform = {{ processors = 2, quantum = "1 ms" }}
        resource = [{{ name = "r" }}]
        task = [
            {{ name = "a", period = "6 ms", program = ["execute 1.7 ms", "request r", "execute 100 us", "release r"] }},
            {{ name = "b", period = "5 ms", program = ["execute 850 us", "request r", "execute 200 us", "release r"] }},
            {{ name = "c", wcet = "3 ms", period = "4 ms" }},
        ]"#
    )
}

/// Zones: a request waits for 2S + B - 1 ns at most, S = 200 us and 100 us aligned, and is part of its task's weight.
#[test]
fn weights_and_verdicts_account_for_requests() {
    let seen = |scheduler, protocol| prepared(&sharing(scheduler, protocol, "")).unwrap().policy_tasks;
    let costs =
        |tasks: Vec<schedlab_model::Task>| tasks.iter().map(|task| task.wcet.as_ns()).collect::<Vec<_>>();
    assert_eq!(costs(seen("PD2", "zone-skip")), [2_399_999, 1_449_999, 3_000_000]);
    for protocol in ["zone-skip", "zone-rollback", "lock-free"] {
        for scheduler in ["PD2", "ER-PD2", "PD"] {
            assert_eq!(
                proved(&sharing(scheduler, protocol, "")),
                Answer::Schedulable,
                "{scheduler} {protocol}"
            );
        }
        proved(&sharing("S-PD2", protocol, ""));
        let prepared = prepared(&sharing("PD2", protocol, "")).unwrap();
        let said = findings(&prepared, &analyze(&prepared).unwrap());
        let pfair = said.iter().find(|found| found.test == "pfair").unwrap();
        let expected = Assumption::CostsIncludeRequests { protocol };
        assert_eq!(pfair.assumptions.last(), Some(&expected));
    }
}

/// What no bound speaks of is unknown, and says why.
#[test]
fn requests_without_bound_are_said_to_be() {
    let reason = |text: &str| {
        let prepared = prepared(text).unwrap();
        let found = findings(&prepared, &analyze(&prepared).unwrap());
        let by_tests = found.iter().filter(|one| one.test != "simulation").count();
        assert_eq!((by_tests, found[0].test, found[0].answer), (1, "requests", Answer::Unknown));
        found[0].reason.to_string()
    };
    let serves = r#"{ name = "server", period = "4 ms", program = ["serve r", "execute 1 ms"] },"#;
    let with_server = sharing("PD2", "pfair-server", "").replace("task = [", &format!("task = [{serves}"));
    let with_server = with_server.replace("3 ms", "1 ms");
    assert!(reason(&with_server).starts_with("clients suspend themselves"));
    let long = sharing("PD2", "zone-skip", "").replace("200 us", "950 us").replace("3 ms", "1 ms");
    assert!(reason(&long).starts_with("the sections that may go before a request do not fit"));
    let ticks = r#"overheads = { all = { tick = "1 us" } }"#;
    let refused = prepared(&sharing("PD2", "zone-skip", ticks)).unwrap_err().to_string();
    assert!(
        refused.starts_with("protocol \"zone-skip\" with overheads: an interrupted section may"),
        "{refused}"
    );
    let interrupted = reason(&sharing("PD2", "lock-free", ticks));
    assert!(interrupted.starts_with("requests together with overheads"), "{interrupted}");
}

/// On two processors EPDF is proved as PD2 is; on three nothing is, and a job is late that PD2 completes in time.
#[test]
fn epdf_is_proved_on_two_processors() {
    let text = |scheduler: &str, processors: u16, tasks: &str| {
        format!(
            "horizon = \"12 ms\"\nscheduler = \"{scheduler}\"\n\
             platform = {{ processors = {processors}, quantum = \"1 ms\" }}\ntask = [{tasks}]"
        )
    };
    let two = r#"{ name = "a", wcet = "2 ms", period = "3 ms", copies = 3 }"#;
    assert_eq!(proved(&text("EPDF", 2, two)), Answer::Schedulable);
    let three = r#"{ name = "a", wcet = "1 ms", period = "2 ms", copies = 3 },
        { name = "b", wcet = "3 ms", period = "4 ms", copies = 2 }"#;
    assert_eq!(proved(&text("PD2", 3, three)), Answer::Schedulable);
    let epdf = text("EPDF", 3, three);
    assert!(simulate(&epdf).metrics.all_tasks().missed > 0);
    let found = analyze(&prepared(&epdf).unwrap()).unwrap();
    let said = findings(&prepared(&epdf).unwrap(), &found);
    let of_windows: Vec<_> =
        said.iter().filter(|finding| finding.reason.to_string().contains("at most 2 processors")).collect();
    assert_eq!(of_windows.len(), 2, "{said:?}");
    assert!(of_windows.iter().all(|finding| finding.answer == Answer::Unknown), "{said:?}");
}

/// Jobs of half a quantum, up to every horizon: some cut a quantum, some at the very instant at which its job ends.
#[test]
fn a_quantum_that_the_horizon_cuts_is_no_broken_promise() {
    for scheduler in ["PD2", "S-PD2", "ER-PD2", "PF", "PD"] {
        for horizon in 1..=60 {
            simulate(&format!(
                r#"horizon = "{horizon} ns"
                scheduler = "{scheduler}"
                platform = {{ processors = 2, quantum = "10 ns" }}
                task = [{{ name = "t", copies = 2, wcet = "5 ns", period = "20 ns" }}]"#
            ));
        }
    }
}
