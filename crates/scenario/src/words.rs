//! The words that scenario files have for choices.

use crate::scenario::{
    Arrival, ComponentOrder, CostModel, DeadlineRule, Priorities, Split, UrgentPriority, Weights,
};
use schedlab_analysis::priority::ALL as RULES;
use schedlab_analysis::uniprocessor::{
    edf_utilization, hyperbolic, liu_layland, nonpreemptive_edf, nonpreemptive_fp, qpa, response_time,
};
use schedlab_lock::Length;
use schedlab_membus::Arbitration;
use schedlab_model::{Alignment, Duration, Overrun, ReleasePoint};
use schedlab_policy::{DM, EDF, RM};
use schedlab_workload::placement::{Fit, Overflow, PlacementOrder, PlacementWeight};
use std::iter;

/// Which relative deadlines are allowed.
pub(crate) const DEADLINE_RULES: &[(&str, DeadlineRule)] = &[
    ("arbitrary", DeadlineRule::Arbitrary),
    ("constrained", DeadlineRule::Constrained),
    ("implicit", DeadlineRule::Implicit),
];
/// What happens in a real run to a job that exceeds its WCET.
pub(crate) const OVERRUNS: &[(&str, Overrun)] = &[
    ("ignore", Overrun::Ignore),
    ("warn", Overrun::Warn),
    ("cut", Overrun::Cut),
    ("best-effort", Overrun::BestEffort),
];
type MakeArrival = fn(Duration) -> Arrival;
type MakeCosts = fn() -> CostModel;
/// When jobs arrive, where no table says more; the other sporadic arrival has a period of this length.
pub(crate) const ARRIVALS: &[(&str, MakeArrival)] = &[
    ("periodic", |_| Arrival::Periodic),
    ("sporadic", |period| Arrival::Sporadic { delay: period, like: None }),
];
/// What jobs cost, where no table says more.
pub(crate) const COSTS: &[(&str, MakeCosts)] = &[("wcet", || CostModel::Wcet)];
pub(crate) const LENGTHS: &[(&str, Length)] = &[("short", Length::Short), ("long", Length::Long)];
/// What the order of components is called.
pub(crate) const COMPONENT_ORDERS: &[(&str, ComponentOrder)] =
    &[(EDF.name, ComponentOrder::Edf), (RM.name, ComponentOrder::Rm), (DM.name, ComponentOrder::Dm)];
pub(crate) const ARBITRATIONS: &[(&str, Arbitration)] =
    &[("fifo", Arbitration::Fifo), ("round-robin", Arbitration::RoundRobin)];
pub(crate) const ALIGNMENTS: &[(&str, Alignment)] =
    &[("aligned", Alignment::Aligned), ("staggered", Alignment::Staggered)];
pub(crate) const RELEASES: &[(&str, ReleasePoint)] =
    &[("timer", ReleasePoint::Timer), ("tick", ReleasePoint::Tick)];
pub(crate) const URGENT: &[(&str, UrgentPriority)] =
    &[("smallest", UrgentPriority::Smallest), ("largest", UrgentPriority::Largest)];
pub(crate) const WEIGHTS: &[(&str, Weights)] =
    &[("plain", Weights::Plain), ("guaranteed", Weights::Guaranteed)];
/// Who says how urgent tasks are: the tasks, a rule, or Audsley's algorithm.
pub(crate) fn priorities() -> Vec<(&'static str, Priorities)> {
    let rules = RULES.iter().map(|rule| (rule.name, Priorities::ByRule(rule.name)));
    let given = ("given", Priorities::Given);
    iter::once(given).chain(rules).chain([("Audsley", Priorities::Audsley)]).collect()
}
/// What fixed priorities may follow, as a scenario's file says it.
pub fn priority_rules() -> Vec<&'static str> {
    priorities().into_iter().map(|(name, _)| name).collect()
}
/// The same but for what the tasks say themselves: what computes priorities.
pub fn computed_priorities() -> Vec<&'static str> {
    let computed = priorities().into_iter().filter(|(_, by)| *by != Priorities::Given);
    computed.map(|(name, _)| name).collect()
}
/// The words of which a placement is made in one line, such as `--placement`.
pub fn placement_words() -> Vec<String> {
    let names = |word: &'static str| word.to_owned();
    FITS.iter()
        .map(|(fit, _)| format!("[density:]{fit}_fit[_decreasing|_by_deadline]"))
        .chain(OVERFLOWS.iter().map(|(word, _)| names(word)))
        .chain(["together", "bound=SHARE"].map(names))
        .chain(SPLITS.iter().map(|(word, _)| names(word)))
        .chain(PLACEMENT_TESTS.iter().map(|word| names(word)))
        .collect()
}
pub(crate) const FITS: &[(&str, Fit)] = &[
    ("first", Fit::First),
    ("next", Fit::Next),
    ("best", Fit::Best),
    ("worst", Fit::Worst),
    ("almost_worst", Fit::AlmostWorst),
];
pub(crate) const PLACEMENT_WEIGHTS: &[(&str, PlacementWeight)] =
    &[("utilization", PlacementWeight::Utilization), ("density", PlacementWeight::Density)];
pub(crate) const SPLITS: &[(&str, Split)] =
    &[("none", Split::None), ("C=D", Split::CEqualsD), ("EDF-WM", Split::EdfWm)];
/// Tests of one processor that say at each step of a placement whether a task may go there.
pub(crate) const PLACEMENT_TESTS: &[&str] = &[
    liu_layland::TEST.name,
    hyperbolic::TEST.name,
    response_time::TEST.name,
    edf_utilization::TEST.name,
    qpa::TEST.name,
    nonpreemptive_fp::TEST.name,
    nonpreemptive_edf::DEMAND.name,
];
pub(crate) const ORDERS: &[(&str, PlacementOrder)] = &[
    ("decreasing_utilization", PlacementOrder::Decreasing(PlacementWeight::Utilization)),
    ("decreasing_density", PlacementOrder::Decreasing(PlacementWeight::Density)),
    ("rising_deadline", PlacementOrder::RisingDeadline),
    ("given", PlacementOrder::Given),
];
pub(crate) const OVERFLOWS: &[(&str, Overflow)] =
    &[("refuse", Overflow::Misfit), ("least_loaded", Overflow::LeastLoaded)];
