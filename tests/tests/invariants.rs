//! Every simulated trace satisfies the universal invariants and its policy's promises.

use schedlab_report::invariants::check;
use schedlab_tests::draw::{any, with_overheads, Scale};
use schedlab_tests::system::System;
use schedlab_tests::{replay, run};

fn check_all(test: &str, seed: u64, count: u64, draw: impl Fn(u64, u64) -> System) {
    let (seed, cases) = replay::cases(seed, count);
    for case in cases {
        let system = draw(seed, case);
        let timeline = run::run(&system);
        let verdict = check(&run::context(&system), timeline.records);
        for outcome in &verdict.outcomes {
            if let Some(violation) = outcome.found.violations.first() {
                let (name, command) =
                    (outcome.invariant.name(), replay::command("invariants", test, seed, case));
                panic!("violates {name} {violation}\n{system}\nreplay: {command}");
            }
        }
        assert!(verdict.ended && verdict.lost_at.is_none());
    }
}

#[test]
fn without_overheads() {
    check_all("without_overheads", 3, 10_000, |seed, case| any(seed, case, Scale::Small));
}

#[test]
fn with_small_overheads() {
    check_all("with_small_overheads", 4, 10_000, |seed, case| with_overheads(seed, case, Scale::Small));
}

#[test]
fn with_large_numbers() {
    check_all("with_large_numbers", 5, 4_000, |seed, case| with_overheads(seed, case, Scale::Large));
}
