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
    let count = |value: &Value<'_, '_>| Some(value.integer(1..=u64::from(MOST_PROCESSORS))? as u16);
    table.set("processors", &mut platform.processors, count);
    table.set("cluster_size", &mut platform.clusters, |value| count(value).map(Clusters::OfSize));
    if let Some(value) = table.get("clusters") {
        if table.get("cluster_size").is_some() {
            value.refuse("stands beside cluster_size", "one of clusters and cluster_size");
        } else if let Some(lists) = cluster_lists(&value) {
            platform.clusters = Clusters::Listed(lists);
        }
    }
    table.set("quantum", &mut platform.quantum, positive);
    table.set("alignment", &mut platform.alignment, |value| value.choice("alignment", ALIGNMENTS));
    table.set("releases", &mut platform.releases, |value| value.choice("point of release", RELEASES));
    table.set("caches", &mut platform.caches, caches);
    if let Some(memory) = table.get("memory").and_then(|value| value.table(&[&field::MEMORY], "a table")) {
        memory::read(&memory, &mut platform.memory);
    }
}

fn cluster_lists(value: &Value<'_, '_>) -> Option<Vec<Vec<u16>>> {
    let allowed = "lists of processors, such as [[0, 1], [2, 3]]";
    let cpu = |cpu: &Value<'_, '_>| Some(cpu.integer(0..=u64::from(MOST_PROCESSORS) - 1)? as u16);
    let list = |list: &Value<'_, '_>| list.items(allowed)?.iter().map(cpu).collect();
    value.items(allowed)?.iter().map(list).collect()
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
    if let Some(name) = table.needed("name", "a scheduler's name", |v| scheduler_name(v, allowed)) {
        scheduler.name = name;
    }
    table.set("urgent_priority", &mut scheduler.urgent_priority, |v| v.choice("urgent priority", URGENT));
    table.set("priorities", &mut scheduler.priorities, |v| v.choice("rule for priorities", &priorities()));
    table.set("affinity", &mut scheduler.affinity, affinity);
    table.set("weights", &mut scheduler.weights, |v| v.choice("rule for weights", WEIGHTS));
    let placement = table.get("placement").and_then(|v| v.table(&[&field::PLACEMENT], "a table"));
    if let Some(placement) = placement {
        read_placement(&placement, &mut scheduler.placement);
    }
    let throttling = table.get("throttling").and_then(|v| v.table(&[&field::THROTTLING], "a table"));
    scheduler.throttling = throttling.map(|table| read_throttling(&table));
}

fn read_throttling(table: &Table<'_, '_>) -> Throttling {
    let mut throttling = Throttling::default();
    table.set("runtime", &mut throttling.runtime, positive);
    table.set("period", &mut throttling.period, positive);
    throttling
}

fn affinity(value: &Value<'_, '_>) -> Option<Affinity> {
    let names = || Affinity::ALL.iter().map(|affinity| affinity.name());
    let text = value.text(&names().collect::<Vec<_>>().join(", "))?;
    text.parse().ok().or_else(|| value.reported(Problem::unknown_name("affinity", text, names())))
}

fn read_placement(table: &Table<'_, '_>, placement: &mut Placement) {
    table.set("fit", &mut placement.fit, |v| v.choice("fit", FITS).map(Some));
    table.set("by_processor", &mut placement.by_processor, |v| v.boolean());
    table.set("weight", &mut placement.weight, |v| v.choice("weight", PLACEMENT_WEIGHTS));
    table.set("together", &mut placement.together, |v| v.boolean());
    table.set("test", &mut placement.test, |v| Some(Some(v.word("test of one processor", PLACEMENT_TESTS)?)));
    table.set("split", &mut placement.split, |v| v.choice("way to split tasks", SPLITS));
    table.set("order", &mut placement.order, |v| v.choice("order of placement", ORDERS));
    table.set("bound", &mut placement.bound, |v| v.parsed_number(quantity::FRACTION, quantity::fraction));
    table.set("overflow", &mut placement.overflow, |v| v.choice("overflow", OVERFLOWS));
}

/// The canonical name of a locking protocol.
pub(super) fn protocol(value: &Value<'_, '_>) -> Option<String> {
    let names: Vec<&str> = ALL_PROTOCOLS.iter().map(|protocol| protocol.name).collect();
    let text = value.text(&names.join(", "))?;
    let found = find_protocol(text).ok().map(|protocol| protocol.name.to_owned());
    found.or_else(|| value.reported(unknown_protocol(text)))
}
