//! Processors that have to look at their links.

use schedlab_model::{BitSet, CpuId};

/// Numbers of looks that each processor has to take; the lowest processor takes the next one.
///
/// If looking costs nothing, a second look sees nothing new, and looks are not `COUNTED`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looks<const COUNTED: bool> {
    count: Vec<u16>,
    pending: BitSet,
}

impl<const COUNTED: bool> Looks<COUNTED> {
    /// Removes all looks, for another number of processors, in the same memory.
    pub(crate) fn renewed<const NOW_COUNTED: bool>(mut self, processors: usize) -> Looks<NOW_COUNTED> {
        self.count.clear();
        self.count.resize(processors, 0);
        self.pending.renew(processors);
        Looks { count: self.count, pending: self.pending }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    #[inline]
    pub(crate) fn insert(&mut self, cpu: CpuId) {
        if COUNTED {
            self.count[cpu.index()] += 1;
        }
        self.pending.insert(cpu.index());
    }

    /// Takes the next look, and returns its processor.
    #[inline]
    pub(crate) fn take_first(&mut self) -> Option<CpuId> {
        if !COUNTED {
            return self.pending.take_first().map(|cpu| CpuId(cpu as u16));
        }
        let cpu = self.pending.first()?;
        self.count[cpu] -= 1;
        if self.count[cpu] == 0 {
            self.pending.take_first();
        }
        Some(CpuId(cpu as u16))
    }
}
