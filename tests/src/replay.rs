//! Which random cases a test runs, and how to run one of them again.

use std::env;

/// The seed and the cases that a test runs: all, or the one named by `SCHEDLAB_CASE=seed:case`.
pub fn cases(seed: u64, count: u64) -> (u64, std::ops::Range<u64>) {
    let Ok(wanted) = env::var("SCHEDLAB_CASE") else { return (seed, 0..count) };
    let parse =
        |text: &str| text.parse().unwrap_or_else(|_| panic!("SCHEDLAB_CASE is not seed:case: {wanted}"));
    let (seed, case) = wanted.split_once(':').unwrap_or((&wanted, ""));
    let case = parse(case);
    (parse(seed), case..case + 1)
}

/// The command that runs a case of a test again.
pub fn command(test_file: &str, test: &str, seed: u64, case: u64) -> String {
    format!("SCHEDLAB_CASE={seed}:{case} cargo test -p schedlab-tests --test {test_file} {test}")
}
