//! What blocks a job is named: whose section, on which resource, and how long.

use schedlab_lab::explain::{explain, Term};
use schedlab_lab::{analyze, findings, Prepared};
use schedlab_model::{Duration, ResourceId, TaskId};
use schedlab_scenario::Scenario;

fn prepared(text: &str) -> Prepared {
    let scenario = Scenario::parse("test", text).unwrap_or_else(|errors| panic!("{errors}"));
    Prepared::new(&scenario).unwrap()
}

/// An exercise of Burns and Wellings' textbook: five tasks and six resources under priority ceilings.
const EXERCISE: &str = r#"
schedlab = 1
protocol = "pcp"
scheduler = { name = "P-FP", urgent_priority = "largest" }
resource = [{ name = "R1" }, { name = "R2" }, { name = "R3" }, { name = "R4" }, { name = "R5" }, { name = "R6" }]
[[task]]
name = "a"
period = "10 s"
priority = 5
program = ["request R3", "execute 75 ms", "release R3"]
[[task]]
name = "b"
period = "12 s"
priority = 4
program = ["request R1", "execute 50 ms", "release R1", "request R2", "execute 150 ms", "release R2"]
[[task]]
name = "c"
period = "14 s"
priority = 3
program = ["request R3", "execute 75 ms", "release R3", "request R4", "execute 300 ms", "release R4",
    "request R5", "execute 250 ms", "release R5"]
[[task]]
name = "d"
period = "16 s"
priority = 2
program = ["request R1", "execute 50 ms", "release R1", "request R5", "execute 250 ms", "release R5",
    "request R6", "execute 175 ms", "release R6"]
[[task]]
name = "e"
period = "18 s"
priority = 1
program = ["request R2", "execute 150 ms", "release R2", "request R6", "execute 175 ms", "release R6"]
"#;

/// What blocks each task in words, in milliseconds.
fn blocking(text: &str) -> Vec<Vec<(String, u64)>> {
    let prepared = prepared(text);
    let found = explain(&prepared, &analyze(&prepared).unwrap());
    let of =
        |term: &Term| matches!(term, Term::Blocking { .. } | Term::BlockingHere | Term::BlockingByOthers);
    let parts = found.iter().map(|one| {
        let parts = one.parts.iter().filter(|part| of(&part.what));
        parts.map(|part| (part.what.in_words(&prepared.scenario), part.length.as_ns() / 1_000_000)).collect()
    });
    parts.collect()
}

/// The blocking of its solution, 75, 150, 250, 175 and 0 ms: one section each.
#[test]
fn under_ceilings_one_section_blocks() {
    let one = |said: &str, ms| vec![(said.to_owned(), ms)];
    let expected = vec![
        one("blocking by c on R3", 75),
        one("blocking by e on R2", 150),
        one("blocking by d on R5", 250),
        one("blocking by e on R6", 175),
        vec![],
    ];
    for protocol in ["pcp", "ipcp", "srp"] {
        assert_eq!(
            blocking(&EXERCISE.replace("\"pcp\"", &format!("\"{protocol}\""))),
            expected,
            "{protocol}"
        );
    }
    // Whatever a less urgent task holds; and one section of each less urgent task that may inherit.
    let longest = blocking(&EXERCISE.replace("\"pcp\"", "\"npcs\""));
    assert_eq!(longest[0], one("blocking by c on R4", 300));
    let each = blocking(&EXERCISE.replace("\"pcp\"", "\"pip\""));
    assert_eq!(each[0], one("blocking by c on R3", 75));
    assert_eq!(each[1][0], ("blocking by e on R2".to_owned(), 150));
    assert_eq!(each[1].iter().map(|part| part.1).sum::<u64>(), 150 + 75 + 50);
}

/// A sensor reads a map that a planner writes for 5 ms.
fn map(scheduler: &str, protocol: &str, processors: u32) -> String {
    format!(
        "schedlab = 1\nprotocol = \"{protocol}\"\nresource = [{{ name = \"map\" }}]\n\
         scheduler = \"{scheduler}\"\nplatform.processors = {processors}\n\
         [[task]]\nname = \"sensor\"\nperiod = \"5 ms\"\nprogram = [\"request map\", \"execute 1 ms\", \"release map\"]\n\
         [[task]]\nname = \"planner\"\nperiod = \"50 ms\"\nprogram = [\"request map\", \"execute 5 ms\", \"release map\"]\n"
    )
}

#[test]
fn what_is_not_proved_names_holder_resource_and_length() {
    let too_long = "with blocking of 5 ms, sensor may take longer than its relative deadline of 5 ms: \
        blocked by planner's 5 ms on map";
    let demand = "with blocking, cluster 0 may be asked for 6 ms within 5 ms: \
        blocked for 5 ms by planner's 5 ms on map";
    let waiting =
        "with waiting as execution, no test proves cluster 0 schedulable; sensor waits longest, for 5 ms: \
        blocked by planner's 5 ms on map";
    for (scheduler, protocol, processors, expected) in [
        ("P-RM", "pcp", 1, too_long),
        ("P-RM", "pip", 1, too_long),
        ("P-RM", "npcs", 1, too_long),
        ("P-EDF", "srp", 1, demand),
        ("G-EDF", "fmlp-long", 2, waiting),
        ("G-EDF", "omlp", 2, waiting),
    ] {
        let prepared = prepared(&map(scheduler, protocol, processors));
        let found = findings(&prepared, &analyze(&prepared).unwrap());
        let said: Vec<String> = found.iter().map(|one| one.reason.in_words(&prepared.scenario)).collect();
        assert!(said.iter().any(|said| said == expected), "{scheduler} {protocol}: {said:#?}");
    }
}

/// Under each protocol of several processors the parts are sections that exist, and make up the bound.
#[test]
fn parts_are_sections_of_tasks() {
    let text = "schedlab = 1\nprotocol = \"PROTOCOL\"\nresource = [{ name = \"r\" }, { name = \"s\" }]\n\
        scheduler = \"SCHEDULER\"\nplatform.processors = 2\n\
        task = [\n\
        { name = \"a\", processor = 0, period = \"20 ms\", program = [\"request r\", \"execute 1 ms\", \"release r\"] },\n\
        { name = \"b\", processor = 1, period = \"30 ms\", program = [\"request r\", \"execute 2 ms\", \"release r\"] },\n\
        { name = \"c\", processor = 0, period = \"40 ms\", program = [\"request s\", \"execute 3 ms\", \"release s\"] },\n\
        { name = \"d\", processor = 1, period = \"90 ms\", program = [\"request r\", \"execute 4 ms\", \"release r\", \
        \"request s\", \"execute 1 ms\", \"release s\"] }]\n";
    let lengths = [vec![(0, 1)], vec![(0, 2)], vec![(1, 3)], vec![(0, 4), (1, 1)]];
    let mut told = Vec::new();
    for (protocol, scheduler) in [
        ("msrp", "P-RM"),
        ("msrp", "P-EDF"),
        ("mpcp", "P-RM"),
        ("dpcp", "P-RM"),
        ("dflp", "P-RM"),
        ("fmlp+", "P-RM"),
        ("mrsp", "P-RM"),
        ("task-fair", "P-RM"),
        ("fmlp-long", "G-EDF"),
        ("omlp", "G-EDF"),
        ("omlp-clustered", "P-RM"),
        ("task-fair", "G-EDF"),
        ("gpip", "G-RM"),
        ("ppcp", "G-RM"),
    ] {
        let text = text.replace("PROTOCOL", protocol).replace("SCHEDULER", scheduler);
        let text = if scheduler.starts_with('G') {
            text.replace("processor = 0, ", "").replace("processor = 1, ", "")
        } else {
            text
        };
        let prepared = prepared(&text);
        let analysis = analyze(&prepared).unwrap();
        let whole = analysis.analysis.as_ref().and_then(|found| found.blocking.as_ref()).unwrap();
        for one in explain(&prepared, &analysis) {
            let sum: u64 = one.parts.iter().map(|part| part.length.as_ns()).sum();
            assert_eq!(sum, one.bound.as_ns(), "{protocol}");
            let (mut blocked, mut all) = (0, true);
            for part in &one.parts {
                if let Term::Blocking { task: TaskId(task), resource: ResourceId(resource), count } =
                    part.what
                {
                    let (_, ms) = lengths[task as usize].iter().find(|known| known.0 == resource).unwrap();
                    assert_eq!(part.length, Duration::from_ms(ms * count), "{protocol} {part:?}");
                    blocked += part.length.as_ns();
                }
                all &= !matches!(part.what, Term::BlockingHere | Term::BlockingByOthers);
            }
            if all {
                assert_eq!(Some(blocked), whole.terms[one.task.index()].total(), "{protocol} {one:?}");
                told.push((protocol, scheduler));
            }
        }
    }
    told.dedup();
    println!("{told:?}");
    assert!(told.len() >= 10, "{told:?}");
}
