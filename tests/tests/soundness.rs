//! A slice of the long soundness run; `make soak` runs the rest.

use schedlab_analysis::registry::TESTS;
use schedlab_tests::replay;
use schedlab_tests::soundness::{examine, examine_pfair, PfairPower, Power, AIMS, ELSEWHERE};

#[test]
fn observed_is_at_most_bound() {
    let (seed, cases) = replay::cases(1, 1_200);
    let all = cases.end - cases.start > 1;
    let mut power = Power::default();
    for case in cases {
        if let Err(what) = examine(seed, case, &mut power) {
            let command = replay::command("soundness", "observed_is_at_most_bound", seed, case);
            panic!("{what}\nreplay: {command}");
        }
    }
    println!("{power}");
    // The slice is too small to test anything by the soak's standard, but it must reach every test.
    for (aim, rows) in AIMS.iter().zip(&power.rows) {
        let tried = |overheads: usize| rows[overheads].near > 10 || overheads == 1 && !aim.bears_overheads();
        assert!(!all || tried(0) && tried(1), "{} is not reached", aim.test);
    }
    let scarce = power.drawn.scarce(u64::from(all));
    assert!(scarce.is_empty(), "hardly drawn: {scarce:?}");
}

/// A test that nobody aims at could promise anything.
#[test]
fn every_test_is_aimed_at() {
    let aimed_at = |name| AIMS.iter().any(|aim| aim.test == name) || ELSEWHERE.contains(&name);
    let forgotten: Vec<_> = TESTS.iter().map(|test| test.name).filter(|name| !aimed_at(name)).collect();
    assert!(forgotten.is_empty(), "{forgotten:?}");
}

/// The same for Pfair schedulers, whose sets fill their processors.
#[test]
fn pfair_is_observed_within_its_bounds() {
    let power = pfair(1_500);
    for row in power.rows.iter().flatten().filter(|row| row.sets > 1) {
        assert!(row.full > 40 && row.accepted > 15 && row.largest > 0.95, "{power}");
    }
}

fn pfair(count: u64) -> PfairPower {
    let (seed, cases) = replay::cases(1, count);
    let mut power = PfairPower::default();
    for case in cases {
        if let Err(what) = examine_pfair(seed, case, &mut power) {
            let command = replay::command("soundness", "pfair_is_observed_within_its_bounds", seed, case);
            panic!("{what}\nreplay: {command}");
        }
    }
    println!("{power}");
    power
}
