//! Stand-ins where the feature `kernel` was not built: every attempt is refused.

use crate::load_refusal::early_refusal;
use crate::{LoadRefusal, SchedulerEnd, Settings};
use std::convert::Infallible;

/// A scheduler that follows links. No value exists in this build.
#[derive(Debug)]
pub struct Follower(Infallible);

/// Finds out whether this machine lets a scheduler in: the machine's refusal, else [`LoadRefusal::NotBuilt`].
pub fn probe() -> Result<(), LoadRefusal> {
    Err(early_refusal().unwrap_or(LoadRefusal::NotBuilt))
}

impl Follower {
    /// Loads the scheduler: refused, see [`LoadRefusal::NotBuilt`].
    pub fn load(_: &Settings) -> Result<Self, LoadRefusal> {
        Err(LoadRefusal::NotBuilt)
    }

    /// The end that the kernel reports.
    pub fn ending(&self) -> Option<SchedulerEnd> {
        match self.0 {}
    }
}
