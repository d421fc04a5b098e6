//! Memory that the run shares with the scheduler by quanta: `src/bpf/quantum.h` has the same layout.

use crate::mapped::Mapped;
use crate::tallies::Tallies;
use crate::{LoadRefusal, QuantumSettings, QuantumShare, MOST_PROCESSORS, MOST_TASKS};
use std::os::fd::BorrowedFd;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// What the kernel knows of a task.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ShareWords {
    quanta: AtomicU64,
    slots: AtomicU64,
    budget: AtomicU64,
    early: AtomicU64,
}

impl ShareWords {
    /// Writes a share, before the kernel knows a thread of the task.
    pub(crate) fn write(&self, share: &QuantumShare) {
        assert!(
            0 < share.quanta && share.quanta <= share.slots && share.slots <= QuantumShare::MOST_SLOTS,
            "{share:?}"
        );
        self.quanta.store(share.quanta, Relaxed);
        self.slots.store(share.slots, Relaxed);
        // No time at all is not a limit that the kernel knows.
        self.budget.store(share.budget.map_or(0, |budget| budget.max(1)), Relaxed);
        self.early.store(share.early.into(), Relaxed);
    }
}

/// What a thread and the kernel say to each other. Jobs of even and of odd numbers take turns.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ArrivalWords {
    /// By the run's clock in ns.
    pub(crate) arrival: [AtomicU64; 2],
    /// The job does not begin before this, by the run's clock in ns.
    pub(crate) release: [AtomicU64; 2],
    /// Number of the job that the thread wants next, from 1 on.
    pub(crate) job: AtomicU32,
    /// Written by the kernel: number of the job that has begun.
    pub(crate) admitted: AtomicU32,
    /// Set by the kernel once the thread is no task's any more.
    pub(crate) strayed: AtomicU32,
    /// Number of the job that the thread has seen to have begun: from then on, its sleep is the job's.
    pub(crate) taken: AtomicU32,
}

/// How late a processor was.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct LatenessWords {
    pub(crate) missed: AtomicU64,
    pub(crate) moved_back: AtomicU64,
    pub(crate) moved_on: AtomicU64,
    pub(crate) longest_move: AtomicU64,
    pub(crate) longest_stop: AtomicU64,
}

/// All memory that is shared with the scheduler by quanta.
#[derive(Debug)]
pub(crate) struct QuantumMemory {
    pub(crate) shares: Mapped<ShareWords>,
    pub(crate) arrivals: Mapped<ArrivalWords>,
    pub(crate) lateness: Mapped<LatenessWords>,
    pub(crate) tallies: Tallies,
    /// The run's time zero, by the monotonic clock in ns.
    pub(crate) origin: Mapped<AtomicU64>,
}

impl QuantumMemory {
    /// Maps the arrays of the scheduler, which `map` finds by name.
    pub(crate) fn new<'a>(map: impl Fn(&str) -> BorrowedFd<'a>) -> Result<Self, LoadRefusal> {
        let (processors, indices) = (MOST_PROCESSORS as usize, MOST_TASKS as usize + 1);
        Ok(QuantumMemory {
            shares: Mapped::new(map("shares"), indices)?,
            arrivals: Mapped::new(map("arrivals"), indices)?,
            lateness: Mapped::new(map("lateness"), processors)?,
            tallies: Tallies::new(map("tallies"))?,
            origin: Mapped::new(map("origins"), 1)?,
        })
    }
}

/// The settings as `struct quanta` has them.
pub(crate) fn quanta_bytes(settings: &QuantumSettings) -> Vec<u8> {
    let count = MOST_PROCESSORS as usize;
    assert!((1_000..1 << 50).contains(&settings.quantum), "a quantum of {} ns", settings.quantum);
    assert!((1..=count).contains(&settings.processors.len()), "{:?}", settings.processors);
    assert!(settings.tasks <= MOST_TASKS, "{} tasks", settings.tasks);
    let (mut numbers, mut places) = (vec![0_u8; count], vec![0_u8; count]);
    for (place, processor) in settings.processors.iter().enumerate() {
        numbers[place] = *processor as u8;
        places[*processor as usize] = place as u8 + 1;
    }
    let words = [
        settings.processors.len() as u32,
        settings.tasks + 1,
        settings.staggered.into(),
        settings.keeps.into(),
    ];
    let grid = settings.quantum.to_ne_bytes().into_iter().chain(words.into_iter().flat_map(u32::to_ne_bytes));
    grid.chain(numbers).chain(places).collect()
}
