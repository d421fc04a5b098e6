//! Tasks as threads of one program: names, mutexes, what is refused. `tests/python/test_export_threads.py` compiles and
//! runs what is written.

use schedlab_lock::find_protocol;
use schedlab_scenario::launch::{Launcher, ThreadsFile};
use schedlab_scenario::Scenario;

const ALL: [ThreadsFile; 3] = [ThreadsFile::Script, ThreadsFile::C, ThreadsFile::Cpp];

/// A scenario of these lines on one processor.
fn made(scheduler: &str, protocol: &str, resources: &str, tasks: &str) -> Scenario {
    let text = format!(
        "schedlab = 1\nhorizon = \"2 s\"\nscheduler.name = \"{scheduler}\"\nprotocol = \"{protocol}\"\n\
         resource = [{resources}]\n{tasks}"
    );
    Scenario::parse("test.toml", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn task(name: &str, period: u32, rest: &str) -> String {
    format!("[[task]]\nname = \"{name}\"\nwcet = \"1 ms\"\nperiod = \"{period} ms\"\n{rest}\n")
}

fn section(resource: &str) -> String {
    format!("program = [\"request {resource}\", \"execute 1 ms\", \"release {resource}\"]")
}

fn write(file: ThreadsFile, scenario: &Scenario) -> Result<(String, Vec<String>), String> {
    let protocol = scenario.composed(find_protocol(&scenario.protocol).expect("the protocol is known"));
    let written = Launcher::Threads(file).write(scenario, &protocol, &["a remark */ ends".to_owned()]);
    written.map(|written| (written.value, written.lost)).map_err(|errors| errors.to_string())
}

fn text(file: ThreadsFile, scenario: &Scenario) -> String {
    write(file, scenario).unwrap_or_else(|error| panic!("{error}")).0
}

/// Each mutex has the protocol of its resource, and a ceiling that is its most urgent user's priority.
#[test]
fn mutexes_have_the_protocols_of_their_resources() {
    let resources = "{ name = \"a\", protocol = \"protect\" }, { name = \"b\", protocol = \"inherit\" }, \
                     { name = \"c-c\" }, { name = \"unused\" }";
    let tasks = [
        task("first", 10, "priority = 9"),
        task("second", 20, &format!("priority = 7\n{}", section("a"))),
        task("third", 30, &format!("priority = 7\n{}", section("b"))),
        task("fourth", 40, &format!("priority = 5\n{}", section("c-c"))),
    ];
    let given = made("SCHED_FIFO", "none", resources, &tasks.concat());
    let c = text(ThreadsFile::C, &given);
    for line in [
        "threads_make_mutex(&threads_mutex_a, PTHREAD_PRIO_PROTECT, 97);",
        "threads_make_mutex(&threads_mutex_b, PTHREAD_PRIO_INHERIT, 0);",
        "threads_make_mutex(&threads_mutex_c_c, PTHREAD_PRIO_NONE, 0);",
        "threads_begin_fifo(thread, &one, 97, processors, 1);",
        " * Task \"second\": thread \"second\", SCHED_FIFO 97, processors 0.\n",
        " * a remark * / ends\n",
    ] {
        assert!(c.contains(line), "{line} in {c}");
    }
    let cpp = text(ThreadsFile::Cpp, &given);
    assert!(cpp.contains("inline mutex mutex_a{PTHREAD_PRIO_PROTECT, 97};"), "{cpp}");
    assert!(!c.contains("unused") && !cpp.contains("unused"));
    // Who sets running threads cannot know when they take their first mutex.
    let is_told = |file: ThreadsFile| {
        write(file, &given)
            .unwrap()
            .1
            .iter()
            .any(|line| line.contains("first mutex with PTHREAD_PRIO_PROTECT"))
    };
    assert_eq!(ALL.map(is_told), [true, false, false]);
}

/// Under SCHED_DEADLINE a thread sets itself, and the machine has to have the scenario's processors.
#[test]
fn servers_have_their_runtimes() {
    let given = made("G-EDF", "none", "", &task("a", 5, "deadline = \"4 ms\""));
    let script = text(ThreadsFile::Script, &given);
    let set = "apply chrt --deadline --sched-runtime 1000000 --sched-deadline 4000000 --sched-period 5000000 --pid 0";
    assert!(script.contains(set) && script.contains("$(nproc)") && !script.contains("taskset"), "{script}");
    let c = text(ThreadsFile::C, &given);
    assert!(c.contains(".runtime = UINT64_C(1000000)") && c.contains("CPU_COUNT(&set) != 1"), "{c}");
    assert!(text(ThreadsFile::Cpp, &given).contains("CPU_COUNT(&set) == 1"));
}

/// Names that the kernel can hold stay; longer ones are cut and numbered, and that is said. Scripts and headers agree.
#[test]
fn names_have_fifteen_bytes_and_differ() {
    let names =
        ["navigation_line_a", "navigation_line_b", "navigation_line", "navigation_li~2", "caf\u{e9} $(x)"];
    let tasks: String = names.iter().map(|name| task(name, 50, "")).collect();
    let given = made("P-RM", "none", "", &tasks);
    let expected = ["navigation_li~3", "navigation_li~4", "navigation_line", "navigation_li~2", "caf_ __x_"];
    for file in ALL {
        let (text, lost) = write(file, &given).unwrap();
        for (name, thread) in names.iter().zip(expected) {
            assert!(text.contains(thread), "{thread} in {text}");
            let said = format!("the thread of task \"{name}\" is called \"{thread}\"");
            assert_eq!(lost.iter().any(|line| line.starts_with(&said)), *name != thread, "{lost:?}");
        }
    }
    let c = text(ThreadsFile::C, &given);
    for id in ["navigation_line_a", "navigation_li_2", "caf_x"] {
        assert!(c.contains(&format!("int threads_start_{id}(")), "{id} in {c}");
    }
}

/// A header's loop is endless and periodic, and its resources are mutexes; a script takes threads as they are.
#[test]
fn what_a_header_cannot_do_is_refused() {
    let semaphore = "{ name = \"r\", units = 2 }";
    for (resources, rest, said) in [
        ("", "arrival = { at = [\"0 ms\", \"50 ms\"] }", "has listed arrivals"),
        ("", "leave = \"1 s\"", "when the task leaves"),
        (semaphore, section("r").as_str(), "resource \"r\".units: 2 is no mutex"),
    ] {
        let given = made("P-RM", "none", resources, &task("a", 50, rest));
        assert!(write(ThreadsFile::Script, &given).is_ok());
        for file in [ThreadsFile::C, ThreadsFile::Cpp] {
            let error = write(file, &given).unwrap_err();
            assert!(error.contains(said) && error.contains("a script (.sh)"), "{error}");
        }
    }
}
