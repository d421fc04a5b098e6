//! What the processors of a scheduler that decides by itself count: `struct tally` of `src/bpf/cluster.h`.

use crate::mapped::Mapped;
use crate::{KernelTally, LoadRefusal, MOST_PROCESSORS};
use std::os::fd::BorrowedFd;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// What a processor decided.
#[derive(Debug)]
#[repr(C)]
struct TallyWords {
    lost: AtomicU64,
    kicks: AtomicU64,
    needless: AtomicU64,
    repeated: AtomicU64,
    alarms: AtomicU64,
}

impl TallyWords {
    /// The numbers so far.
    fn read(&self) -> KernelTally {
        KernelTally {
            lost: self.lost.load(Relaxed),
            kicks: self.kicks.load(Relaxed),
            needless: self.needless.load(Relaxed),
            repeated: self.repeated.load(Relaxed),
            alarms: self.alarms.load(Relaxed),
        }
    }
}

/// The numbers of all processors, in memory that the kernel writes.
#[derive(Debug)]
pub(crate) struct Tallies(Mapped<TallyWords>);

impl Tallies {
    pub(crate) fn new(map: BorrowedFd<'_>) -> Result<Self, LoadRefusal> {
        Mapped::new(map, MOST_PROCESSORS as usize).map(Tallies)
    }

    /// What `processor` decided.
    pub(crate) fn of(&self, processor: u32) -> KernelTally {
        self.0.get()[processor as usize].read()
    }

    /// Number of records that found no room in the ring, of all processors.
    pub(crate) fn lost(&self) -> u64 {
        self.0.get().iter().map(|tally| tally.lost.load(Relaxed)).sum()
    }
}
