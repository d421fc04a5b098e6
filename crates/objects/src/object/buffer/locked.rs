//! The buffer under a queue lock, in a non-preemptive section. `object/locked.rs` cites protocols and lock.

use super::super::super::lock::robust::{DeadTask, RobustLock, Surroundings};
use super::super::super::words::Words;

/// The access of one task to a locked buffer.
#[derive(Debug)]
pub struct LockedBuffer<'m> {
    lock: RobustLock<'m>,
    words: Words<'m>,
}

impl<'m> LockedBuffer<'m> {
    /// The access to the buffer in `words`, all of them, under this lock.
    pub fn new(lock: RobustLock<'m>, words: Words<'m>) -> Self {
        LockedBuffer { lock, words }
    }

    /// Copies the value into `into`, which is as long.
    pub fn read(&mut self, into: &mut [u64], around: &impl Surroundings) -> Result<(), DeadTask> {
        self.lock.with(around, || self.words.get_all(into))
    }

    /// Writes the value, which is as long as the buffer.
    pub fn write(&mut self, value: &[u64], around: &impl Surroundings) -> Result<(), DeadTask> {
        self.lock.with(around, || self.words.set_all(value))
    }
}
