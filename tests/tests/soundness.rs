//! A slice of the long soundness run; `make soak` runs the rest.

use schedlab_tests::replay;
use schedlab_tests::soundness::{examine, examine_pfair, PfairPower, Power, AIMS};

#[test]
fn observed_is_at_most_bound() {
    let (seed, cases) = replay::cases(1, 1_500);
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
        assert!(!all || rows.iter().all(|row| row.near > 4), "{} is not reached", aim.test);
    }
}

/// The same for Pfair schedulers, whose sets fill their processors.
#[test]
fn pfair_is_observed_within_its_bounds() {
    let power = pfair(1_500);
    for row in power.rows.iter().flatten().filter(|row| row.sets > 1) {
        assert!(row.full > 30 && row.accepted > 10 && row.largest > 0.9, "{power}");
    }
}

/// The long run: `cargo test --release -p schedlab-tests --test soundness -- --ignored --nocapture pfair`.
#[test]
#[ignore = "minutes"]
fn pfair_is_observed_within_its_bounds_often() {
    pfair(100_000);
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
