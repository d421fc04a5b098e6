//! Stand-ins where the feature `kernel` was not built: every attempt is refused.

use crate::load_refusal::early_refusal;
use crate::{
    ClusterSettings, JobWait, KernelRecord, KernelTally, LoadRefusal, Outside, SchedulerEnd, Settings,
    TaskPlan,
};
use std::convert::Infallible;
use std::io;
use std::ops::Deref;

/// A scheduler that follows links. No value exists in this build.
#[derive(Debug)]
pub struct Follower(Infallible);

/// A scheduler that decides by clusters. No value exists in this build.
#[derive(Debug)]
pub struct ClusterScheduler(Infallible);

/// What every scheduler has once it is in the kernel. No value exists in this build.
#[derive(Debug)]
pub struct Loaded(Infallible);

/// The records of a [`ClusterScheduler`]. No value exists in this build.
#[derive(Debug)]
pub struct KernelRecords(Infallible);

/// Finds out whether this machine lets a scheduler in: the machine's refusal, else [`LoadRefusal::NotBuilt`].
pub fn probe() -> Result<(), LoadRefusal> {
    Err(early_refusal().unwrap_or(LoadRefusal::NotBuilt))
}

impl Follower {
    /// Loads the scheduler: refused, as [`probe`] is.
    pub fn load(_: &Settings) -> Result<Self, LoadRefusal> {
        Err(early_refusal().unwrap_or(LoadRefusal::NotBuilt))
    }

    /// Gives the thread an index.
    pub fn adopt(&self, _: libc::pid_t, _: u32) -> io::Result<()> {
        match self.0 {}
    }

    /// Takes the thread's index away.
    pub fn release(&self, _: libc::pid_t) -> io::Result<()> {
        match self.0 {}
    }

    /// Links processors to indices.
    pub fn relink(&self, _: impl IntoIterator<Item = (u32, u32)>) {
        match self.0 {}
    }

    /// Begins a section of the thread of this index.
    pub fn enter_section(&self, _: u32) {
        match self.0 {}
    }

    /// States that the thread of this index is about to sleep until it is linked.
    pub fn wait_at_gate(&self, _: u32) {
        match self.0 {}
    }

    /// Ends a section of the thread of this index.
    pub fn leave_section(&self, _: u32) {
        match self.0 {}
    }
}

impl ClusterScheduler {
    /// Loads the scheduler: refused, as [`probe`] is.
    pub fn load(_: &ClusterSettings) -> Result<(Self, KernelRecords), LoadRefusal> {
        Err(early_refusal().unwrap_or(LoadRefusal::NotBuilt))
    }

    /// States the run's time zero.
    pub fn start_at(&self, _: u64) {
        match self.0 {}
    }

    /// Gives the thread an index and a plan.
    pub fn adopt(&self, _: libc::pid_t, _: u32, _: &TaskPlan) -> io::Result<()> {
        match self.0 {}
    }

    /// Waits for a job of the thread of this index.
    pub fn next_job(&self, _: u32, _: u32, _: u64, _: impl Fn() -> bool) -> JobWait {
        match self.0 {}
    }

    /// States when the next job of the thread of this index arrives and is released.
    pub fn publish(&self, _: u32, _: u32, _: u64, _: u64) {
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

    /// Begins a section of the thread of this index.
    pub fn enter_section(&self, _: u32) {
        match self.0 {}
    }

    /// Ends a section of the thread of this index.
    pub fn leave_section(&self, _: u32) {
        match self.0 {}
    }

    /// True if the last section of the thread of this index was too long.
    pub fn broke_its_section(&self, _: u32) -> bool {
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

    /// Number of records that found no room.
    pub fn lost_records(&self) -> u64 {
        match self.0 {}
    }
}

impl KernelRecords {
    /// Appends all records that were written since the last call.
    pub fn read(&mut self, _: &mut Vec<KernelRecord>) {
        match self.0 {}
    }
}

impl Loaded {
    /// What threads outside of the scenario had on the processor.
    pub fn outside(&self, _: u32) -> Outside {
        match self.0 {}
    }

    /// The end that the kernel reports.
    pub fn ending(&self) -> Option<SchedulerEnd> {
        match self.0 {}
    }

    /// Has the scheduler taken out of the kernel.
    pub fn let_go(&self) {
        match self.0 {}
    }

    /// Takes the scheduler out of the kernel.
    pub fn unload(&self) -> Option<SchedulerEnd> {
        match self.0 {}
    }
}

impl Deref for Follower {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        match self.0 {}
    }
}

impl Deref for ClusterScheduler {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        match self.0 {}
    }
}
