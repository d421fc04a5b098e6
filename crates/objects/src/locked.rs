//! Any sequential object under a queue lock, in a non-preemptive section: short requests of the FMLP, and the MSRP.

use super::robust::{DeadTask, RobustLock, Surroundings};
use super::sequential::{Answer, Exclusive, Request, Sequential, USUAL};
use super::words::Words;

/// A task's access to a locked object.
#[derive(Debug)]
pub struct Locked<'m, S> {
    lock: RobustLock<'m>,
    words: Words<'m>,
    object: S,
}

impl<'m, S: Sequential> Locked<'m, S> {
    /// Access to the object in `words`, which are zero at first, under this lock.
    pub fn new(lock: RobustLock<'m>, words: Words<'m>, object: S) -> Self {
        assert!(words.count() >= object.words(), "there is room for the object");
        Locked { lock, words, object }
    }

    /// Executes an operation when its turn has come.
    pub fn apply(&mut self, request: Request, around: &impl Surroundings) -> Result<Answer, DeadTask> {
        self.lock.with(around, || {
            let done = self.object.apply(request, &mut Exclusive::<{ USUAL }>(self.words));
            done.expect("the lock is held")
        })
    }
}
