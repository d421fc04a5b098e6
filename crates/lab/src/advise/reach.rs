//! Reach of proofs: in processors (RNP: litmus-rt-2006, section 4.2), and in costs.

use crate::advise::sensitivity::{breakdown_by, Factor};
use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use crate::verdict::proof::is_proved_by;
use schedlab_analysis::exact::{compare_sum, Pair};
use schedlab_scenario::Scenario;
use std::ops::RangeInclusive;

/// Returns the least number of processors, of `numbers`, on which `accepts` accepts the scenario. A test may fail with
/// more processors, so each number is asked in turn.
pub(crate) fn least_accepted(
    scenario: &Scenario,
    catalog: &Catalog,
    mut numbers: RangeInclusive<u16>,
    accepts: &dyn Fn(&Prepared) -> bool,
) -> Option<u16> {
    numbers.find(|processors| {
        let scenario = scenario.clone().with_processors(*processors).ok();
        let prepared = scenario.and_then(|scenario| Prepared::for_analysis(&scenario, catalog).ok());
        prepared.is_some_and(|prepared| accepts(&prepared))
    })
}

/// Returns the least number of processors, up to `most`, on which all deadlines are proved to be met by any test, or by
/// one of `tests`. Numbers below the utilization are not asked.
pub fn required_processors(
    scenario: &Scenario,
    catalog: &Catalog,
    most: u16,
    tests: Option<&[String]>,
) -> Option<u16> {
    let shares: Vec<Pair> =
        scenario.tasks.iter().map(|task| (task.wcet.as_ns(), task.period.as_ns())).collect();
    let least = (1..=most).find(|processors| compare_sum(&shares, (*processors).into()).is_le())?;
    least_accepted(scenario, catalog, least..=most, &|prepared| is_proved_by(prepared, tests))
}

/// Returns a factor of all costs with which deadlines are proved to be met by any test, or by one of `tests`, while
/// they are not with the next larger factor. Returns 0 if tasks with their given costs fit nowhere: smaller ones are
/// not placed.
pub fn breakdown(scenario: &Scenario, catalog: &Catalog, tests: Option<&[String]>) -> Factor {
    let prepared = Prepared::for_analysis(scenario, catalog);
    prepared.map_or(Factor(0), |prepared| breakdown_by(&prepared, &|prepared| is_proved_by(prepared, tests)))
}
