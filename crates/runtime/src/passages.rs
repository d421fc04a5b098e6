//! When a thread began to execute and when it was stopped: written by the thread alone, its signal handler included.

use crate::sys;
use schedlab_model::CpuId;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// What happened to a thread at its gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It began to execute on this processor after it had waited.
    Passed(CpuId),
    /// It executed and was stopped.
    Stopped,
}

/// One passage in two words: the time, then the job's number and the processor.
type Entry = [AtomicU64; 2];

/// Stands for "stopped" where a processor's number would.
const STOPPED: u64 = 0xffff_ffff;

/// A list of passages with a bound; what does not fit is counted.
///
/// Only its thread writes. The handler writes too, but never while the thread does: the thread writes inside our code only,
/// where the handler does nothing.
#[derive(Debug)]
pub struct Passages {
    entries: Box<[Entry]>,
    count: AtomicUsize,
}

impl Passages {
    pub(crate) fn new(capacity: usize) -> Self {
        let entry = || [AtomicU64::new(0), AtomicU64::new(0)];
        Passages { entries: (0..capacity).map(|_| entry()).collect(), count: AtomicUsize::new(0) }
    }

    pub(crate) fn add(&self, passage: Passage, number: u32) {
        let count = self.count.load(Relaxed);
        if let Some([time, what]) = self.entries.get(count) {
            let cpu = match passage {
                Passage::Passed(cpu) => cpu.0.into(),
                Passage::Stopped => STOPPED,
            };
            time.store(sys::monotonic_ns(), Relaxed);
            what.store(u64::from(number) << 32 | cpu, Relaxed);
        }
        self.count.store(count + 1, Release);
    }

    /// Each passage: when, by the monotonic clock, what, and the job's number.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Passage, u32)> + '_ {
        let count = self.count.load(Acquire).min(self.entries.len());
        self.entries[..count].iter().map(|[time, what]| {
            let what = what.load(Relaxed);
            let passage = match what & 0xffff_ffff {
                STOPPED => Passage::Stopped,
                cpu => Passage::Passed(CpuId(cpu as u16)),
            };
            (time.load(Relaxed), passage, (what >> 32) as u32)
        })
    }

    /// How many passages did not fit.
    pub fn lost(&self) -> usize {
        self.count.load(Acquire).saturating_sub(self.entries.len())
    }
}
