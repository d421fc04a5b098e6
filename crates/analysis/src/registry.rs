//! The list of all tests: to add one, write its file and its line here.

use crate::verdict::Test;
use crate::{explore, multiprocessor, overload, pfair, tardiness, uniprocessor};

/// All tests that [`crate::analyze`] runs where they apply.
pub static TESTS: &[&Test] = &[
    &overload::HARD,
    &overload::SOFT,
    &multiprocessor::one_each::TEST,
    &uniprocessor::edf_utilization::TEST,
    &uniprocessor::qpa::TEST,
    &uniprocessor::edf_response_time::TEST,
    &uniprocessor::nonpreemptive_edf::DEMAND,
    &uniprocessor::nonpreemptive_edf::RESPONSE_TIME,
    &uniprocessor::liu_layland::TEST,
    &uniprocessor::hyperbolic::TEST,
    &uniprocessor::response_time::TEST,
    &uniprocessor::suspension_aware::TEST,
    &uniprocessor::nonpreemptive_fp::TEST,
    &multiprocessor::gfb::TEST,
    &multiprocessor::baker::TEST,
    &multiprocessor::bcl::TEST,
    &multiprocessor::bcl_iterative::TEST,
    &multiprocessor::bertogna_cirinei_edf::TEST,
    &multiprocessor::baruah::TEST,
    &multiprocessor::liu_anderson::TEST,
    &multiprocessor::ff_dbf::TEST,
    &multiprocessor::load::TEST,
    &multiprocessor::bertogna_cirinei_fp::NO_SLACK,
    &multiprocessor::bertogna_cirinei_fp::TEST,
    &multiprocessor::guan::TEST,
    &tardiness::devi_anderson::TEST,
    &tardiness::nonpreemptive::TEST,
    &tardiness::gel::TEST,
    &explore::UNIPROCESSOR,
    &explore::GLOBAL,
    &pfair::feasibility::TEST,
    &pfair::lateness::TEST,
];

/// Tests that others are measured against; slow, run only by name.
pub static YARDSTICKS: &[&Test] = &[&uniprocessor::demand_criterion::TEST];

/// Questions to several tests at once, for batches; asked only by name.
pub static COMBINATIONS: &[&Test] = &[&multiprocessor::combined::TEST];

/// The test of this name.
pub fn find(name: &str) -> Option<&'static Test> {
    TESTS.iter().chain(YARDSTICKS).chain(COMBINATIONS).copied().find(|test| test.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!(std::ptr::eq(find(test.name).unwrap(), **test));
        }
        assert!(find("nothing").is_none());
    }
}
