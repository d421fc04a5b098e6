//! Caches and bus of a machine.

use schedlab_membus::{Bus, Shape, Slots};

/// A private cache for each processor, and one bus: `[platform.memory]`.
///
/// The default is the caches and bus of staggered-pfair-2005, with the parameters that [`Slots::OF_2005`] adds to the
/// paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySpec {
    /// Cycles of a microsecond.
    pub clock_mhz: u32,
    /// Shape of each cache.
    pub cache: Shape,
    /// The bus.
    pub bus: Bus,
    /// Cycles of computing between two accesses.
    pub gap: u64,
}

impl Default for MemorySpec {
    fn default() -> Self {
        let Slots { cache, bus, gap, .. } = Slots::OF_2005;
        MemorySpec { clock_mhz: 200, cache, bus, gap }
    }
}
