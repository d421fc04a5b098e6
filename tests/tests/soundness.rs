//! A slice of the long soundness run; `make soak` runs the rest.

use schedlab_analysis::blocking::methods::METHODS;
use schedlab_analysis::registry::TESTS;
use schedlab_lock::ALL_PROTOCOLS;
use schedlab_lp_blocking::PROGRAMS;
use schedlab_tests::answers::{AnswerPower, AnswerRow};
use schedlab_tests::climb::{climb, ClimbPower, Effort};
use schedlab_tests::features::{FeaturePower, FEATURES};
use schedlab_tests::replay;
use schedlab_tests::servers::ServerPower;
use schedlab_tests::soundness::{
    examine_pfair_charged, has_overheads, Charge, PfairPower, Power, ScenarioPower, Tally, UnitPower, AIMS,
    ELSEWHERE,
};
use schedlab_tests::tables;
use std::fmt::Display;

/// Examines `count` cases of what `test` speaks of and prints the power; `None` if only one case is replayed, which
/// has none to speak of.
fn slice<T: Tally + Display>(test: &str, count: u64) -> Option<T> {
    let (seed, cases) = replay::cases(1, count);
    let all = cases.end - cases.start > 1;
    let mut power = T::default();
    for case in cases {
        if let Err(what) = power.examine(seed, case) {
            panic!("{what}\nreplay: {}", replay::command("soundness", test, seed, case));
        }
    }
    println!("{power}");
    all.then_some(power)
}

#[test]
fn observed_is_at_most_bound() {
    let Some(power) = slice::<Power>("observed_is_at_most_bound", 1_300) else { return };
    // The slice is too small to test anything by the soak's standard, but it must reach every test.
    for (aim, rows) in AIMS.iter().zip(&power.rows) {
        let tried = |overheads: usize| rows[overheads].near > 10 || overheads == 1 && !aim.bears_overheads();
        assert!(tried(0) && tried(1), "{} is not reached", aim.test);
    }
    let scarce = power.drawn.scarce(1);
    assert!(scarce.is_empty(), "hardly drawn: {scarce:?}");
}

/// Brute force and simulation agree on mixes with budget servers, and proofs hold in them.
#[test]
fn servers_follow_their_rules() {
    let Some(power) = slice::<ServerPower>("servers_follow_their_rules", 1_000) else { return };
    assert!(power.of_kind.iter().all(|count| *count > 20), "{power}");
    assert!(power.isolated_on_several > 40 && power.reclaimed_on_several > 5, "{power}");
    assert!(power.proved > 50 && power.reached > 20 && power.isolated == power.proved, "{power}");
}

/// A test that has no aim could promise anything.
#[test]
fn every_test_is_aimed_at() {
    let aimed_at = |name| AIMS.iter().any(|aim| aim.test == name) || ELSEWHERE.contains(&name);
    let forgotten: Vec<_> = TESTS.iter().map(|test| test.name).filter(|name| !aimed_at(name)).collect();
    assert!(forgotten.is_empty(), "add a line to AIMS of tests/src/soundness/aim.rs for {forgotten:?}");
}

/// The same for Pfair schedulers, whose sets fill their processors.
#[test]
fn pfair_is_observed_within_its_bounds() {
    let Some(power) = slice::<PfairPower>("pfair_is_observed_within_its_bounds", 1_500) else { return };
    for row in power.rows.iter().flatten().filter(|row| row.sets > 1) {
        assert!(row.full > 40 && row.accepted > 15 && row.largest > 0.95, "{power}");
    }
}

/// The run above can see what is not charged: a single reload, any kind of overhead, that jobs may move; and
/// what the published accounting leaves out.
#[test]
fn too_small_a_charge_is_refuted_under_pfair() {
    let cases = (0..12_000).filter(|case| has_overheads(*case));
    for charge in Charge::TOO_LITTLE {
        let mut power = PfairPower::default();
        let refutes = |case: &u64| examine_pfair_charged(charge, 1, *case, &mut power).is_err();
        let refuted = cases.clone().filter(refutes).take(4).count();
        assert_eq!(refuted, 4, "charged {charge}");
    }
}

/// The same for whole scenarios: locking protocols, priority points, jobs that are never preempted.
#[test]
fn scenarios_are_observed_within_their_bounds() {
    let test = "scenarios_are_observed_within_their_bounds";
    let Some(power) = slice::<ScenarioPower>(test, 1_500) else { return };
    assert!(power.accepted > 750 && power.near > 650 && power.compared > 6_000, "{power}");
    let reached = |name: &str| {
        let near = |name: &str| power.rows.get(name).is_some_and(|row| row.near > 0);
        near(name) || near(&format!("{name} with overheads"))
    };
    for method in METHODS.iter().chain(PROGRAMS) {
        let protocols = ALL_PROTOCOLS.iter().filter(|protocol| method.classes.contains(&protocol.class));
        for protocol in protocols {
            let name = format!("{}, {}", method.test.name, protocol.name);
            assert!(reached(&name), "{name} is not reached near breakdown");
        }
    }
}

/// Answers do not depend on the unit of time or on a processor that stays idle.
#[test]
fn answers_are_the_same_in_another_unit_of_time() {
    let Some(power) = slice::<UnitPower>("answers_are_the_same_in_another_unit_of_time", 1_500) else {
        return;
    };
    let UnitPower { compared, proved, blocked, verdicts, idle } = power;
    assert!(compared > 700 && proved > 300 && blocked > 300 && verdicts > 5_000 && idle > 50, "{power}");
}

/// The same for scenarios that combine everything: any two features that may be stated together are drawn together.
#[test]
fn features_are_drawn_in_pairs() {
    let Some(power) = slice::<FeaturePower>("features_are_drawn_in_pairs", 1_800) else { return };
    // The slice is small, but only the rarest pairs may be missing.
    assert!(power.stale().is_empty() && power.holes(1).len() < 40, "{power}");
}

/// Whatever asks whether deadlines are met gets one answer; often enough it follows from several tests.
#[test]
fn one_question_has_one_answer() {
    let Some(power) = slice::<AnswerPower>("one_question_has_one_answer", 1_200) else { return };
    let of = |kind: &str, count: fn(&AnswerRow) -> u64| -> u64 {
        let rows = power.rows.iter().filter(|(name, _)| name.trim_start_matches('N').starts_with(kind));
        rows.map(|(_, row)| count(row)).sum()
    };
    for scope in ["P-", "C-", "G-"] {
        assert!(of(scope, |row| row.together) > 0, "{scope} {power}");
        assert!(of(scope, |row| row.alone) > 4 && of(scope, |row| row.refuted) > 4, "{scope} {power}");
    }
    assert!(of("", |row| row.batches) > 150 && power.advised > 20, "{power}");
}

/// A slice of the climbs towards bounds.
#[test]
fn climbs_stay_below_bounds() {
    let (seed, cases) = replay::cases(1, 30);
    let mut power = ClimbPower::default();
    for case in cases {
        if let Err(what) = climb(seed, case, Effort::SHORT, &mut power) {
            panic!(
                "{what}\nreplay: {}",
                replay::command("soundness", "climbs_stay_below_bounds", seed, case)
            );
        }
    }
    println!("{power}");
    assert!(power.systems < 2 || power.steps > 1_500, "{power}");
}

/// The tables of docs/trials.md have every feature, and every bound on blocking.
#[test]
fn tables_are_complete() {
    let document = include_str!("../../docs/trials.md");
    for name in tables::bounds() {
        assert!(document.contains(&format!("| `{name}` |")), "{name} is not in the table of climbs");
    }
    for (index, (name, _)) in FEATURES.iter().enumerate() {
        assert!(document.contains(&format!("{:2} {name}", index + 1)), "{name} is not in the table of pairs");
    }
    let renewed = tables::replaced(document, tables::PAIRS, "x").expect("the table has its marks");
    assert!(renewed.len() < document.len() && tables::replaced(document, "none", "x").is_none());
}
