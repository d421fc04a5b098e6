//! Advice on a scenario, whose candidates are judged on several threads.

use crate::each::{find_all, Control, Failure};
use schedlab_lab::advise::linux::{LinuxAdvice, LinuxPlan};
use schedlab_lab::advise::{Advice, Plan};
use schedlab_lab::Catalog;
use schedlab_scenario::Scenario;

/// Tries everything in `catalog` that applies to `scenario`; the result does not depend on `threads`.
pub fn advise(
    scenario: &Scenario,
    catalog: &Catalog,
    threads: usize,
    control: &Control,
) -> Result<Advice, Failure<()>> {
    let plan = Plan::of(scenario, catalog);
    let outlines = find_all(plan.ways(), threads, control, |(), index| plan.outline(index))?;
    let alike = plan.alike(outlines);
    let ways = find_all(alike.len(), threads, control, |(), index| Some(plan.judge(&alike[index])))?.concat();
    let searches = plan.searches(&ways);
    let mixed = find_all(searches.len(), threads, control, |(), one| Some(plan.mix(one, &searches[one])))?;
    let probes = plan.probes();
    let changes = find_all(probes.len(), threads, control, |(), index| plan.probe(probes[index]))?;
    Ok(plan.conclude(ways, mixed, changes))
}

/// Tries every way of stock Linux for `scenario`; the result does not depend on `threads`.
pub fn advise_linux(
    scenario: &Scenario,
    catalog: &Catalog,
    threads: usize,
    control: &Control,
) -> Result<LinuxAdvice, Failure<()>> {
    let plan = LinuxPlan::of(scenario, catalog);
    let ways = find_all(plan.ways(), threads, control, |(), index| Some(plan.judge(index)))?;
    Ok(plan.conclude(ways))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_whatever_the_number_of_threads() {
        let text = "schedlab = 1\nscheduler = \"P-EDF\"\nplatform = { processors = 2 }\n\
            task = [{ name = \"a\", wcet = \"6 ms\", period = \"10 ms\" }, { name = \"b\", wcet = \"6 ms\", period = \"10 ms\" }, \
            { name = \"c\", wcet = \"6 ms\", period = \"10 ms\" }]\n";
        let scenario = Scenario::parse("test", text).unwrap();
        let shipped = Catalog::shipped();
        let found = |threads| advise(&scenario, &shipped, threads, &Control::default()).unwrap();
        assert_eq!(found(3), found(1));
        let control = Control::default();
        control.stop();
        assert_eq!(advise(&scenario, &shipped, 2, &control), Err(Failure::Stopped));
    }
}
