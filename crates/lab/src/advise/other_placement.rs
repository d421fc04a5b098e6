//! Another placement that proves what the scenario's own does not, under the same scheduler.

use super::candidates::packings;
use super::place::Assigned;
use crate::advise::sensitivity::is_proved;
use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use schedlab_analysis::exact::{compare_sum, Pair};
use schedlab_scenario::Scenario;

/// Returns the first of a short list of placements with which all deadlines are proved to be met, in the words of
/// `--placement`. Places that were judged before are not judged again. Returns `None` at once if the tasks' utilization
/// exceeds the processors.
pub fn other_placement(scenario: &Scenario, catalog: &Catalog) -> Option<&'static str> {
    let shares: Vec<Pair> =
        scenario.tasks.iter().map(|task| (task.wcet.as_ns(), task.period.as_ns())).collect();
    if compare_sum(&shares, scenario.platform.processors.into()).is_gt() {
        return None;
    }
    let scheduler = catalog.scheduler_of(scenario).ok()?;
    let mut known: Vec<Vec<Assigned>> = Vec::new();
    known.extend(Prepared::of(scenario, catalog).ok().map(|own| Assigned::of_tasks(&own)));
    packings(scenario, &scheduler).find(|words| {
        let placed = scenario.clone().with_placement(words).ok();
        let Some(prepared) = placed.and_then(|placed| Prepared::of(&placed, catalog).ok()) else {
            return false;
        };
        let places = Assigned::of_tasks(&prepared);
        let is_new = !known.contains(&places);
        known.push(places);
        is_new && is_proved(&prepared)
    })
}
