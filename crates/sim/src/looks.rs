//! Processors that have to look at their links.

use schedlab_model::CpuId;

/// How many looks each processor has to take: the lowest one takes the next.
#[derive(Clone, Debug)]
pub(crate) struct Looks {
    count: Vec<u16>,
    /// A bit for each processor that has some.
    pending: Vec<u64>,
}

impl Looks {
    /// None on so many processors.
    pub(crate) fn new(processors: usize) -> Self {
        Looks { count: vec![0; processors], pending: vec![0; processors.div_ceil(64)] }
    }

    #[inline]
    pub(crate) fn insert(&mut self, cpu: CpuId) {
        self.count[cpu.index()] += 1;
        self.pending[cpu.index() / 64] |= 1 << (cpu.index() % 64);
    }

    /// Who takes the next look.
    #[inline]
    pub(crate) fn take_first(&mut self) -> Option<CpuId> {
        for (at, word) in self.pending.iter_mut().enumerate() {
            if *word != 0 {
                let cpu = 64 * at + word.trailing_zeros() as usize;
                self.count[cpu] -= 1;
                if self.count[cpu] == 0 {
                    *word &= *word - 1;
                }
                return Some(CpuId(cpu as u16));
            }
        }
        None
    }
}
