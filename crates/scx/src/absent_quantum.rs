//! The stand-in of the scheduler by quanta where the feature `kernel` was not built: every attempt is refused.

use crate::load_refusal::early_refusal;
use crate::{
    KernelRecords, KernelTally, LoadRefusal, Loaded, QuantumLateness, QuantumSettings, QuantumShare,
};
use std::convert::Infallible;
use std::io;
use std::ops::Deref;

/// A scheduler that decides by quanta. No value exists in this build.
#[derive(Debug)]
pub struct QuantumScheduler(Infallible);

impl QuantumScheduler {
    /// Loads the scheduler: refused, as [`probe`](crate::probe) is.
    pub fn load(_: &QuantumSettings) -> Result<(Self, KernelRecords), LoadRefusal> {
        Err(early_refusal().unwrap_or(LoadRefusal::NotBuilt))
    }

    /// Gives the thread an index and a share.
    pub fn adopt(&self, _: libc::pid_t, _: u32, _: &QuantumShare) -> io::Result<()> {
        match self.0 {}
    }

    /// States the run's time zero.
    pub fn start_at(&self, _: u64) {
        match self.0 {}
    }

    /// States when the next job of the thread of this index arrives, and the one after it.
    pub fn publish(&self, _: u32, _: u32, _: (u64, u64), _: Option<(u64, u64)>) {
        match self.0 {}
    }

    /// When the job that was published may begin.
    pub fn due(&self, _: u32) -> u64 {
        match self.0 {}
    }

    /// True if the job that was published has begun.
    pub fn has_begun(&self, _: u32) -> bool {
        match self.0 {}
    }

    /// States that the thread of this index has no further job.
    pub fn leave(&self, _: u32, _: u32) {
        match self.0 {}
    }

    /// True if the thread of this index is no task's any more.
    pub fn has_strayed(&self, _: u32) -> bool {
        match self.0 {}
    }

    /// What the processor decided.
    pub fn tally(&self, _: u32) -> KernelTally {
        match self.0 {}
    }

    /// How late the processor was.
    pub fn lateness(&self, _: u32) -> QuantumLateness {
        match self.0 {}
    }

    /// Number of records that found no room.
    pub fn lost_records(&self) -> u64 {
        match self.0 {}
    }
}

impl Deref for QuantumScheduler {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        match self.0 {}
    }
}
