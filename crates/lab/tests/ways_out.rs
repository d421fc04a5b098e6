//! A user who follows the hint of a refusal is not refused again.

use schedlab_lab::Prepared;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_scenario::Scenario;
use std::collections::BTreeMap;

/// Some of each scope, and of each order that protocols tell apart.
const SCHEDULERS: [&str; 10] =
    ["P-EDF", "P-RM", "P-FIFO", "C-EDF", "C-DM", "G-EDF", "G-RM", "G-FL", "PD2", "S-PD2"];

/// By what is hard about it: the units of `S`, where the second task is, and what the first one does.
const HARD: [(&str, u32, u16, &str); 6] = [
    ("nothing", 1, 0, r#""request R", "execute 1 ms", "release R""#),
    ("users elsewhere", 1, 1, r#""request R", "execute 1 ms", "release R""#),
    ("units", 2, 0, r#""request S 2", "execute 1 ms", "release S 2""#),
    ("units elsewhere", 2, 1, r#""request S", "execute 1 ms", "release S""#),
    (
        "nesting",
        1,
        1,
        r#""request R", "execute 1 ms", "request S", "execute 1 ms", "release S", "release R""#,
    ),
    ("suspension", 1, 0, r#""request R", "execute 1 ms", "suspend 1 ms", "execute 1 ms", "release R""#),
];

fn scenario(units: u32, elsewhere: u16, program: &str) -> Scenario {
    let text = format!(
        r#"
        schedlab = 1
        platform = {{ processors = 4, cluster_size = 2 }}
        [scheduler]
        name = "P-RM"
        [[resource]]
        name = "R"
        [[resource]]
        name = "S"
        units = {units}
        [[task]]
        name = "first"
        period = "10 ms"
        processor = 0
        program = [{program}]
        [[task]]
        name = "second"
        period = "20 ms"
        processor = {}
        program = ["request R", "execute 1 ms", "release R", "request S", "execute 1 ms", "release S"]
        "#,
        2 * elsewhere
    );
    Scenario::parse("hard.toml", &text).unwrap()
}

fn refusal(scenario: &Scenario, scheduler: &str, protocol: &str) -> Option<String> {
    let wanted = scenario.clone().with_scheduler(scheduler).and_then(|made| made.with_protocol(protocol));
    match wanted {
        Ok(wanted) => Prepared::new(&wanted).err().map(|error| error.to_string()),
        Err(errors) => Some(errors.to_string()),
    }
}

/// The names that stand after `a {kind} such as`.
fn named<'a>(message: &'a str, kind: &str) -> Vec<&'a str> {
    let after = message.split_once(&format!("a {kind} such as ")).map_or("", |(_, names)| names);
    let names = after.split(", or ").next().unwrap_or_default();
    names.split(", ").filter(|name| !name.is_empty()).collect()
}

#[test]
fn what_a_refusal_names_is_taken() {
    let (mut protocols, mut schedulers) = (0, 0);
    for (what, units, elsewhere, program) in HARD {
        let scenario = scenario(units, elsewhere, program);
        // Many refusals name the same ways out.
        let mut seen = BTreeMap::new();
        let mut refusal_of = |scheduler: &str, protocol: &str| -> Option<String> {
            let pair = (scheduler.to_owned(), protocol.to_owned());
            seen.entry(pair).or_insert_with(|| refusal(&scenario, scheduler, protocol)).clone()
        };
        let pairs =
            SCHEDULERS.iter().flat_map(|one| ALL_PROTOCOLS.iter().map(move |other| (*one, other.name)));
        for (scheduler, protocol) in pairs {
            let Some(message) = refusal_of(scheduler, protocol) else { continue };
            let here = format!("{what}, {protocol} under {scheduler}: {message}");
            let (others, instead) = (named(&message, "protocol"), named(&message, "scheduler"));
            assert!(!others.is_empty(), "{here}");
            for other in &others {
                assert_eq!(refusal_of(scheduler, other), None, "{here}");
            }
            for other in &instead {
                assert_eq!(refusal_of(other, protocol), None, "{here}");
            }
            protocols += others.len();
            schedulers += instead.len();
        }
    }
    assert!(protocols > 1_000 && schedulers > 200, "{protocols} {schedulers}");
}

/// PD2 has the quanta that zones need, but at 5 ms there is no room for a task that joins then.
#[test]
fn a_scheduler_without_room_is_not_named() {
    let refused = |join: &str| {
        let text = format!(
            r#"
            schedlab = 1
            platform = {{ processors = 1 }}
            scheduler = "G-EDF"
            protocol = "zone-skip"
            [[resource]]
            name = "R"
            [[task]]
            name = "first"
            period = "10 ms"
            program = ["request R", "execute 1 ms", "release R", "execute 6 ms"]
            [[task]]
            name = "second"
            period = "10 ms"
            wcet = "5 ms"
            {join}
            "#
        );
        Scenario::parse("join.toml", &text).unwrap_err().to_string()
    };
    assert_eq!(named(&refused(""), "scheduler"), ["PD2"]);
    assert!(named(&refused(r#"join = "5 ms""#), "scheduler").is_empty());
}
