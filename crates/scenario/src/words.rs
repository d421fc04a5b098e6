//! The words that scenario files have for choices.

use crate::scenario::{ComponentOrder, Priorities, Split, UrgentPriority, Weights};
use schedlab_analysis::priority::ALL as RULES;
use schedlab_lock::Length;
use schedlab_membus::Arbitration;
use schedlab_model::{Alignment, ReleasePoint};
use schedlab_workload::placement::{Fit, Overflow, PlacementOrder, PlacementWeight};
use std::iter;

pub(crate) const LENGTHS: &[(&str, Length)] = &[("short", Length::Short), ("long", Length::Long)];
/// What the order of components is called.
pub(crate) const COMPONENT_ORDERS: &[(&str, ComponentOrder)] =
    &[("EDF", ComponentOrder::Edf), ("RM", ComponentOrder::Rm), ("DM", ComponentOrder::Dm)];
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
/// The words of which a placement is made in one line, such as `--placement`.
pub fn placement_words() -> Vec<String> {
    let names = |word: &'static str| word.to_owned();
    FITS.iter()
        .map(|(fit, _)| format!("[density:]{fit}_fit[_decreasing|_by_deadline]"))
        .chain(OVERFLOWS.iter().map(|(word, _)| names(word)))
        .chain(["together", "bound=SHARE"].map(names))
        .chain(SPLITS.iter().map(|(word, _)| names(word)))
        .chain(PLACEMENT_TESTS.iter().map(|(word, _)| names(word)))
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
pub(crate) const PLACEMENT_TESTS: &[(&str, &str)] = &[
    ("liu_layland", "liu_layland"),
    ("hyperbolic", "hyperbolic"),
    ("response_time", "response_time"),
    ("edf_utilization", "edf_utilization"),
    ("qpa", "qpa"),
    ("np_response_time", "np_response_time"),
    ("np_edf_demand", "np_edf_demand"),
];
pub(crate) const ORDERS: &[(&str, PlacementOrder)] = &[
    ("decreasing_utilization", PlacementOrder::Decreasing(PlacementWeight::Utilization)),
    ("decreasing_density", PlacementOrder::Decreasing(PlacementWeight::Density)),
    ("rising_deadline", PlacementOrder::RisingDeadline),
    ("given", PlacementOrder::Given),
];
pub(crate) const OVERFLOWS: &[(&str, Overflow)] =
    &[("refuse", Overflow::Misfit), ("least_loaded", Overflow::LeastLoaded)];
