//! Advice for stock Linux: what is ranked as schedulable is proved, simulates without misses, and can be deployed.

use schedlab_lab::advise::linux::{LinuxAdvice, LinuxPlan};
use schedlab_lab::Catalog;
use schedlab_scenario::Scenario;

fn advise(scenario: &Scenario) -> (LinuxPlan, LinuxAdvice) {
    let plan = LinuxPlan::of(scenario, &Catalog::shipped());
    let judged = (0..plan.ways()).map(|index| plan.judge(index)).collect();
    let advice = plan.conclude(judged);
    (plan, advice)
}

#[test]
fn look() {
    let text = std::fs::read_to_string("/tmp/lx/a.toml").unwrap();
    let (_, advice) = advise(&Scenario::parse("a.toml", &text).unwrap());
    for way in &advice.ways {
        println!("{} {} {:?} {:?} own={} {} {} {:?} {:?} {}", way.rank, way.scheduler, way.placement, way.priorities, way.is_own, way.proved, way.margin, way.unheeded, way.mutexes.iter().map(|one| one.protocol).collect::<Vec<_>>(), way.reason);
    }
    println!("{:#?}", advice.ways[0]);
    println!("{}", advice.scenario.unwrap_or_default());
}
