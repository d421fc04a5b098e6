//! Any sequential object under a queue lock, in a non-preemptive section.
//!
//! So are short requests of the FMLP (A. Block, H. Leontyev, B. Brandenburg and J. Anderson, *A flexible real-time
//! locking protocol for multiprocessors*, RTCSA 2007) and global ones of the MSRP (P. Gai, G. Lipari and M. Di Natale,
//! RTSS 2001).
//!
//! **The lock.** Block-or-not-2008, section 3, takes T. Anderson's array lock (`lock/array.rs`), and this file the
//! ticket lock (`lock/ticket.rs`). Both grant in the order of requests, which is what their analysis needs. An array
//! has a slot for each waiter, in a cache line of its own: it is for a number of waiters that is known when the lock
//! is made. A ticket lock has two words for any number. Its waiters look at one word, so each release invalidates it in
//! all their caches. Non-preemptive sections leave at most one waiter on each processor, so these are few.

use super::super::lock::robust::{DeadTask, RobustLock, Surroundings};
use super::super::words::Words;
use super::sequential::{Answer, Exclusive, Request, Sequential, USUAL};

/// The access of one task to a locked object.
#[derive(Debug)]
pub struct Locked<'m, S> {
    lock: RobustLock<'m>,
    words: Words<'m>,
    object: S,
}

impl<'m, S: Sequential> Locked<'m, S> {
    /// The access to the object in `words`, which are zero at first, under this lock.
    pub fn new(lock: RobustLock<'m>, words: Words<'m>, object: S) -> Self {
        assert!(words.count() >= object.words(), "there is room for the object");
        Locked { lock, words, object }
    }

    /// Executes an operation when the task's turn at the lock has come.
    pub fn apply(&mut self, request: Request, around: &impl Surroundings) -> Result<Answer, DeadTask> {
        self.lock.with(around, || {
            let done = self.object.apply(request, &mut Exclusive::<{ USUAL }>(self.words));
            done.expect("the lock is held")
        })
    }
}
