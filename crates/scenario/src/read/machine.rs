//! Reads the platform and the scheduler.

use super::memory;
use crate::document::{positive, scheduler_name, Table, Value};
use crate::error::Problem;
use crate::field;
use crate::overheads::caches;
use crate::quantity;
use crate::quantity::MOST_PROCESSORS;
use crate::scenario::{Clusters, Placement, PlatformSpec, SchedulerSpec};
use crate::unknown::unknown_protocol;
use crate::words::{
    priorities, ALIGNMENTS, FITS, ORDERS, OVERFLOWS, PLACEMENT_TESTS, PLACEMENT_WEIGHTS, RELEASES, SPLITS,
    URGENT, WEIGHTS,
};
use schedlab_lock::{find_protocol, ALL_PROTOCOLS};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::Throttling;

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
    if let Some(caches) = table.get("caches").and_then(|value| caches(&value)) {
        platform.caches = caches;
    }
    if let Some(memory) = table.get("memory").and_then(|value| value.table(&[&field::MEMORY], "a table")) {
        memory::read(&memory, &mut platform.memory);
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
    if let Some(rule) = table.get("priorities").and_then(|v| v.choice("rule for priorities", &priorities())) {
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
    let throttling = table.get("throttling").and_then(|v| v.table(&[&field::THROTTLING], "a table"));
    scheduler.throttling = throttling.map(|table| read_throttling(&table));
}

fn read_throttling(table: &Table<'_, '_>) -> Throttling {
    let length = |name| table.get(name).and_then(|value| positive(&value));
    let Throttling { runtime, period } = Throttling::default();
    Throttling { runtime: length("runtime").unwrap_or(runtime), period: length("period").unwrap_or(period) }
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
    if let Some(test) = table.get("test").and_then(|v| v.word("test of one processor", PLACEMENT_TESTS)) {
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
