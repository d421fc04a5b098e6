//! All tests, from the lists of their folders.

use crate::verdict::Test;
use crate::{explore, multiprocessor, overload, pfair, tardiness, theorem, uniprocessor};
use std::sync::LazyLock;

/// The folders' lists in their order. A new test is one file, and two lines in its folder's `mod.rs`.
const LISTS: [&[&Test]; 7] = [
    &[&overload::HARD, &overload::SOFT, &multiprocessor::one_each::TEST],
    uniprocessor::TESTS,
    multiprocessor::TESTS,
    tardiness::TESTS,
    &[&explore::UNIPROCESSOR, &explore::GLOBAL],
    &[&pfair::feasibility::TEST, &pfair::lateness::TEST],
    theorem::TESTS,
];

/// All tests that [`crate::analyze`] runs where they apply.
pub static TESTS: LazyLock<Vec<&Test>> = LazyLock::new(|| LISTS.concat());

/// Slow tests against which others are measured; they run only by name.
pub static YARDSTICKS: &[&Test] = &[&uniprocessor::demand_criterion::TEST];

/// Combinations of several tests, for batches; they run only by name.
pub static COMBINATIONS: &[&Test] = &[&multiprocessor::combined::TEST];

/// The test of this name.
pub fn find(name: &str) -> Option<&'static Test> {
    TESTS.iter().chain(YARDSTICKS).chain(COMBINATIONS).copied().find(|test| test.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assumption::Assumption;

    #[test]
    fn names_are_unique_and_every_test_says_what_it_rests_on() {
        let all: Vec<_> = TESTS.iter().chain(YARDSTICKS).chain(COMBINATIONS).collect();
        for test in &all {
            assert_eq!(all.iter().filter(|other| other.name == test.name).count(), 1, "{}", test.name);
            assert!(
                !test.assumptions.is_empty() && !test.source.is_empty() && !test.cost.is_empty(),
                "{}",
                test.name
            );
            let own = test.assumptions.iter().find(|one| matches!(one, Assumption::Own(_)));
            assert_eq!(own, None, "{}: add it to the list of assumptions", test.name);
            assert!(std::ptr::eq(find(test.name).unwrap(), **test));
        }
        assert!(find("nothing").is_none());
    }
}
