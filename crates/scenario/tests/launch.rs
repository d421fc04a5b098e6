//! What stock Linux is told: policies, priorities, processors, mutexes; and what is refused.

use schedlab_lock::find_protocol;
use schedlab_scenario::launch::{services, Launcher};
use schedlab_scenario::Scenario;
use serde_json::Value;

const ALL: [Launcher; 3] = [Launcher::RtApp, Launcher::SchedDeadline, Launcher::Systemd];

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

/// A scenario of these lines, its tasks under `scheduler` and `protocol`.
fn made(scheduler: &str, protocol: &str, processors: u16, tasks: &str) -> Scenario {
    let text = format!(
        "schedlab = 1\nhorizon = \"2 s\"\nscheduler.name = \"{scheduler}\"\nprotocol = \"{protocol}\"\n\
         platform.processors = {processors}\nresource = [{{ name = \"r\" }}]\n{tasks}"
    );
    Scenario::parse("test.toml", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn task(name: &str, period: u32, rest: &str) -> String {
    format!("[[task]]\nname = \"{name}\"\nwcet = \"1 ms\"\nperiod = \"{period} ms\"\n{rest}\n")
}

const SECTION: &str = "program = [\"request r\", \"execute 1 ms\", \"release r\"]";

fn try_write(launcher: Launcher, scenario: &Scenario) -> Result<(String, Vec<String>), String> {
    let protocol = scenario.composed(find_protocol(&scenario.protocol).expect("the protocol is known"));
    let written = launcher.write(scenario, &protocol, &["a remark".to_owned()]);
    written.map(|written| (written.value, written.lost)).map_err(|errors| errors.to_string())
}

fn write(launcher: Launcher, scheduler: &str) -> String {
    try_write(launcher, &scenario(scheduler)).unwrap_or_else(|error| panic!("{error}")).0
}

/// The workload below its first comment.
fn json(text: &str) -> Value {
    serde_json::from_str(text.split_once("*/").expect("it begins with a comment").1).expect("it is JSON")
}

/// The shorter the period, the larger Linux's number. Equal periods differ by the order of tasks, as ties do here: who
/// has the smaller id goes first, whenever it comes. Each processor has all priorities for itself.
#[test]
fn rate_monotonic_becomes_fifo() {
    let json = json(&write(Launcher::RtApp, "P-RM"));
    let (camera, control) = (&json["tasks"]["camera"], &json["tasks"]["Control loop"]);
    assert_eq!((camera["policy"].as_str(), camera["priority"].as_u64()), (Some("SCHED_FIFO"), Some(98)));
    assert_eq!((control["priority"].as_u64(), control["cpus"][0].as_u64()), (Some(98), Some(0)));
    assert_eq!(json["tasks"]["log"]["priority"], 97);
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

/// Under Linux's own class tasks of one period share a priority, first come first served.
#[test]
fn linux_own_class_shares_priorities() {
    for (scheduler, log) in [("P-SCHED_FIFO", 98), ("P-RM", 97)] {
        let found = json(&write(Launcher::RtApp, scheduler));
        assert_eq!(found["tasks"]["camera"]["priority"], 98, "{scheduler}");
        assert_eq!(found["tasks"]["log"]["priority"], log, "{scheduler}");
    }
    let found = json(&write(Launcher::RtApp, "SCHED_DEADLINE"));
    assert_eq!(found["tasks"]["camera"]["policy"], "SCHED_DEADLINE");
}

/// As many tasks as there are priorities fit on each processor.
#[test]
fn a_processor_has_98_priorities() {
    let of = |tasks: usize| {
        let rows: String =
            (0..tasks).map(|id| task(&format!("t{id}"), 500, &format!("processor = {}", id % 2))).collect();
        try_write(Launcher::Systemd, &made("P-RM", "none", 2, &rows))
    };
    let (text, _) = of(196).unwrap();
    assert!(text.contains("CPUSchedulingPriority=1\n") && !text.contains("CPUSchedulingPriority=0\n"));
    let error = of(197).unwrap_err();
    assert!(error.contains("needs 99 priorities on one processor"), "{error}");
}

/// Names that differ in letters that no file has are two services.
#[test]
fn each_task_is_a_service_of_its_own() {
    let mut given = scenario("P-RM");
    given.tasks[0].name = "control loop".to_owned();
    given.tasks[2].name = "-5%\nmore".to_owned();
    let none = find_protocol("none").unwrap();
    let services = services(&given, none, &[]).unwrap().value;
    let names: Vec<&str> = services.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["control_loop.service", "control_loop-2.service", "_-5__more.service"]);
    assert!(services[1].1.contains("ExecStart=/usr/local/bin/control_loop-2\n"), "{}", services[1].1);
    assert!(services[2].1.contains("Description=Task -5%% more\n"), "{}", services[2].1);
    let together = Launcher::Systemd.write(&given, none, &[]).unwrap().value;
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
    assert!(script.contains(expected) && script.contains("test \"$(nproc)\" -eq 2 ||"), "{script}");
    let json = json(&write(Launcher::RtApp, "G-EDF"));
    assert_eq!(json["tasks"]["camera"]["dl-runtime"], 12_000);
    assert!(json["tasks"]["camera"].get("cpus").is_none(), "the kernel refuses bound SCHED_DEADLINE threads");
}

#[test]
fn what_linux_lacks_is_refused() {
    for scheduler in ["PD2", "NG-EDF", "NP-RM", "C-NG-GUA", "G-FIFO", "P-FIFO"] {
        let Ok(given) = scenario("P-RM").with_scheduler(scheduler) else { continue };
        for launcher in ALL {
            let error = try_write(launcher, &given).unwrap_err();
            let allowed = "P-, C- or G- with RM, DM, FP; G- with EDF";
            assert!(error.contains(scheduler) && error.contains(allowed), "{error}");
        }
    }
    let error = try_write(Launcher::Systemd, &scenario("G-EDF")).unwrap_err();
    assert!(error.contains("systemd has no setting"), "{error}");
    for scheduler in ["P-EDF", "C-EDF"] {
        let error = try_write(Launcher::SchedDeadline, &scenario(scheduler)).unwrap_err();
        assert!(error.contains("exclusive cpusets alone"), "{error}");
    }
    let alone = made("P-EDF", "none", 1, &task("a", 5, ""));
    assert!(try_write(Launcher::SchedDeadline, &alone).is_ok(), "one processor is the whole machine");
}

/// Under SCHED_DEADLINE the server's deadlines have to be those of jobs, and the kernel has to admit it.
#[test]
fn servers_with_other_deadlines_are_refused() {
    for (rest, said) in [
        ("deadline = \"7 ms\"", "is beyond the period"),
        ("jitter = \"1 ms\"", "counts its deadline from then on"),
        ("suspension = \"1 ms\"", "a later deadline when it resumes"),
        ("program = [\"execute 0.5 ms\", \"suspend 1 ms\", \"execute 0.5 ms\"]", "a later deadline"),
        ("program = [\"np_enter\", \"execute 1 ms\", \"np_exit\"]", "section without preemption"),
    ] {
        let rows = task("a", 5, rest);
        let error = try_write(Launcher::SchedDeadline, &made("G-EDF", "none", 2, &rows)).unwrap_err();
        assert!(error.contains("task \"a\"") && error.contains(said), "{error}");
        let fixed = try_write(Launcher::Systemd, &made("P-RM", "none", 2, &rows));
        assert_eq!(
            fixed.is_err(),
            rest.contains("np_enter"),
            "the program jitters and sleeps under SCHED_FIFO"
        );
    }
    let long = try_write(Launcher::RtApp, &made("G-EDF", "none", 2, &task("a", 4_195, ""))).unwrap_err();
    assert!(long.contains("from 100 us to 4194304 us"), "{long}");
}

/// A mutex of Linux is the protocol among threads of one processor, under fixed priorities.
#[test]
fn mutexes_are_said_or_refused() {
    let rows = |second: u16| {
        let at = |cpu: u16| format!("processor = {cpu}\n{SECTION}");
        let alone = task("c", 5, "processor = 0");
        format!("{}{}{alone}", task("a", 10, &at(0)), task("b", 20, &at(second)))
    };
    let of = |scheduler: &str, protocol: &str, second: u16| {
        try_write(Launcher::Systemd, &made(scheduler, protocol, 2, &rows(second)))
    };
    let text = of("P-RM", "pip", 0).unwrap().0;
    assert_eq!(text.matches("# resource \"r\": a mutex with PTHREAD_PRIO_INHERIT\n").count(), 2, "{text}");
    // The users have 97 and 96.
    let text = of("P-RM", "ipcp", 0).unwrap().0;
    let ceiling = "# resource \"r\": a mutex with PTHREAD_PRIO_PROTECT and the ceiling 97\n";
    assert_eq!(text.matches(ceiling).count(), 2, "{text}");
    assert!(of("P-RM", "none", 0).unwrap().0.contains("# resource \"r\": an ordinary mutex\n"));
    for protocol in ["mpcp", "srp", "pcp", "npcs", "fmlp", "msrp", "dpcp"] {
        let error = of("P-RM", protocol, 0).unwrap_err();
        let said = "is no protocol that the mutexes of stock Linux have; allowed: pip, ipcp, gpip";
        assert!(error.contains(said), "{error}");
    }
    for (scheduler, protocol) in [("P-RM", "pip"), ("G-RM", "gpip"), ("G-RM", "pip")] {
        let error = of(scheduler, protocol, 1).unwrap_err();
        assert!(error.contains("resource \"r\" has users on several"), "{error}");
    }
    let edf = made("G-EDF", "pip", 1, &rows(0));
    let error = try_write(Launcher::SchedDeadline, &edf).unwrap_err();
    assert!(error.contains("is none under SCHED_DEADLINE"), "{error}");
}

/// What a program has to keep stands in the comments of what starts it, field by field, and so do remarks.
#[test]
fn comments_say_what_the_program_has_to_keep() {
    let rest = "deadline = \"4ms\"\njitter = \"1ms\"\noffset = \"2ms\"\nsuspension = \"500us\"";
    let given = made("P-RM", "none", 2, &task("a", 5, rest));
    for launcher in [Launcher::SchedDeadline, Launcher::Systemd] {
        let (text, lost) = try_write(launcher, &given).unwrap();
        assert!(text.contains("# a remark\n"), "{text}");
        for line in rest.lines() {
            assert!(text.contains(&format!("#   {line}\n")), "{line} in {text}");
        }
        assert!(!lost.iter().any(|line| line.contains("jitter")), "{lost:?}");
    }
    let (text, lost) = try_write(Launcher::RtApp, &given).unwrap();
    for what in ["deadline before the period's end", "jitter", "suspension"] {
        let line = format!("not written: {what} of a; without it, the tasks look easier than they are");
        assert!(lost.contains(&line) && text.contains(&format!(" * * {line}\n")), "{lost:?}\n{text}");
    }
    assert!(text.contains(" * a remark\n") && !lost.iter().any(|line| line.contains("offset")));
}

/// rt-app gets the tasks in the scenario's order, which says who goes first where keys are equal.
#[test]
fn workloads_keep_the_order_of_tasks() {
    let rows: String = (1..=12).map(|id| task(&format!("t{id}"), 100, "")).collect();
    let (text, _) = try_write(Launcher::RtApp, &made("P-RM", "none", 1, &rows)).unwrap();
    let places: Vec<usize> = (1..=12).map(|id| text.find(&format!("\"t{id}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    json(&text);
}

/// Two names that differ in letters which a variable cannot have are two commands.
#[test]
fn commands_have_variables_of_their_own() {
    let tasks = ["ctrl-a", "ctrl_a"].map(|name| task(name, 10, "processor = 0")).join("");
    let (text, _) = try_write(Launcher::SchedDeadline, &made("P-RM", "none", 1, &tasks)).unwrap();
    for variable in
        ["COMMAND_CTRL_A:?", "COMMAND_CTRL_A_2:?", "exec $COMMAND_CTRL_A\"", "exec $COMMAND_CTRL_A_2\""]
    {
        assert!(text.contains(variable), "{variable}\n{text}");
    }
}
