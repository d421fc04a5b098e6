//! Stand-ins where the feature `kernel` was not built: every attempt is refused.

use crate::load_refusal::early_refusal;
use crate::{LoadRefusal, Outside, SchedulerEnd, Settings};
use std::convert::Infallible;
use std::io;

/// A scheduler that follows links. No value exists in this build.
#[derive(Debug)]
pub struct Follower(Infallible);

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

    /// What threads outside of the scenario had on the processor.
    pub fn outside(&self, _: u32) -> Outside {
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

    /// The end that the kernel reports.
    pub fn ending(&self) -> Option<SchedulerEnd> {
        match self.0 {}
    }
}
