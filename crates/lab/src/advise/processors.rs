//! How many processors a scenario needs (RNP: litmus-rt-2006, section 4.2).

use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use schedlab_scenario::Scenario;
use std::ops::RangeInclusive;

/// The least number of processors, of these, on which `accepts` accepts the scenario. Tests need not stay satisfied with
/// more processors, so each number is asked in turn.
pub fn required_processors(
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
