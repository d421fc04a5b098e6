//! Fields set by their paths.

use schedlab_scenario::{Scenario, Supposed};

const ROBOT: &str = r#"
schedlab = 1
scheduler.name = "G-EDF"
platform.processors = 2
[[resource]]
name = "R"
[[task]]
name = "odom"
wcet = "3 ms"
period = "10 ms"
[[task]]
name = "map"
program = ["execute 1 ms", "request R", "execute 1 ms", "release R"]
period = "20 ms"
arrival = "sporadic"
[[task]]
name = "cam"
copies = 2
wcet = "1 ms"
period = "30 ms"
deadline = "25 ms"
"#;

fn set(text: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let settings: Vec<_> =
        settings.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::parse("test", text).unwrap();
    scenario.with_settings(&settings).map_err(|errors| errors.to_string())
}

/// Expects that the settings do what the edited text says.
fn like(settings: &[(&str, &str)], edits: &[(&str, &str)]) {
    let mut text = ROBOT.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let made = set(ROBOT, settings).unwrap();
    assert_eq!(made.to_toml(), Scenario::parse("edited", &text).unwrap().to_toml(), "{settings:?}");
}

#[test]
fn settings_do_what_an_edit_of_the_file_does() {
    like(&[("task.odom.wcet", "5ms")], &[("3 ms", "5 ms")]);
    like(&[("task.odom.wcet", "\"5 ms\"")], &[("3 ms", "5 ms")]);
    like(&[("platform.processors", "3")], &[("processors = 2", "processors = 3")]);
    like(&[("scheduler", "P-EDF")], &[("G-EDF", "P-EDF")]);
    like(&[("scheduler.name", "P-EDF")], &[("G-EDF", "P-EDF")]);
    like(&[("resource.R.units", "2")], &[("name = \"R\"\n", "name = \"R\"\nunits = 2\n")]);
    like(
        &[("task.odom.cost", "{ fraction = 0.5 }"), ("seed", "7")],
        &[
            ("wcet = \"3 ms\"", "wcet = \"3 ms\"\ncost.fraction = 0.5"),
            ("schedlab = 1", "schedlab = 1\nseed = 7"),
        ],
    );
    like(
        &[("scheduler.placement.fit", "first"), ("task.odom.cost.fraction", "0.25")],
        &[
            ("wcet = \"3 ms\"", "wcet = \"3 ms\"\ncost.fraction = 0.25"),
            ("scheduler.name", "scheduler.placement.fit = \"first\"\nscheduler.name"),
        ],
    );
    // All copies, or one of them.
    like(&[("task.cam.wcet", "2 ms")], &[("copies = 2\nwcet = \"1 ms\"", "copies = 2\nwcet = \"2 ms\"")]);
    let one = set(ROBOT, &[("task.cam.2.wcet", "2 ms")]).unwrap();
    assert_eq!(one.tasks.iter().map(|task| task.wcet.as_ns() / 1_000_000).collect::<Vec<_>>(), [3, 2, 1, 2]);
}

#[test]
fn what_a_file_leaves_to_a_default_follows() {
    // The deadline, the horizon, and how late a sporadic job may be.
    like(&[("task.map.period", "200 ms")], &[("period = \"20 ms\"", "period = \"200 ms\"")]);
    // The cost of a program.
    like(
        &[("task.map.program", "[\"execute 4 ms\"]")],
        &[("[\"execute 1 ms\", \"request R\", \"execute 1 ms\", \"release R\"]", "[\"execute 4 ms\"]")],
    );
    like(
        &[("task.cam.period", "60 ms"), ("platform.cluster_size", "1")],
        &[("30 ms", "60 ms"), ("processors = 2", "processors = 2\nplatform.cluster_size = 1")],
    );
    let clusters = ROBOT.replace("processors = 2", "processors = 2\nplatform.clusters = [[0], [1]]");
    assert!(!set(&clusters, &[("platform.cluster_size", "2")]).unwrap().to_toml().contains("clusters ="));
}

#[test]
fn a_task_may_need_more_than_its_deadline_allows() {
    let late = set(ROBOT, &[("task.odom.wcet", "11 ms")]).unwrap();
    assert!(late.tasks[0].wcet_may_exceed_deadline);
    assert!(!set(ROBOT, &[("task.odom.wcet", "9 ms")]).unwrap().tasks[0].wcet_may_exceed_deadline);
    let stated = set(ROBOT, &[("task.odom.wcet_may_exceed_deadline", "true"), ("task.odom.wcet", "1 ms")]);
    assert!(stated.unwrap().tasks[0].wcet_may_exceed_deadline);
}

#[test]
fn what_was_set_is_told() {
    let made =
        set(ROBOT, &[("task.odom.wcet", "5ms"), ("task.odom.deadline", "8 ms"), ("seed", "0")]).unwrap();
    let told = |path: &str, value: &str, before: Option<&str>| Supposed {
        path: path.to_owned(),
        value: value.to_owned(),
        before: before.map(str::to_owned),
    };
    let all = [told("task.odom.wcet", "5ms", Some("3ms")), told("task.odom.deadline", "8 ms", None)];
    assert_eq!(made.what_if.all(), all);
    let scaled = made.with_scale((6, 5)).unwrap();
    assert_eq!(scaled.what_if.all()[2], told("scale", "1.2", Some("1")));
    assert_eq!(scaled.tasks[0].wcet.as_ns(), 6_000_000);
    let copies = set(ROBOT, &[("task.cam.wcet", "2ms")]).unwrap();
    assert_eq!(copies.what_if.all()[1], told("task.cam.2.wcet", "2ms", Some("1ms")));
}

#[test]
fn bad_settings_are_refused_by_name() {
    let refused = |settings: &[(&str, &str)], told: &[&str]| {
        let error = set(ROBOT, settings).unwrap_err();
        for part in told {
            assert!(error.contains(part), "{settings:?}: {error}");
        }
    };
    refused(
        &[("task.odm.wcet", "5ms")],
        &["task.odm.wcet: there is no task \"odm\"; did you mean odom?", "map"],
    );
    refused(&[("task.odom.wect", "5ms")], &["task.odom.wect: ", "did you mean wcet?"]);
    refused(&[("task.odom.wcet", "5")], &["task.odom.wcet: 5 is a whole number; allowed: ", "ms"]);
    refused(&[("task.odom.wcet", "5 parsecs")], &["task.odom.wcet: \"5 parsecs\" ", "allowed: "]);
    refused(&[("task.odom", "5ms")], &["names the task \"odom\" and no field of it", "task.odom.wcet"]);
    refused(&[("task", "5ms")], &["there is no task \"\"", "odom"]);
    refused(&[("platfrom.processors", "3")], &["platfrom: unknown field; did you mean platform?"]);
    refused(&[("platform.procesors", "3")], &["platform.procesors: unknown field; did you mean processors?"]);
    refused(&[("platform.processors", "0")], &["platform.processors: 0 is too small; allowed: "]);
    refused(&[("platform.processors.more", "0")], &["processors = 2 is no table"]);
    refused(&[("scheduler", "G-EFD")], &["scheduler.name: ", "G-EFD", "did you mean"]);
    refused(
        &[("task.map.wcet", "9ms")],
        &["the program of task \"map\" says what it costs", "task.map.program"],
    );
    refused(&[("task..wcet", "9ms")], &["task..wcet: there is no task \"\""]);
    refused(&[("platform.", "9ms")], &["platform.: is no path of a field"]);
    refused(&[("left_out", "[]")], &["left_out: says what was left out"]);
    refused(&[("seed", "1"), ("seed", "2")], &["seed: is set twice, to 1 and to 2"]);
    refused(&[("scheduler", "P-EDF"), ("scheduler.name", "G-FP")], &["scheduler.name: is set twice"]);
    let dots = ROBOT.replace("\"map\"", "\"odom.cost\"");
    let error = set(&dots, &[("task.odom.cost.cost", "wcet")]).unwrap_err();
    assert!(
        error.contains("is ambiguous; allowed: task.\"odom\".cost.cost or task.\"odom.cost\".cost"),
        "{error}"
    );
    assert!(set(&dots, &[("task.\"odom.cost\".cost", "{ fraction = 0.5 }")]).is_ok());
}
