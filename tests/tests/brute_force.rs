//! The simulator produces the schedules that the definitions demand, on thousands of small systems.

use schedlab_tests::compare::{difference, schedule_of};
use schedlab_tests::draw::{any, Scale};
use schedlab_tests::source::Jobs;
use schedlab_tests::{brute, replay, run};
use std::collections::BTreeSet;

fn compare_all(test: &str, seed: u64, count: u64, scale: Scale) {
    let (seed, cases) = replay::cases(seed, count);
    let all = cases.end - cases.start == count;
    let (mut schedulers, mut jobs) = (BTreeSet::new(), 0);
    for case in cases {
        let system = any(seed, case, scale);
        let by_hand = brute::schedule(&system, Jobs::new(&system));
        let simulated = run::run(&system);
        let simulated = schedule_of(&simulated, system.platform.processors(), system.horizon);
        if let Some(difference) = difference(&simulated, &by_hand) {
            let command = replay::command("brute_force", test, seed, case);
            panic!("{difference}\n{system}\nreplay: {command}");
        }
        schedulers.insert(system.scheduler());
        jobs += by_hand.completions.len() as u64;
    }
    assert!(!all || (schedulers.len() == 36 && jobs > 5 * count), "{} with {jobs} jobs", schedulers.len());
}

/// Periods of a few nanoseconds: ties and simultaneous events abound.
#[test]
fn small_numbers() {
    compare_all("small_numbers", 1, 12_000, Scale::Small);
}

/// Periods up to a fifth of a millisecond.
#[test]
fn large_numbers() {
    compare_all("large_numbers", 2, 3_000, Scale::Large);
}
