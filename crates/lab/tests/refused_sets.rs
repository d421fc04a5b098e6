//! A set that its scheduler refuses is not analysed, and the answer says why.

use schedlab_analysis::Answer;
use schedlab_lab::{analyze, findings, Catalog, Prepared};
use schedlab_scenario::Scenario;

/// The only finding about three tasks (cost, 3) on two processors, the first one with `more`: its test and its reason.
fn told(scheduler: &str, cost: u64, more: &str) -> (&'static str, String) {
    let task = |name: &str, more: &str| {
        format!("[[task]]\nname = \"{name}\"\nwcet = \"{cost} ms\"\nperiod = \"3 ms\"\n{more}\n")
    };
    let text = format!(
        "schedlab = 1\nscheduler = \"{scheduler}\"\nplatform.processors = 2\n{}{}{}",
        task("a", more),
        task("b", ""),
        task("c", "")
    );
    let scenario = Scenario::parse("refused", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let prepared = Prepared::for_analysis(&scenario, &Catalog::shipped());
    let prepared = prepared.unwrap_or_else(|error| panic!("{error}"));
    let found = findings(&prepared, &analyze(&prepared).expect("it can be analysed"));
    let [one] = &found[..] else { panic!("{} findings under {scheduler}", found.len()) };
    assert_eq!(one.answer, Answer::Unknown);
    (one.test, one.reason.to_string())
}

#[test]
fn the_reason_of_a_refusal_is_told() {
    for (scheduler, cost, more, why) in [
        ("RUN", 2, "offset = \"1 ms\"", "a first arrival after time zero"),
        ("RUN", 2, "deadline = \"2 ms\"", "a relative deadline that is not the period"),
        ("RUN", 2, "arrival = { sporadic = \"4 ms\" }", "arrivals that are not periodic"),
        ("LLREF", 3, "", "2"),
        ("EKG[1]", 2, "", "fit"),
    ] {
        let (test, reason) = told(scheduler, cost, more);
        assert_eq!(test, "scheduler");
        assert!(reason.contains(why) && !reason.contains("no test"), "{scheduler}: {reason}");
    }
}
