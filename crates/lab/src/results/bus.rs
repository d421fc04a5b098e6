//! Caches on a bus: the experiment of staggered-pfair-2005, with any of its numbers changed.

use schedlab_membus::{Arbitration, Bus, Shape, Slots};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Processors that execute slots, each with a cache, on one bus. Durations are cycles.
// A field that is not given is as in `Slots::OF_2005`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BusMachine {
    processors: usize,
    staggered: bool,
    /// Length of a slot.
    pub quantum_cycles: u64,
    cache_bytes: u64,
    line_bytes: u64,
    ways: u64,
    read_miss: u64,
    write_miss: u64,
    upgrade: u64,
    /// Additional cycles for each dirty line that goes to memory first.
    write_back: u64,
    /// True if processors take turns; else the oldest request is served first.
    round_robin: bool,
    /// Number of cells of each array.
    cells: u64,
    cell_bytes: u64,
    /// Seed of the order of writes; None if arrays are written cell after cell.
    random_seed: Option<u64>,
    /// Cycles between two accesses.
    gap: u64,
}

impl Default for BusMachine {
    fn default() -> Self {
        let Slots { processors, slots: _, cycles, is_staggered, cache, bus, cells, cell_bytes, random, gap } =
            Slots::OF_2005;
        BusMachine {
            processors,
            staggered: is_staggered,
            quantum_cycles: cycles,
            cache_bytes: cache.bytes,
            line_bytes: cache.line_bytes,
            ways: cache.ways,
            read_miss: bus.read_miss,
            write_miss: bus.write_miss,
            upgrade: bus.upgrade,
            write_back: bus.write_back,
            round_robin: bus.arbitration == Arbitration::RoundRobin,
            cells,
            cell_bytes,
            random_seed: random,
            gap,
        }
    }
}

impl BusMachine {
    /// Returns the experiment of `slots` slots on this machine.
    pub fn slots(&self, slots: usize) -> Slots {
        let arbitration = if self.round_robin { Arbitration::RoundRobin } else { Arbitration::Fifo };
        Slots {
            processors: self.processors,
            slots,
            cycles: self.quantum_cycles,
            is_staggered: self.staggered,
            cache: Shape { bytes: self.cache_bytes, line_bytes: self.line_bytes, ways: self.ways },
            bus: Bus {
                read_miss: self.read_miss,
                write_miss: self.write_miss,
                upgrade: self.upgrade,
                write_back: self.write_back,
                arbitration,
            },
            cells: self.cells,
            cell_bytes: self.cell_bytes,
            random: self.random_seed,
            gap: self.gap,
        }
    }
}

/// Counts of the machine's caches and bus: by processor, and by part of a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct BusSeen {
    pub machine: BusMachine,
    /// Cycles in which the processor's own request waited.
    pub lost_cycles: Vec<u64>,
    /// Cycles in which the processor's own request was served.
    pub served_cycles: Vec<u64>,
    pub requests: Vec<u64>,
    pub accesses: Vec<u64>,
    pub part_cycles: u64,
    /// Requests that were pending, summed over the part's cycles.
    pub pending_sum: Vec<u64>,
    /// Requests that were pending in the part's worst cycle.
    pub pending_max: Vec<u32>,
}
