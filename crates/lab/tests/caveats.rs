//! What answers leave out and rest on is part of them.

use super::advice::advise;
use schedlab_lab::{analyze, findings, Caveats, Prepared};
use schedlab_scenario::{Scenario, Wcets};

/// Two tasks of 6 of 10 ms that are bound to processor 0 of two by `place`.
fn bound(place: &str) -> Scenario {
    let task = |name: &str| format!("{{ name = \"{name}\", wcet = \"6 ms\", period = \"10 ms\", {place} }}");
    let text = format!(
        "schedlab = 1\nscheduler = \"P-RM\"\nplatform.processors = 2\ntask = [{}, {}]\n",
        task("a"),
        task("b")
    );
    Scenario::parse("test", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A global scheduler proves other tasks than those that are bound: its ways say so and come last.
#[test]
fn ways_that_do_not_heed_places_say_so() {
    for place in ["processor = 0", "affinity = [0]"] {
        let advice = advise(&bound(place));
        let unheeding: Vec<_> = advice.ways.iter().filter(|way| !way.unheeded.is_empty()).collect();
        let global = advice.ways.iter().find(|way| way.candidate.scheduler == "G-EDF").unwrap();
        assert!(global.proved && global.unheeded == ["places"], "{global:?}");
        assert_eq!(global.caveats.left_out, ["the scenario: places, which G-EDF does not heed, of a, b"]);
        assert!(unheeding.iter().all(|way| !way.candidate.scheduler.starts_with("P-")));
        assert!(unheeding.iter().any(|way| way.candidate.scheduler == "PD2"));
        let order: Vec<(bool, bool)> =
            advice.ways.iter().map(|way| (!way.proved, !way.unheeded.is_empty())).collect();
        assert!(order.is_sorted(), "{place}: {order:?}");
        assert!(
            advice.single_changes.iter().all(|change| !change.what.starts_with("scheduler G-")),
            "{place}"
        );
    }
}

/// What answers about `scenario` under `scheduler` leave out and rest on.
fn under(scenario: &Scenario, scheduler: &str) -> Caveats {
    Caveats::of(&scenario.clone().with_scheduler(scheduler).unwrap())
}

#[test]
fn an_answer_has_what_it_leaves_out() {
    let pinned = bound("processor = 0");
    let said = ["the scenario: places, which G-EDF does not heed, of a, b"];
    assert_eq!(under(&pinned, "G-EDF").left_out, said);
    assert_eq!(under(&pinned, "P-EDF"), Caveats::default());
    // A cluster of one processor is that processor; in a larger one the task may migrate.
    assert_eq!(under(&pinned, "C-EDF"), Caveats::default());
    let larger = pinned.with_processors(4).unwrap();
    assert_eq!(under(&larger, "C-EDF").left_out.len(), 1);
    let charged = larger.with_overheads("paper-2008-4k").unwrap().with_statistic_named("mean").unwrap();
    let Caveats { rests_on, overheads_unknown, .. } = under(&charged, "P-EDF");
    assert_eq!(rests_on, ["overheads are at most the mean (not the largest) of those of paper-2008-4k"]);
    assert_eq!(overheads_unknown, ["release", "ipi", "lock_acquire", "lock_release"]);
}

/// Every finding states the conditions of the scenario, and no condition twice.
#[test]
fn findings_state_the_conditions_of_the_scenario() {
    let mut given = bound("processor = 1").with_overheads("paper-2008-4k").unwrap();
    given.wcets = Wcets::Observed;
    let given = given.with_statistic_named("mean").unwrap();
    let prepared = Prepared::new(&given.with_processors(4).unwrap()).unwrap();
    let all = findings(&prepared, &analyze(&prepared).unwrap());
    assert!(!all.is_empty());
    for finding in all {
        let said: Vec<String> = finding.assumptions.iter().map(ToString::to_string).collect();
        for condition in ["at most the mean (not the largest)", "execution times are at most those observed"]
        {
            assert_eq!(said.iter().filter(|one| one.contains(condition)).count(), 1, "{said:?}");
        }
    }
}
