//! Reads the platform and the scheduler.

use super::scenario::positive;
use super::table::Table;
use super::value::Value;
use crate::error::Problem;
use crate::field;
use crate::quantity;
use crate::scenario::{
    Clusters, Fit, Overflow, Placement, PlacementOrder, PlacementWeight, PlatformSpec, Priorities,
    SchedulerSpec, Split, UrgentPriority, Weights,
};
use schedlab_lock::{find_protocol, ALL_PROTOCOLS};
use schedlab_model::{Alignment, ReleasePoint};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{all_schedulers, Make, ALL_ORDERS};

/// The largest number of processors.
pub(crate) const MOST_PROCESSORS: u16 = 4096;

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

/// Reads `[platform]` over the defaults.
pub(super) fn platform(table: &Table<'_, '_>, platform: &mut PlatformSpec) {
    let count = |name| table.get(name).and_then(|value| value.integer(1..=u64::from(MOST_PROCESSORS)));
    if let Some(processors) = count("processors") {
        platform.processors = processors as u16;
    }
    if let Some(size) = count("cluster_size") {
        platform.clusters = Clusters::OfSize(size as u16);
    }
    if let Some(value) = table.get("clusters") {
        if table.get("cluster_size").is_some() {
            value.refuse("stands beside cluster_size", "one of clusters and cluster_size");
        } else if let Some(lists) = cluster_lists(&value) {
            platform.clusters = Clusters::Listed(lists);
        }
    }
    if let Some(quantum) = table.get("quantum").and_then(|value| positive(&value)) {
        platform.quantum = quantum;
    }
    if let Some(alignment) = table.get("alignment").and_then(|v| v.choice("alignment", ALIGNMENTS)) {
        platform.alignment = alignment;
    }
    if let Some(releases) = table.get("releases").and_then(|v| v.choice("point of release", RELEASES)) {
        platform.releases = releases;
    }
}

fn cluster_lists(value: &Value<'_, '_>) -> Option<Vec<Vec<u16>>> {
    let allowed = "lists of processors, such as [[0, 1], [2, 3]]";
    value
        .items(allowed)?
        .iter()
        .map(|list| {
            let cpus = list.items(allowed)?;
            let cpus: Option<Vec<u16>> = cpus
                .iter()
                .map(|cpu| cpu.integer(0..=u64::from(MOST_PROCESSORS) - 1).map(|n| n as u16))
                .collect();
            cpus
        })
        .collect()
}

/// Reads `scheduler`, a name or a table, over the defaults.
pub(super) fn scheduler(root: &Table<'_, '_>, scheduler: &mut SchedulerSpec) {
    let Some(value) = root.get("scheduler") else { return };
    let allowed = "a scheduler's name, or a table with its name";
    if !value.is_table() {
        if let Some(name) = scheduler_name(&value, allowed) {
            scheduler.name = name;
        }
        return;
    }
    let Some(table) = value.table(&[&field::SCHEDULER], allowed) else { return };
    if let Some(name) = table.need("name", "a scheduler's name").and_then(|v| scheduler_name(&v, allowed)) {
        scheduler.name = name;
    }
    if let Some(urgent) = table.get("urgent_priority").and_then(|v| v.choice("urgent priority", URGENT)) {
        scheduler.urgent_priority = urgent;
    }
    if let Some(rule) = table.get("priorities").and_then(|v| v.choice("rule for priorities", PRIORITIES)) {
        scheduler.priorities = rule;
    }
    if let Some(affinity) = table.get("affinity").and_then(|value| affinity(&value)) {
        scheduler.affinity = affinity;
    }
    if let Some(weights) = table.get("weights").and_then(|v| v.choice("rule for weights", WEIGHTS)) {
        scheduler.weights = weights;
    }
    let placement = table.get("placement").and_then(|v| v.table(&[&field::PLACEMENT], "a table"));
    if let Some(placement) = placement {
        read_placement(&placement, &mut scheduler.placement);
    }
}

fn affinity(value: &Value<'_, '_>) -> Option<Affinity> {
    let names = || Affinity::ALL.iter().map(|affinity| affinity.name());
    let text = value.text(&names().collect::<Vec<_>>().join(", "))?;
    let found = text.parse().ok();
    if found.is_none() {
        value.report(Problem::unknown_name("affinity", text, names()));
    }
    found
}

fn read_placement(table: &Table<'_, '_>, placement: &mut Placement) {
    if let Some(fit) = table.get("fit").and_then(|v| v.choice("fit", FITS)) {
        placement.fit = fit;
    }
    if let Some(weight) = table.get("weight").and_then(|v| v.choice("weight", PLACEMENT_WEIGHTS)) {
        placement.weight = weight;
    }
    if let Some(together) = table.get("together").and_then(|v| v.boolean()) {
        placement.together = together;
    }
    if let Some(test) = table.get("test").and_then(|v| v.choice("test of one processor", PLACEMENT_TESTS)) {
        placement.test = Some(test);
    }
    if let Some(split) = table.get("split").and_then(|v| v.choice("way to split tasks", SPLITS)) {
        placement.split = split;
    }
    if let Some(order) = table.get("order").and_then(|v| v.choice("order of placement", ORDERS)) {
        placement.order = order;
    }
    let bound = table.get("bound");
    if let Some(bound) = bound.and_then(|v| v.parsed_number(quantity::FRACTION, quantity::fraction)) {
        placement.bound = bound;
    }
    if let Some(overflow) = table.get("overflow").and_then(|v| v.choice("overflow", OVERFLOWS)) {
        placement.overflow = overflow;
    }
}

/// The canonical form of a scheduler's name.
pub(super) fn scheduler_name(value: &Value<'_, '_>, allowed: &str) -> Option<String> {
    let text = value.text(allowed)?;
    match schedlab_policy::find(text) {
        Ok(scheduler) => Some(scheduler.name),
        Err(_) => {
            value.report(unknown_scheduler(text));
            None
        }
    }
}

/// No scheduler has this name.
pub(crate) fn unknown_scheduler(name: &str) -> Problem {
    let known = all_schedulers();
    let names = known.iter().map(|scheduler| scheduler.name.as_str());
    match Problem::unknown_name("scheduler", name, names) {
        Problem::UnknownName { what, value, user, meant, .. } => {
            let alone = known.iter().filter(|scheduler| matches!(scheduler.make, Make::Other(_)));
            let alone: Vec<&str> = alone.map(|scheduler| scheduler.name.as_str()).collect();
            let mut orders: Vec<&str> = ALL_ORDERS.iter().map(|order| order.name).collect();
            let last = orders.pop().unwrap_or_default();
            let allowed = format!(
                "P-, C- or G- (non-preemptive: NP-, NC- or NG-) and {} or {last}, such as NG-EDF; {}",
                orders.join(", "),
                alone.join(", ")
            );
            Problem::UnknownName { what, value, user, meant, allowed }
        }
        other => other,
    }
}

/// The canonical name of a locking protocol.
pub(super) fn protocol(value: &Value<'_, '_>) -> Option<String> {
    let names: Vec<&str> = ALL_PROTOCOLS.iter().map(|protocol| protocol.name).collect();
    let text = value.text(&names.join(", "))?;
    match find_protocol(text) {
        Ok(protocol) => Some(protocol.name.to_owned()),
        Err(_) => {
            value.report(unknown_protocol(text));
            None
        }
    }
}

/// No locking protocol has this name.
pub(crate) fn unknown_protocol(name: &str) -> Problem {
    Problem::unknown_name("locking protocol", name, ALL_PROTOCOLS.iter().map(|protocol| protocol.name))
}
