//! Decisions of processors that share a queue, and their costs (chronos-scalability-2011, section 2).

use crate::named::named;
use crate::time::Duration;
use core::fmt;

named! {
    /// Processors that execute jobs while one of them decides.
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
    /// Way in which a lock is handed over to the processor that has waited the longest.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum QueueLock {
        /// All waiters spin on one word: a hand-over grows with the waiters, and those of a queue with its square.
        #[default]
        Ticket: "ticket",
        /// Each waiter spins on its own word: every hand-over takes the same.
        Mcs: "mcs",
    }
}

impl QueueLock {
    /// Returns the time of a hand-over to one of `waiters` waiters, if one to the only waiter takes `alone`.
    fn among(self, alone: Duration, waiters: usize) -> Duration {
        match self {
            QueueLock::Ticket => alone * waiters as u64,
            QueueLock::Mcs => alone,
        }
    }
}

impl fmt::Display for QueueLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A lock apart from the one of the schedule: that of the queue, where one processor decides for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnLock {
    /// Way in which the lock is handed over.
    pub lock: QueueLock,
    /// Time of one hand-over of the lock to the only waiter.
    pub hand_over: Duration,
}

/// An architecture of deciding, and the costs of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deciding {
    /// Architecture, which determines the processors that wait.
    pub architecture: Architecture,
    /// Lock of the queue if each processor decides for itself, of the schedule if one decides for all.
    pub lock: QueueLock,
    /// Time of one hand-over of the lock to the only waiter.
    pub hand_over: Duration,
    /// Time to read the descriptor of one task that another processor wrote last; stop-the-world only.
    pub access: Duration,
    /// Time to pull a task from the run queue of the processor where it was last.
    pub migration: Duration,
    /// Lock of the queue if one decides for all; `None` if processors do not wait for each other at the queue. If each
    /// decides for itself, `lock` is that of the queue.
    pub queue: Option<OwnLock>,
}

impl Deciding {
    /// Returns the time to hand the lock over to one of `waiters` waiters.
    pub fn hand_over_among(&self, waiters: usize) -> Duration {
        self.lock.among(self.hand_over, waiters)
    }

    /// Returns the time to hand the lock of the queue over to one of `waiters` waiters.
    pub fn queue_hand_over_among(&self, waiters: usize) -> Duration {
        match self.queue {
            Some(own) => own.lock.among(own.hand_over, waiters),
            None => self.hand_over_among(waiters),
        }
    }

    /// True if waiting for other processors and working for them takes no time.
    pub fn is_free(&self) -> bool {
        let queue = self.queue.map_or(Duration::ZERO, |own| own.hand_over);
        [self.hand_over, self.access, self.migration, queue].iter().all(|part| part.is_zero())
    }
}
