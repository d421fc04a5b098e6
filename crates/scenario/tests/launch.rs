//! What stock Linux is told: policies, priorities, processors; and what is refused.

use schedlab_scenario::launch::{services, Launcher};
use schedlab_scenario::Scenario;

fn scenario(scheduler: &str) -> Scenario {
    let text = format!(
        r#"
schedlab = 1
horizon = "2 s"
scheduler.name = "{scheduler}"
platform.processors = 2

[[task]]
name = "camera"
wcet = "12 ms"
period = "33 ms"
processor = 1

[[task]]
name = "Control loop"
wcet = "2.5 ms"
period = "10 ms"
deadline = "8 ms"
offset = "1 ms"
processor = 0

[[task]]
name = "log"
wcet = "12 ms"
period = "33 ms"
processor = 1
"#
    );
    Scenario::parse("test.toml", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn write(launcher: Launcher, scheduler: &str) -> String {
    launcher.write(&scenario(scheduler)).unwrap_or_else(|errors| panic!("{errors}")).value
}

/// The shorter the period, the larger Linux's number; equal periods share one.
#[test]
fn rate_monotonic_becomes_fifo() {
    let json: serde_json::Value = serde_json::from_str(&write(Launcher::RtApp, "P-RM")).unwrap();
    let (camera, control) = (&json["tasks"]["camera"], &json["tasks"]["Control loop"]);
    assert_eq!((camera["policy"].as_str(), camera["priority"].as_u64()), (Some("SCHED_FIFO"), Some(97)));
    assert_eq!((control["priority"].as_u64(), control["cpus"][0].as_u64()), (Some(98), Some(0)));
    assert_eq!(json["tasks"]["log"]["priority"], camera["priority"]);
    assert_eq!((control["run"].as_u64(), control["timer"]["period"].as_u64()), (Some(2_500), Some(10_000)));
    assert_eq!((control["delay"].as_u64(), json["global"]["duration"].as_u64()), (Some(1_000), Some(2)));
    let unit = write(Launcher::Systemd, "P-RM");
    let expected = "CPUSchedulingPolicy=fifo\nCPUSchedulingPriority=98\nCPUAffinity=0\n";
    assert!(unit.contains("# control_loop.service") && unit.contains(expected), "{unit}");
    let script = write(Launcher::SchedDeadline, "P-RM");
    assert!(
        script.contains("taskset --cpu-list 0 chrt --fifo 98 sh -c \"exec $COMMAND_CONTROL_LOOP\" &"),
        "{script}"
    );
}

/// Names that differ in letters that no file has are two services.
#[test]
fn each_task_is_a_service_of_its_own() {
    let mut given = scenario("P-RM");
    given.tasks[0].name = "control loop".to_owned();
    given.tasks[2].name = "-5%\nmore".to_owned();
    let services = services(&given).unwrap().value;
    let names: Vec<&str> = services.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["control_loop.service", "control_loop-2.service", "_-5__more.service"]);
    assert!(services[1].1.contains("ExecStart=/usr/local/bin/control_loop-2\n"), "{}", services[1].1);
    assert!(services[2].1.contains("Description=Task -5%% more\n"), "{}", services[2].1);
    let together = Launcher::Systemd.write(&given).unwrap().value;
    assert!(
        services.iter().all(|(name, text)| together.contains(&format!("# {name}\n{text}"))),
        "{together}"
    );
}

#[test]
fn global_edf_becomes_sched_deadline() {
    let script = write(Launcher::SchedDeadline, "G-EDF");
    let expected =
        "chrt --deadline --sched-runtime 2500000 --sched-deadline 8000000 --sched-period 10000000 0";
    assert!(script.contains(expected), "{script}");
    let json: serde_json::Value = serde_json::from_str(&write(Launcher::RtApp, "G-EDF")).unwrap();
    assert_eq!(json["tasks"]["camera"]["dl-runtime"], 12_000);
    assert!(json["tasks"]["camera"].get("cpus").is_none(), "the kernel refuses bound SCHED_DEADLINE threads");
    let lost = Launcher::RtApp.write(&scenario("P-EDF")).unwrap().lost;
    assert!(lost.iter().any(|line| line.contains("exclusive cpuset")), "{lost:?}");
}

#[test]
fn what_linux_lacks_is_refused() {
    for scheduler in ["PD2", "NG-EDF", "C-EDF", "G-FIFO"] {
        let error = Launcher::RtApp.write(&scenario(scheduler)).unwrap_err().to_string();
        assert!(error.contains(scheduler) && error.contains("P- or G- with EDF, RM, DM, FP"), "{error}");
    }
    let error = Launcher::Systemd.write(&scenario("G-EDF")).unwrap_err().to_string();
    assert!(error.contains("systemd has no setting"), "{error}");
}
