//! What a file of another tool is refused with: one error for one fault, its place, and what to do.

use schedlab_scenario::interchange::{Format, Ignored, Imported};
use schedlab_scenario::{Errors, Scenario};

fn import(file: &str, text: &str) -> Result<Imported<Scenario>, Errors> {
    let loader = |_: &str| Err("there is no such file".to_owned());
    Scenario::import(file, text.as_bytes().to_vec(), &loader, &Ignored::default())
}

fn refused(file: &str, text: &str) -> String {
    import(file, text).expect_err(text).to_string()
}

/// A configuration of SimSo, with more attributes of its root and its task.
fn simso(root: &str, sched: &str, task: &str) -> String {
    format!(
        "<simulation {root}>\n<sched {sched}/>\n<processors><processor/></processors>\n<tasks><task name=\"T\" \
         abort_on_miss=\"no\" period=\"10\" deadline=\"10\" WCET=\"6\" {task}/></tasks></simulation>"
    )
}

const EDF: &str = "class=\"simso.schedulers.EDF\"";
const TOO_GOOD: &str =
    " has no place in a scenario, and an answer without it could be too good; allowed: --ignore ";

/// Each of these has one fault, and is refused with one line.
#[test]
fn faults_of_simso_are_told_once() {
    for (root, sched, task, wanted) in [
        ("", "className=\"EDF\"", "", format!("2:8: className \"EDF\" (a Python file; SimSo's own have a class, such as simso.schedulers.EDF; instead: G-EDF){TOO_GOOD}scheduler")),
        ("", "className=\"\"", "", format!("2:1: the scheduler that no class names (instead: G-EDF){TOO_GOOD}scheduler")),
        ("", "class=\"simso.schedulers.LLF\"", "", format!("2:8: scheduler \"simso.schedulers.LLF\" (instead: G-EDF){TOO_GOOD}scheduler")),
        ("", EDF, "task_type=\"Probabilistic\"", "4:77: task.task_type: Probabilistic is no type of SimSo's, which takes such a task for a periodic one without a word; allowed: Periodic or Sporadic".into()),
        ("", EDF, "task_type=\"APeriodic\"", "4:77: task.task_type: APeriodic is a task whose jobs begin when those of another end: precedence constraints are not supported".into()),
        ("", EDF, "overhead=\"5\"", format!("4:77: attribute overhead of task T{TOO_GOOD}unknown-fields")),
        ("", EDF, "speed=\"0.5\"", format!("4:77: attribute speed of task T{TOO_GOOD}unknown-fields")),
        ("etm=\"cache\"", EDF, "", format!("1:13: execution-time model cache{TOO_GOOD}execution-times")),
    ] {
        let found = refused("f.xml", &simso(root, sched, task));
        assert!(found.starts_with(&format!("f.xml:{wanted}")), "{found}\nwanted {wanted}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

/// SimSo's penalties are those of its models `fixedpenalty` and `cache`: under the others they change nothing.
#[test]
fn penalties_that_simso_does_not_charge_are_listed() {
    let penalties = "penalty_preemption=\"100000\" penalty_migration=\"100000\"";
    for (etm, model) in [("", "wcet"), ("etm=\"wcet\"", "wcet"), ("etm=\"acet\"", "acet")] {
        let text = simso(&format!("{etm} {penalties}"), EDF, "preemption_cost=\"100\"");
        let read = import("f.xml", &text).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(read.left_out(), Vec::<String>::new());
        let listed: Vec<&str> = read.losses.iter().map(|loss| loss.what.as_str()).collect();
        let unread = format!("which SimSo does not charge under etm {model}");
        for what in ["penalty_preemption 100000 of simulation", "preemption_cost 100 of task T"] {
            assert!(listed.contains(&format!("{what}, {unread}").as_str()), "{listed:?}");
        }
    }
    for (etm, charged) in [("fixedpenalty", "penalty_migration 100000"), ("cache", "preemption_cost 100")] {
        let text = simso(&format!("etm=\"{etm}\" {penalties}"), EDF, "preemption_cost=\"100\"");
        let found = refused("f.xml", &text);
        assert!(found.contains(charged) && found.contains("--ignore overheads"), "{found}");
    }
    // What is charged under any model stays refused.
    for text in
        [simso("", &format!("{EDF} overhead=\"7\""), ""), simso("etm=\"mine\"", EDF, "preemption_cost=\"1\"")]
    {
        assert!(refused("f.xml", &text).contains("--ignore overheads"));
    }
}

/// What is in an unknown document is not judged piece by piece: nothing of it can be ignored.
#[test]
fn other_documents_are_refused_as_a_whole() {
    for (file, text, wanted) in [
        ("a.xml", "<cheddar_project><x/></cheddar_project>", "a.xml:1:1: this is a model of Cheddar, which schedlab does not read"),
        ("a.xml", "<tasksystem><task wcet=\"1\"/></tasksystem>", "a.xml:1:1: tasksystem: tasksystem is no element that a task set begins with; allowed: a taskset"),
        ("a.xml", "<simulation><agent/></simulation>", "a.xml:1:1: simulation: this simulation is no configuration of SimSo; allowed: a simulation with sched"),
        ("a.xml", "<runs><simulation/></runs>", "a.xml:1:1: runs: runs is no element that a task set begins with"),
        ("a.json", "{\"name\": 5}", "a.json:1:1: this is JSON, but no workload of rt-app, which has tasks; allowed: {\"tasks\""),
        ("a.json", "[1, 2]", "a.json:1:1: this is JSON, but no workload of rt-app"),
        ("a.jsonl", "{\"tasks\": [[1, 9]]}\n{\"tasks\": [[1, 9]]}\n", "a.jsonl:1:1: these are JSON lines, such as a batch of task sets, which `analyze --jsonl`"),
    ] {
        let found = refused(file, text);
        assert!(found.starts_with(wanted) && found.lines().count() == 1, "{found}\nwanted {wanted}");
        assert!(!found.contains("--ignore"), "{found}");
    }
}

/// Names, notes and comments that read like another language do not make a file one of it.
#[test]
fn names_that_read_like_programs_are_names() {
    let names =
        |read: Imported<Scenario>| read.value.tasks.into_iter().map(|task| task.name).collect::<Vec<_>>();
    let rows = "name,wcet,period\nfrom radar,1 ms,9 ms\nimport radar,1 ms,9 ms\npackage loop,1 ms,9 ms\n";
    assert_eq!(names(import("a.csv", rows).unwrap()), ["from radar", "import radar", "package loop"]);
    let workload =
        "/*\nfrom the Linaro wiki\n*/\n{\"tasks\": {\"from a\": {\"policy\": \"SCHED_FIFO\", \"run\": 1, \
                    \"timer\": {\"ref\": \"unique\", \"period\": 9}}}}";
    for file in ["a.json", "a"] {
        assert_eq!(names(import(file, workload).unwrap()), ["from a"]);
    }
    let without_version = "title = \"\"\"\nfrom the wiki\npackage loop\n\"\"\"\n";
    for file in ["a.toml", "a"] {
        let found = refused(file, without_version);
        assert!(found.contains(": schedlab: missing"), "{found}");
    }
}

/// Places of a table's cells, whatever its line ends and its empty rows; a malformed number is no unknown unit.
#[test]
fn faults_of_tables_have_their_cells() {
    let header = "name,wcet,period";
    let text =
        format!("{header},prior,,\n,,,,,\n\na,1e1 ms,\"2,5 ms\",,,\nb,\"1,000 us\",9,,,\nb,1 ms,9 ms,,,x\n");
    let (exponent, comma) = ("has an exponent", "has a comma in its number: write 2.5 with a point");
    let wanted = [
        "1:18: prior: unknown field; did you mean priority? allowed: name".to_owned(),
        format!("4:3: wcet: \"1e1 ms\" {exponent}"),
        format!("4:10: period: \"2,5 ms\" {comma}"),
        format!("5:3: wcet: \"1,000 us\" {comma}"),
        "5:14: period: \"9\" has no unit".to_owned(),
        format!("6:15: column 6, which has no name,{TOO_GOOD}unknown-fields"),
    ];
    for (ends, before, lines) in [("\n", "", 0), ("\r\n", "sep=,\r\n", 1), ("\r", "\"sep=,\"\r", 1)] {
        let found = refused("f.csv", &format!("{before}{}", text.replace('\n', ends)));
        assert_eq!(found.lines().count(), wanted.len(), "{found}");
        for (line, wanted) in found.lines().zip(&wanted) {
            let (number, rest) = wanted.split_once(':').unwrap();
            let wanted = format!("f.csv:{}:{rest}", number.parse::<usize>().unwrap() + lines);
            assert!(line.starts_with(&wanted), "{line}\nwanted {wanted}");
        }
    }
    let twice = format!("{header}\na,1 ms,9 ms\n,,\n a,1 ms,9 ms\n");
    assert!(refused("f.csv", &twice).starts_with("f.csv:4:2: task[1].name: \"a\" names another task already"));
    let missing = refused("f.csv", "sep=,\nname,wcet\n");
    assert!(missing.starts_with("f.csv:2:1: period: missing; allowed: a header row with the column period"));
    let semicolons = refused("f.csv", "sep=;\nname;wcet;period\n");
    assert!(semicolons
        .starts_with("f.csv:1:1: the cells of this table are separated by semicolons; allowed: commas"));
    let empty = format!("sep=,\n{header},\na,1 ms,9 ms,\n,,,\n");
    assert_eq!(import("f.csv", &empty).unwrap().value.tasks.len(), 1);
}

/// That a machine of one processor was assumed is said once, and only where the file says nothing of it.
#[test]
fn rt_apps_one_processor_is_told() {
    let task = |cpus: &str| {
        format!("{{\"policy\": \"SCHED_FIFO\", \"run\": 1, {cpus}\"timer\": {{\"ref\": \"unique\", \"period\": 9}}}}")
    };
    let text = |cpus: &str| format!("{{\"tasks\": {{\n\"a\": {}, \"b\": {}}}}}", task(""), task(cpus));
    let listed = |text: &str| {
        let read = Format::RtApp.read("f", text.as_bytes().to_vec(), &Ignored::everything()).unwrap();
        read.losses.iter().filter(|loss| !loss.flatters).map(|loss| loss.listed()).collect::<Vec<_>>()
    };
    let told = "number of processors: no task has cpus, so that one is assumed (--processors states another) (line 2)";
    assert_eq!(listed(&text("")), [told]);
    assert_eq!(listed(&text("\"cpus\": [1], ")), Vec::<String>::new());
}
