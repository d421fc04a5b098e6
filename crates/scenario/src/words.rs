//! The words that scenario files have for choices.

use crate::scenario::{
    ComponentOrder, Fit, Overflow, PlacementOrder, PlacementWeight, Priorities, Split, UrgentPriority,
    Weights,
};
use schedlab_lock::Length;
use schedlab_membus::Arbitration;
use schedlab_model::{Alignment, ReleasePoint};

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
pub(crate) const PRIORITIES: &[(&str, Priorities)] = &[
    ("given", Priorities::Given),
    ("RM", Priorities::ByRule("RM")),
    ("DM", Priorities::ByRule("DM")),
    ("TkC", Priorities::ByRule("TkC")),
    ("DkC", Priorities::ByRule("DkC")),
    ("RM-US", Priorities::ByRule("RM-US")),
    ("DM-US", Priorities::ByRule("DM-US")),
    ("Audsley", Priorities::Audsley),
];
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
    ("decreasing_utilization", PlacementOrder::DecreasingUtilization),
    ("decreasing_density", PlacementOrder::DecreasingDensity),
    ("rising_deadline", PlacementOrder::RisingDeadline),
    ("given", PlacementOrder::Given),
];
pub(crate) const OVERFLOWS: &[(&str, Overflow)] =
    &[("refuse", Overflow::Refuse), ("least_loaded", Overflow::LeastLoaded)];
