//! How processors that share a queue come to decisions (chronos-scalability-2011, section 2), and what that takes.

use crate::named::named;
use crate::time::Duration;
use core::fmt;

named! {
    /// Which processors execute jobs while one of them decides.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Architecture {
        /// All others: each decides for itself, and holds the lock of the queue meanwhile.
        #[default]
        Concurrent: "concurrent",
        /// None of the cluster: one decides for all, and each then takes its part of the schedule under a lock.
        StopTheWorld: "stop-the-world",
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

named! {
    /// How a lock is handed over to the processor that waits for longest.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum QueueLock {
        /// All waiters spin on one word: a hand-over grows with the waiters, and those of a queue with its square.
        #[default]
        Ticket: "ticket",
        /// Each waiter spins on its own word: every hand-over takes the same.
        Mcs: "mcs",
    }
}

impl fmt::Display for QueueLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An architecture, and what its parts take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deciding {
    /// Which processors wait.
    pub architecture: Architecture,
    /// Of the queue if each decides for itself, of the schedule if one does for all.
    pub lock: QueueLock,
    /// One hand-over of that lock to the only waiter.
    pub hand_over: Duration,
    /// Reading the descriptor of one task that another processor wrote last; stop-the-world.
    pub access: Duration,
    /// Pulling a task from the run queue of the processor where it was last.
    pub migration: Duration,
}

impl Deciding {
    /// How long it takes to hand the lock over to one of so many waiters.
    pub fn hand_over_among(&self, waiters: usize) -> Duration {
        match self.lock {
            QueueLock::Ticket => self.hand_over * waiters as u64,
            QueueLock::Mcs => self.hand_over,
        }
    }

    /// True if the processors' waiting takes no time, nor what they do for each other.
    pub fn is_free(&self) -> bool {
        [self.hand_over, self.access, self.migration].iter().all(|part| part.is_zero())
    }
}
