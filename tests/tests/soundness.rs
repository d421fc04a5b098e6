//! A slice of the long soundness run; `make soak` runs the rest.

use schedlab_tests::replay;
use schedlab_tests::soundness::{examine, Power, AIMS};

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
        assert!(!all || rows.iter().all(|row| row.near > 10), "{} is not reached", aim.test);
    }
}
