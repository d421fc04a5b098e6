//! Costs of shared resources: whose bounds they lengthen, and which shorter sections would do.

use schedlab_lab::sections::{resource_costs, LengthenedBound, ResourceCost};
use schedlab_lab::sensitivity::is_proved;
use schedlab_lab::{Catalog, Prepared};
use schedlab_scenario::Scenario;

/// `odom` shares `map` with `planner`, whose section takes this many microseconds of its 10 ms; `log` is of no
/// importance.
fn robot(section_us: u64, deadline_ms: u64, protocol: &str) -> Scenario {
    let rest = 10_000 - section_us;
    let text = format!(
        "schedlab = 1\nscheduler = \"P-FP\"\nprotocol = \"{protocol}\"\nplatform.processors = 1\n\
         [[resource]]\nname = \"log\"\n[[resource]]\nname = \"map\"\n\
         [[task]]\nname = \"odom\"\nperiod = \"20 ms\"\ndeadline = \"{deadline_ms} ms\"\npriority = 1\n\
         program = [\"execute 1 ms\", \"request map\", \"execute 1 ms\", \"release map\"]\n\
         [[task]]\nname = \"planner\"\nperiod = \"100 ms\"\npriority = 2\n\
         program = [\"request map\", \"execute {section_us} us\", \"release map\", \"execute {rest} us\"]\n\
         [[task]]\nname = \"writer\"\nperiod = \"500 ms\"\npriority = 3\n\
         program = [\"request log\", \"execute 2 ms\", \"release log\"]\n"
    );
    Scenario::parse("robot", &text).expect("the scenario is well-formed")
}

fn prepared(scenario: &Scenario) -> Prepared {
    Prepared::for_analysis(scenario, &Catalog::shipped()).unwrap()
}

fn costs(scenario: &Scenario) -> Vec<ResourceCost> {
    resource_costs(&prepared(scenario))
}

/// `odom` needs 2 ms and waits for `planner`'s section once: 7 ms. No task waits for `log`.
#[test]
fn a_resource_costs_what_bounds_lose_without_it() {
    let found = costs(&robot(5_000, 20, "pcp"));
    let names: Vec<&str> = found.iter().map(|one| one.resource.as_str()).collect();
    assert_eq!(names, ["map", "log"], "the costly one first");
    let [map, log] = &found[..] else { panic!("two resources") };
    let odom = LengthenedBound { task: "odom".to_owned(), by_ns: Some(5_000_000) };
    assert_eq!((&map.lengthens[..], map.all_known), (&[odom][..], true));
    assert_eq!((map.longest_ns, map.longest_of.as_str(), map.enough_ns), (5_000_000, "planner", None));
    assert!(log.lengthens.is_empty() && log.longest_ns == 2_000_000, "{log:?}");
}

/// With a deadline of 4 ms, 2 ms are left for the section. The answer is what each section, written out, says.
#[test]
fn the_section_that_would_do_is_proved_and_a_longer_one_is_not() {
    let late = robot(5_000, 4, "pcp");
    let found = costs(&late);
    let map = &found[0];
    assert_eq!((map.resource.as_str(), map.enough_ns), ("map", Some(2_000_000)), "{found:?}");
    // The bound of 7 ms is beyond the deadline, and known.
    let odom = LengthenedBound { task: "odom".to_owned(), by_ns: Some(5_000_000) };
    assert_eq!((&map.lengthens[..], map.all_known), (&[odom][..], true));
    assert_eq!(found[1].enough_ns, None, "a shorter section on log does not help");
    for (us, proved) in [(100, true), (1_000, true), (2_000, true), (2_001, false), (5_000, false)] {
        assert_eq!(is_proved(&prepared(&robot(us, 4, "pcp"))), proved, "{us} us");
    }
}

/// Where `odom` has no time to wait at all, no section is short enough.
#[test]
fn no_length_is_named_where_none_would_do() {
    assert!(costs(&robot(5_000, 2, "pcp")).iter().all(|one| one.enough_ns.is_none()));
}

/// Without a protocol no bound is known, and what is unknown is not named.
#[test]
fn unknown_bounds_are_no_costs() {
    let found = costs(&robot(5_000, 4, "none"));
    let map = found.iter().find(|one| one.resource == "map").unwrap();
    assert!(!map.all_known && map.enough_ns.is_none(), "{map:?}");
    assert!(map.lengthens.iter().all(|task| task.by_ns.is_none()), "{map:?}");
}
