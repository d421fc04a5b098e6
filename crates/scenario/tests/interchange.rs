//! The formats of other tools: round trips, what is lost, and malformed files.

use schedlab_model::{Duration, Instant, MutexProtocol, ResourceId, Step, Suspension, Work};
use schedlab_scenario::interchange::{Format, Ignored, Imported};
use schedlab_scenario::{Arrival, CostModel, Errors, Millionths, Scenario, TaskSpec, UrgentPriority, Wcets};

const CSV: Format = Format::Csv;

fn task(name: &str, wcet_us: u64, period_us: u64, deadline_us: u64) -> TaskSpec {
    let mut task = TaskSpec::new(name, Work::from_ns(wcet_us * 1_000), Duration::from_us(period_us));
    task.relative_deadline = Duration::from_us(deadline_us);
    task
}

/// Reads a file of which nothing is ignored.
fn read(format: Format, file: &str, text: &str) -> Result<Imported<Scenario>, Errors> {
    format.read(file, text.as_bytes().to_vec(), &Ignored::default())
}

/// What is lost, a line each.
fn lost<T>(read: &Imported<T>) -> Vec<&str> {
    read.losses.iter().map(|loss| loss.what.as_str()).collect()
}

fn round_trip(format: Format, scenario: &Scenario) -> (Scenario, Vec<String>) {
    let written = format.write(scenario).unwrap_or_else(|errors| panic!("{errors}"));
    let read = read(format, "file", &written.value);
    let read = read.unwrap_or_else(|errors| panic!("{errors}\n{}", written.value));
    assert_eq!(lost(&read), Vec::<&str>::new(), "{}", written.value);
    (read.value, written.lost)
}

#[test]
fn schedcat_keeps_what_it_can_say() {
    let mut odd = task("x <&\"> y", 500, 10_000, 7_000);
    odd.processor = Some(3);
    odd.working_set = 65_536;
    let mut plain = task("T7", 1, 20_000, 20_000);
    plain.processor = Some(0);
    let scenario = Scenario::new(vec![odd, plain]);
    let (read, lost) = round_trip(Format::SchedCat, &scenario);
    assert_eq!(read.tasks, scenario.tasks);
    assert_eq!((read.platform.processors, read.scheduler.name.as_str()), (4, "P-EDF"));
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn simso_keeps_what_it_can_say_to_the_nanosecond() {
    let mut a = TaskSpec::new("a b_c-4", Work::from_ns(1_234_567), Duration::from_ns(10_000_001));
    a.offset = Instant::from_ns(1);
    let mut b = task("b", 1_000, 5_000, 4_000);
    b.arrival = Arrival::Listed([0, 5_000_000, 12_500_000].map(Instant::from_ns).to_vec());
    let scenario = Scenario::new(vec![a, b]).with_processors(3).unwrap().with_scheduler("P-RM").unwrap();
    let mut scenario = scenario.with_placement("worst_fit least_loaded").unwrap();
    scenario.horizon = Instant::from_ns(77_000_001);
    let (read, lost) = round_trip(Format::SimSo, &scenario);
    assert_eq!(read, scenario);
    assert_eq!(lost, Vec::<String>::new());
}

/// SimSo's P_RM and P_EDF place tasks in ways of their own, which are read; another way is lost.
#[test]
fn simso_places_as_its_classes_do() {
    let scenario = Scenario::new(vec![task("a", 1, 9, 9)]).with_scheduler("P-RM").unwrap();
    let written = Format::SimSo.write(&scenario.with_placement("best_fit").unwrap()).unwrap();
    assert_eq!(written.lost, ["placement: simso.schedulers.P_RM places tasks in a way of its own"]);
    let placed = |text: &str| read(Format::SimSo, "f", text).unwrap().value.scheduler.placement;
    let worst = placed(&written.value);
    let first = placed(&written.value.replace("P_RM", "P_EDF"));
    let of = |words: &str| {
        Scenario::new(vec![task("a", 1, 9, 9)]).with_placement(words).unwrap().scheduler.placement
    };
    assert_eq!((worst, first), (of("worst_fit least_loaded"), of("first_fit_decreasing refuse")));
}

#[test]
fn simso_gets_names_that_it_accepts() {
    let names = ["a.1", "a-1", "1", "\u{b5}"];
    let scenario = Scenario::new(names.iter().map(|name| task(name, 1, 9, 9)).collect());
    let written = Format::SimSo.write(&scenario).unwrap();
    assert_eq!(
        written.lost,
        [
            "name a.1, written as a-1",
            "name a-1, written as a-1-1",
            "name 1, written as T1",
            "name \u{b5}, written as T-"
        ]
    );
    let read = read(Format::SimSo, "f", &written.value).unwrap().value;
    let names: Vec<&str> = read.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["a-1", "a-1-1", "T1", "T-"]);
}

#[test]
fn csv_keeps_what_it_can_say() {
    let mut a = TaskSpec::new("a, \"quoted\"", Work::from_ns(1), Duration::from_ns(10_000_001));
    a.offset = Instant::from_ns(3);
    a.jitter = Duration::from_us(2);
    a.suspension = Suspension::Dynamic(Duration::from_ms(1));
    a.working_set = 17;
    a.priority = Some(5);
    a.processor = Some(1);
    let mut b = task("b", 1_000, 5_000, 4_000);
    b.priority = Some(6);
    let scenario = Scenario::new(vec![a, b]);
    let written = CSV.write(&scenario).unwrap();
    assert_eq!(written.lost, Vec::<String>::new());
    // Priorities and processors of tasks say the scheduler; what it takes for granted is listed.
    let again = read(CSV, "file", &written.value).unwrap();
    assert_eq!(lost(&again), ["which priority is the more urgent: under P-FP, the smallest"]);
    assert_eq!((&again.value.tasks, again.value.scheduler.name.as_str()), (&scenario.tasks, "P-FP"));
    // A table has a priority for each task or for none.
    let some = Scenario { tasks: vec![scenario.tasks[0].clone(), task("c", 1, 9, 9)], ..scenario };
    let written = CSV.write(&some).unwrap();
    assert_eq!(written.lost, ["priority of a, \"quoted\""]);
    assert_eq!(read(CSV, "file", &written.value).unwrap().value.scheduler.name, "P-EDF");
    let mixed = "name,wcet,period,priority\na,1 ms,9 ms,1\nb,1 ms,9 ms,\n";
    let refused = read(CSV, "f", mixed).unwrap_err().to_string();
    assert_eq!(
        refused,
        "f:3:13: priority: missing for b, while other tasks have one; allowed: a priority for each task, or for none"
    );
}

#[test]
fn what_a_format_cannot_say_is_named() {
    let full = Scenario::parse("full.toml", include_str!("data/full.toml")).unwrap();
    const EASED: &str = "; without it, the tasks look easier than they are";
    let eased = |what: &str| format!("{what}{EASED}");
    let plain = |what: &str| what.to_owned();
    let around: Vec<String> = [
        "title",
        "source",
        "notes",
        "left_out; without it, the tasks look easier than they are",
        "seed",
        "deadlines",
        "wcets; without it, the tasks look easier than they are",
        "overruns",
        "scheduler",
        "scheduler.urgent_priority",
        "scheduler.priorities",
        "scheduler.weights",
        "scheduler.placement",
        "scheduler.affinity",
        "platform.processors",
        "platform.clusters",
        "platform.quantum",
        "platform.alignment",
    ]
    .map(plain)
    .to_vec();
    // What tasks share is kept.
    let more = [
        eased("platform.releases"),
        plain("platform.caches"),
        plain("platform.memory"),
        eased("overheads"),
        plain("supertask"),
        plain("horizon"),
        plain("length of R1"),
        plain("kind and scheme of mail"),
        plain("offset of a.1, a.2"),
        eased("jitter of a.1, a.2"),
        eased("suspension of a.1, a.2"),
        plain("priority of a.1, a.2, b, c, d"),
        plain("priority_point of a.1, a.2"),
        plain("utility of a.1, a.2, b, c, d"),
        plain("abort_handler of b"),
        plain("cluster of a.1, a.2"),
        plain("supertask of a.1, a.2, b"),
        eased("sporadic arrival of a.1, a.2, b"),
        plain("listed arrival of c"),
        plain("cost of a.1, a.2, b, c, d"),
        plain("join or leave of a.1, a.2"),
        plain("workload of a.1, a.2"),
        plain("places and nesting of sections of b"),
        eased("steps that are no sections of b"),
        eased("units of buffers"),
        plain("name of buffers, mail"),
        plain("working_set of c, rounded up to whole KiB"),
    ];
    let schedcat: Vec<String> = around.into_iter().chain(more).collect();
    assert_eq!(Format::SchedCat.write(&full).unwrap().lost, schedcat);
    let csv = CSV.write(&full).unwrap().lost;
    assert!(!csv.iter().any(|line| line.starts_with("jitter")) && csv.contains(&eased("program of b")));
    let simso = Format::SimSo.write(&full).unwrap().lost;
    assert!(
        !simso.iter().any(|line| line.starts_with("listed")) && simso.contains(&eased("jitter of a.1, a.2"))
    );
}

#[test]
fn times_that_a_format_cannot_write_are_errors() {
    let mut scenario = Scenario::new(vec![TaskSpec::new("a", Work::from_ns(1_500), Duration::from_us(10))]);
    scenario.tasks[0].cost = CostModel::Wcet;
    let message = Format::SchedCat.write(&scenario).unwrap_err().to_string();
    assert_eq!(message, "task[0].wcet: 1.5 us cannot be written in this format; allowed: whole microseconds");
}

/// As SchedCAT writes a set with resources and a response time: two writes of 300 us and a read of 100 us of one
/// resource, a mutex besides.
#[test]
fn reads_schedcat_with_its_resources() {
    let text = r#"<taskset><properties count="2" utilization="0.25"/>
      <task id="1" period="10000" wcet="2500.0" deadline="8000" partition="1" response_time="3000" wss="64">
        <resources>
          <requirement res_id="4" max_writes="2" max_write_length="300" max_reads="1" max_read_length="100"/>
          <requirement res_id="7" max_writes="1" max_write_length="5"/>
        </resources></task>
      <task id="2" period="10000" wcet="100"/></taskset>"#;
    let found = read(Format::SchedCat, "set.xml", text).unwrap();
    assert_eq!(
        lost(&found),
        ["where sections of T1 lie: they are spread evenly", "response_time of T1, a result"]
    );
    let scenario = found.value;
    let shared: Vec<(&str, u32)> =
        scenario.resources.iter().map(|resource| (resource.name.as_str(), resource.units)).collect();
    assert_eq!(shared, [("R4", 2), ("R7", 1)]);
    let us = |length: u64| Step::Execute(Work::from_ns(length * 1_000));
    let section = |resource: u32, units: u32, length: u64| {
        let id = ResourceId(resource);
        [Step::Request(id, units), us(length), Step::Release(id, units)]
    };
    // 2500 less 705 in five equal parts.
    let parts = [section(0, 2, 300), section(0, 2, 300), section(0, 1, 100), section(1, 1, 5)];
    let mut program: Vec<Step> =
        parts.iter().flat_map(|part| [&[us(359)], part.as_slice()].concat()).collect();
    program.push(us(359));
    assert_eq!(scenario.tasks[0].program, program);
    assert!(scenario.tasks[1].program.is_empty());
    // Written and read again, it is the same.
    let written = Format::SchedCat.write(&scenario).unwrap();
    // The task's partition says the last two.
    assert_eq!(written.lost, ["scheduler", "platform.processors", "places and nesting of sections of T1"]);
    let again = read(Format::SchedCat, "again.xml", &written.value).unwrap().value;
    assert_eq!((again.tasks, again.resources), (scenario.tasks, scenario.resources));
}

#[test]
fn sections_longer_than_the_cost_are_refused() {
    let text = r#"<taskset><task id="1" period="100" wcet="10">
        <resources><requirement res_id="0" max_writes="3" max_write_length="4"/></resources></task></taskset>"#;
    let error = read(Format::SchedCat, "set.xml", text).unwrap_err().to_string();
    assert!(error.contains("the sections of T1 are longer than its wcet"), "{error}");
}

/// As SimSo 0.8.5 writes a configuration.
#[test]
fn reads_simso_and_says_what_is_lost() {
    let text = r#"<?xml version="1.0" ?>
<simulation cycles_per_ms="1000000" duration="420000000" etm="acet">
	<sched className="" overhead="100" overhead_activate="0" overhead_terminate="0" class="simso.schedulers.EDF"/>
	<caches memory_access_time="100"/>
	<processors>
		<processor cl_overhead="0" cs_overhead="0" id="1" name="CPU 1" speed="1.0"/>
		<processor cl_overhead="0" cs_overhead="7" id="2" name="CPU 2" speed="0.5"/>
	</processors>
	<tasks>
		<task ACET="0" WCET="3.25" abort_on_miss="yes" activationDate="0" base_cpi="1.0" deadline="7" et_stddev="0"
		 id="1" instructions="0" list_activation_dates="" mix="0.5" name="T1" period="7" preemption_cost="0"
		 task_type="Periodic"/>
	</tasks>
</simulation>"#;
    let refused = read(Format::SimSo, "model.xml", text).unwrap_err().to_string();
    let flattering = [
        ("overheads", "overhead 100 of sched"),
        ("overheads", "cs_overhead 7 of processor CPU 2"),
        ("speed", "speed 0.5 of processor CPU 2"),
    ];
    assert_eq!(refused.lines().count(), flattering.len(), "{refused}");
    for (kind, what) in flattering {
        assert!(refused.contains(what) && refused.contains(&format!("--ignore {kind}")), "{refused}");
    }
    assert!(
        refused.starts_with("model.xml:3:22: overhead 100 of sched has no place in a scenario"),
        "{refused}"
    );
    let ignored = Ignored::of(["speed", "overheads"]).unwrap();
    let found = Format::SimSo.read("model.xml", text.as_bytes().to_vec(), &ignored).unwrap();
    let left_out = [
        "model.xml: overhead 100 of sched (line 3)",
        "model.xml: cs_overhead 7 of processor CPU 2 (line 7)",
        "model.xml: speed 0.5 of processor CPU 2 (line 7)",
    ];
    assert_eq!(found.left_out(), left_out);
    assert_eq!(found.value.left_out, left_out);
    let harmless: Vec<&str> =
        found.losses.iter().filter(|loss| !loss.flatters).map(|loss| loss.what.as_str()).collect();
    assert_eq!(
        harmless,
        ["execution-time model acet: jobs execute their WCET", "abort_on_miss of T1: late jobs go on here"]
    );
    // A scenario file keeps what was left out.
    let again = Scenario::parse("again.toml", &found.value.to_toml()).unwrap();
    assert_eq!(again, found.value);
    let scenario = found.value;
    assert_eq!(scenario.tasks, [task("T1", 3_250, 7_000, 7_000)]);
    assert_eq!((scenario.platform.processors, scenario.scheduler.name.as_str()), (2, "G-EDF"));
    assert_eq!(scenario.horizon, Instant::from_ns(420_000_000));
}

#[test]
fn csv_with_columns_in_any_order() {
    let text = "name,period,wcet,deadline\na,10 ms,2.5 ms,\nb,20 ms,500 us,15 ms\n";
    let found = read(Format::Csv, "set.csv", text).unwrap();
    assert_eq!(found.value.tasks, [task("a", 2_500, 10_000, 10_000), task("b", 500, 20_000, 15_000)]);
}

/// A table as a spreadsheet of measurements has it: other names, units in the header, statistics, a mutex.
#[test]
fn csv_with_common_names_and_units() {
    let text = "Thread,Period (ms),Mean_us,p99_us,MAX [us],RT-Prio,cpu,mutex:map_us\n\
                odom,10,900,1400,1_500.5,80,1,200\nplan,50,,,7 ms,40,0,\n";
    let found = read(Format::Csv, "set.csv", text).unwrap();
    let scenario = &found.value;
    let [odom, plan] = &scenario.tasks[..] else { panic!("two tasks") };
    let us = |us: u64| Work::from_ns(us * 1_000);
    assert_eq!((odom.wcet, odom.period), (Work::from_ns(1_500_500), Duration::from_ms(10)));
    assert_eq!((odom.priority, odom.processor, plan.wcet), (Some(80), Some(1), us(7_000)));
    let share = Millionths::from_millionths(990_000).unwrap();
    let quantiles = CostModel::Quantiles { least: us(1_400), points: vec![(share, us(1_400))] };
    assert_eq!((&odom.cost, &plan.cost), (&quantiles, &CostModel::Wcet));
    let section = [Step::Request(ResourceId(0), 1), Step::Execute(us(200)), Step::Release(ResourceId(0), 1)];
    assert!(odom.program.windows(3).any(|steps| steps == section), "{:?}", odom.program);
    assert_eq!((scenario.resources[0].name.as_str(), plan.program.len()), ("map", 0));
    // The largest measured cost is no bound, and real-time priorities are those of Linux.
    assert_eq!((scenario.wcets, scenario.scheduler.name.as_str()), (Wcets::Observed, "P-FP"));
    assert_eq!(scenario.scheduler.urgent_priority, UrgentPriority::Largest);
    let told: Vec<&str> = found.losses.iter().map(|loss| loss.what.as_str()).collect();
    let spread = "where in a job its sections lie: they are spread evenly";
    let protocol =
        "which protocol the mutexes have: \"none\", unless --protocol names one or the columns do, as in \
                    mutex:map:inherit (none, inherit, protect)";
    assert_eq!(told, ["the mean cost: percentiles say more", spread, protocol]);
    // What is written is read again.
    let again = Scenario::parse("again", &scenario.to_toml()).unwrap();
    assert_eq!((again.tasks, again.wcets), (scenario.tasks.clone(), scenario.wcets));
}

/// Linux takes threads of one priority first come, first served; only its own class does so here.
#[test]
fn equal_priorities_of_linux_are_those_of_its_class() {
    for (rows, header, wanted) in [
        ("a,1,10,80,0\nb,1,20,80,0\n", "name,C_ms,T_ms,rtprio,cpu", "P-SCHED_FIFO"),
        ("a,1,10,80,0\nb,1,20,80,1\n", "name,C_ms,T_ms,rtprio,cpu", "P-FP"),
        ("a,1,10,80,0\nb,1,20,80,0\n", "name,C_ms,T_ms,priority,cpu", "P-FP"),
        ("a,1,10,80\nb,1,20,80\n", "name,C_ms,T_ms,rtprio", "SCHED_FIFO"),
        ("a,1,10,80\nb,1,20,81\n", "name,C_ms,T_ms,rtprio", "G-FP"),
        ("a,3,10,1\nb,3,20,\n", "name,C_ms,T_ms,mutex:map:inherit_ms", "SCHED_FIFO"),
        ("a,3,10,0,1\nb,3,20,0,\n", "name,C_ms,T_ms,cpu,mutex:map:none_ms", "P-SCHED_FIFO"),
    ] {
        let read = read(Format::Csv, "set.csv", &format!("{header}\n{rows}")).unwrap();
        assert_eq!(read.value.scheduler.name, wanted, "{header}: {rows}");
        assert_eq!(
            Scenario::parse("again", &read.value.to_toml()),
            Ok(Scenario { left_out: read.left_out(), ..read.value })
        );
    }
}

#[test]
fn a_table_states_the_protocols_of_its_mutexes() {
    let text = "name,C_ms,T_ms,rtprio,mutex:map:inherit_ms,mutex:log:protect_ms,lock:bus_ms\na,3,10,9,1,,1\nb,3,20,8,1,1,1\n";
    let read = read(Format::Csv, "set.csv", text).unwrap();
    let stated: Vec<_> =
        read.value.resources.iter().map(|spec| (spec.name.as_str(), spec.protocol)).collect();
    let wanted =
        [("map", Some(MutexProtocol::Inherit)), ("log", Some(MutexProtocol::Protect)), ("bus", None)];
    assert_eq!(stated, wanted);
    let said = "which protocol the mutexes have: \"none\", unless --protocol names one or the columns do, as in mutex:bus:";
    assert!(read.losses.iter().any(|loss| loss.what.starts_with(said)), "{:?}", read.losses);
}

#[test]
fn malformed_files_have_messages_with_places() {
    let mut wrong = Vec::new();
    for (format, text, wanted) in [
        (Format::SchedCat, "<taskset>\n<task id=\"1\" wcet=\"5\"/></taskset>", "f:2:1: task.period: missing; allowed: a positive number of microseconds, such as 2500"),
        (Format::SchedCat, "<taskset>\n<task wcet=\"-5\" period=\"9\"/></taskset>", "f:2:7: task.wcet: \"-5\" is negative; allowed: a positive number of microseconds, such as 2500"),
        (Format::SchedCat, "<taskset><task wcet=\"0\" period=\"9\"/></taskset>", "f:1:10: task[0].wcet: 0 ns is zero; allowed: a positive duration such as \"2.5 ms\" (units: h, min, s, ms, us, ns; at most a year)"),
        (Format::SchedCat, "<taskset>", "f:1:1: not valid XML: the root node was opened but never closed"),
        (Format::SchedCat, "<testpoint/>", "f:1:1: testpoint: testpoint is no element that a task set begins with; allowed: a taskset element (SchedCAT) or a simulation element (SimSo)"),
        (Format::SchedCat, "<taskset/>", "task: missing; allowed: at least one [[task]]"),
        (Format::SchedCat, "<taskset><task id=\"1\" wcet=\"1\" period=\"9\"/>\n<task id=\"1\" wcet=\"1\" period=\"9\"/></taskset>", "f:2:1: task[1].name: \"T1\" names another task already; allowed: a name of its own"),
        (Format::SimSo, "<simulation><processors/><tasks/></simulation>", "f:1:1: simulation.processors: 0 is no number of processors; allowed: 1 to 4096 processors"),
        (Format::SimSo, "<simulation><sched class=\"simso.schedulers.EDF\"/><processors><processor/></processors>\n<tasks><task name=\"a\" WCET=\"1\" period=\"1e1\" deadline=\"5\"/></tasks></simulation>", "f:2:32: task.period: \"1e1\" has an exponent, and is no plain decimal number such as 2000 or 0.002; allowed: a number of milliseconds, such as 2.5"),
        (Format::SimSo, "<simulation><sched class=\"simso.schedulers.EDF\"/><processors><processor/></processors>\n<tasks><task name=\"a\" WCET=\"1\" period=\"10\" deadline=\"5\" task_type=\"APeriodic\"/></tasks></simulation>", "f:2:57: task.task_type: APeriodic is a task whose jobs begin when those of another end: precedence constraints are not supported; allowed: Periodic or Sporadic"),
        (Format::SimSo, "<simulation><processors><processor/></processors>\n<tasks><task name=\"a\" WCET=\"1\" period=\"10\" deadline=\"5\"/></tasks></simulation>", "f:1:1: simulation.sched: missing; allowed: a sched element with a class"),
        (CSV, "name,wcet\n", "f:1:1: period: missing; allowed: a header row with the column period"),
        (CSV, "name,wcet,period,prior\n", "f:1:18: prior: unknown field; did you mean priority? allowed: name, wcet, period, deadline, offset, jitter, suspension, working_set, priority, processor; or --ignore unknown-fields"),
        (CSV, "name,wcet,period\na,1 ms\n", "f:2:1: not valid CSV: a row of 2 cells; allowed: 3, as in the header row"),
        (CSV, "name,wcet,period\na,1,2 ms\n", "f:2:3: wcet: \"1\" has no unit; allowed: a positive duration such as \"2.5 ms\" (units: h, min, s, ms, us, ns; at most a year); or a unit in the name of the column, such as wcet_ms"),
        (CSV, "name,wcet,period\na,1 ms,2 ms\na,1 ms,2 ms\n", "f:3:1: task[1].name: \"a\" names another task already; allowed: a name of its own"),
        (CSV, "name,name,wcet,period\n", "f:1:6: name: \"name\" names another column already; allowed: a name of its own"),
        (CSV, "name,cost_ms,wcet,period\n", "f:1:14: wcet: \"cost_ms\" and \"wcet\" are columns for the same thing; allowed: one of them"),
        (CSV, "name,wcet,P,D\n", "f:1:11: P: \"P\" may be the period or the priority; allowed: period or priority"),
        (CSV, "name,p99_ms,max_ms,T_ms\na,3,2,10\n", "f:2:5: max_ms: a cost of 3 ms is followed by a smaller one, 2 ms; allowed: least <= percentiles, in their order <= largest cost"),
        (CSV, "name,C_ms,T_ms,mutex:map_ms\na,3,10,4\n", "f:2:3: C_ms: the sections are longer than the wcet; allowed: sections that are part of the wcet"),
        (CSV, "name,C_ms,T_ms,mutex:map\na,3,10,1\n", "f:2:8: mutex:map: \"1\" has no unit; allowed: a duration such as \"2.5 ms\" (units: h, min, s, ms, us, ns; at most a year); or a unit in the name of the column, such as mutex:map_ms"),
        (CSV, "name,C_ms,T_ms\na,,10\n", "f:2:3: C_ms: the cell is empty; allowed: a positive duration such as"),
        (CSV, "name,C_ms,T_ms\na,1\n", "f:2:1: not valid CSV: a row of 2 cells; allowed: 3, as in the header row"),
        (CSV, "name,C_ms,T_ms\na,1,-10\n", "f:2:5: T_ms: \"-10\" is negative; allowed: a positive duration such as"),
        (CSV, "name,C_ms,T_ms,rtprio\na,1,10,0\n", "f:2:8: rtprio: \"0\" is no real-time priority of Linux; allowed: 1 to 99, the priorities of SCHED_FIFO; a thread without one is ordinary: leave out its row"),
        (CSV, "name,C_ms,T_ms,rtprio\na,1,10,100\n", "f:2:8: rtprio: \"100\" is no real-time priority of Linux; allowed: 1 to 99"),
        (CSV, "name,C_ms,T_ms,rtprio\na,1,10,-2\n", "f:2:8: rtprio: \"-2\" is no real-time priority of Linux; allowed: 1 to 99"),
        (CSV, "name,C_ms,T_ms,mutex:map:pip\na,3,10,1\n", "f:1:16: mutex:map:pip: there is no protocol of a mutex \"pip\"; allowed: none, inherit, protect"),
        (CSV, "name,C_ms,T_ms,mutex:map:none,lock:map\na,3,10,1,1\n", "f:1:31: lock:map: \"mutex:map:none\" and \"lock:map\" are columns for the same thing; allowed: one of them"),
        (CSV, "", "f:1:1: name: missing; allowed: a header row with the column name"),
    ] {
        let message = read(format, "f", text).unwrap_err().to_string();
        if !message.starts_with(wanted) {
            wrong.push(format!("found:  {message}\nwanted: {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let not_utf8 = CSV.read("f", b"name\n\xff".to_vec(), &Ignored::default()).unwrap_err().to_string();
    assert_eq!(not_utf8, "f:2:1: byte 0xff is not UTF-8; allowed: UTF-8 text");
}

/// In a table the smallest priority is the most urgent, whatever the scenario says of its numbers.
#[test]
fn a_table_keeps_which_priority_is_urgent() {
    let text = "schedlab = 1\nscheduler = { name = \"G-FP\", urgent_priority = \"largest\" }\n\
                [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\npriority = 90\n\
                [[task]]\nname = \"b\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\npriority = 40\n";
    let given = Scenario::parse("given", text).unwrap();
    let written = Format::Csv.write(&given).unwrap();
    assert!(written.lost.iter().all(|what| !what.contains("urgent_priority")), "{:?}", written.lost);
    let read = Format::Csv.read("t.csv", written.value.into_bytes(), &Ignored::default()).unwrap().value;
    let priorities: Vec<Option<u32>> = read.tasks.iter().map(|task| task.priority).collect();
    assert_eq!(priorities, [Some(0), Some(50)]);
}

/// SimSo reads the first of these elements alone.
#[test]
fn parts_that_simso_would_not_read_are_refused() {
    let text = "<simulation>\n<sched class=\"simso.schedulers.EDF\"/>\n<processors><processor id=\"1\"/></processors>\n\
        <processors><processor id=\"2\"/></processors>\n<tasks><task name=\"a\" id=\"1\" period=\"10\" deadline=\"10\" \
        WCET=\"1\" activationDate=\"0\"/></tasks></simulation>";
    let read = |text: &str| Format::SimSo.read("two.xml", text.as_bytes().to_vec(), &Ignored::default());
    let refused = read(text).unwrap_err().to_string();
    let wanted = "two.xml:4:1: processors: processors is there twice, and SimSo reads the first alone";
    assert!(refused.starts_with(wanted), "{refused}");
    let once = text.replace("<processors><processor id=\"2\"/></processors>\n", "");
    assert_eq!(read(&once).unwrap().value.platform.processors, 1);
}
