//! An object under one scheme: what its [`Shape`](super::Shape) has to know to make it, and what tasks do with a queue
//! or heap.

use super::super::lock::robust::{DeadTask, RobustLock, Surroundings};
use super::super::lock::ticket::TicketLock;
use super::super::words::Words;
use super::buffer::{LockFreeBuffer, LockedBuffer, WaitFreeBuffer};
use super::large::{LockFree, WaitFree};
use super::locked::Locked;
use super::sequential::{Answer, Container, Request, USUAL};

/// The sizes for which an object is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Number of words of a buffer; largest number of values of a queue or heap.
    pub size: usize,
    /// Number of tasks that use the object.
    pub tasks: usize,
    /// Number of words of a block, where the object is made by a universal construction.
    pub block: usize,
    /// Number of other tasks that an attempt helps, where the object is wait-free.
    pub help: usize,
}

/// An object that can be made in memory.
pub trait Made {
    /// The number of words of memory that the object needs, beside a ticket lock for a locked one.
    fn words(room: Room) -> usize;

    /// Makes an empty object, or a buffer of zeros, in words that are zero.
    fn set_up(_: Room, _: Words<'_>) {}

    /// The largest number of accesses to shared words that an operation makes, where that is bounded.
    fn steps(_: Room) -> Option<usize> {
        None
    }

    /// The largest number of attempts that an operation makes, where that is bounded.
    fn most_attempts(_: Room) -> Option<u64> {
        None
    }
}

/// The access of one task to an object that values are put into and taken from.
pub trait Access<'m>: Made + Sized {
    /// The access of task `me` to the object in `words`; the lock is used by a locked one.
    fn new(room: Room, lock: &'m TicketLock, words: Words<'m>, me: usize) -> Self;

    /// Executes an operation.
    fn apply(&mut self, request: Request, around: &impl Surroundings) -> Result<Answer, DeadTask>;

    /// The number of attempts that the last operation made.
    fn attempts(&self) -> u64;
}

/// The lock at the head of `words`, and the words behind it.
pub(crate) fn locked<'m>(
    room: Room,
    lock: &'m TicketLock,
    words: Words<'m>,
    me: usize,
) -> (RobustLock<'m>, Words<'m>) {
    let first = RobustLock::words(room.tasks);
    (RobustLock::new(lock, words, room.tasks, me), words.part(first, words.count() - first))
}

impl Made for LockedBuffer<'_> {
    fn words(room: Room) -> usize {
        RobustLock::words(room.tasks) + room.size
    }

    fn most_attempts(_: Room) -> Option<u64> {
        Some(1)
    }
}

impl Made for LockFreeBuffer<'_> {
    fn words(room: Room) -> usize {
        LockFreeBuffer::words(room.size, room.tasks)
    }

    fn set_up(_: Room, words: Words<'_>) {
        LockFreeBuffer::set_up(words);
    }
}

impl Made for WaitFreeBuffer<'_> {
    fn words(room: Room) -> usize {
        WaitFreeBuffer::words(room.size, room.tasks)
    }

    fn steps(Room { size, tasks, .. }: Room) -> Option<usize> {
        Some(WaitFreeBuffer::read_steps(size).max(WaitFreeBuffer::write_steps(size, tasks)))
    }

    fn most_attempts(_: Room) -> Option<u64> {
        Some(1)
    }
}

impl<S: Container> Made for Locked<'_, S> {
    fn words(room: Room) -> usize {
        RobustLock::words(room.tasks) + S::new(room.size, USUAL).words()
    }

    fn most_attempts(_: Room) -> Option<u64> {
        Some(1)
    }
}

impl<'m, S: Container> Access<'m> for Locked<'m, S> {
    fn new(room: Room, lock: &'m TicketLock, words: Words<'m>, me: usize) -> Self {
        let (lock, words) = locked(room, lock, words, me);
        // No block is copied: it has as many words as the compiler knows best.
        Locked::new(lock, words, S::new(room.size, USUAL))
    }

    #[inline]
    fn apply(&mut self, request: Request, around: &impl Surroundings) -> Result<Answer, DeadTask> {
        Locked::apply(self, request, around)
    }

    fn attempts(&self) -> u64 {
        1
    }
}

impl<S: Container> Made for LockFree<'_, S> {
    fn words(room: Room) -> usize {
        LockFree::words(&S::new(room.size, room.block), room.tasks)
    }

    fn set_up(room: Room, words: Words<'_>) {
        LockFree::set_up(words, &S::new(room.size, room.block), room.tasks);
    }
}

impl<'m, S: Container> Access<'m> for LockFree<'m, S> {
    fn new(room: Room, _: &'m TicketLock, words: Words<'m>, me: usize) -> Self {
        LockFree::new(words, S::new(room.size, room.block), room.tasks, me)
    }

    #[inline]
    fn apply(&mut self, request: Request, _: &impl Surroundings) -> Result<Answer, DeadTask> {
        Ok(LockFree::apply(self, request))
    }

    fn attempts(&self) -> u64 {
        LockFree::attempts(self)
    }
}

impl<S: Container> Made for WaitFree<'_, S> {
    fn words(room: Room) -> usize {
        WaitFree::words(&S::new(room.size, room.block), room.help, room.tasks)
    }

    fn set_up(room: Room, words: Words<'_>) {
        WaitFree::set_up(words, &S::new(room.size, room.block), room.help, room.tasks);
    }

    fn steps(room: Room) -> Option<usize> {
        Some(WaitFree::steps(&S::new(room.size, room.block), room.help, room.tasks))
    }

    fn most_attempts(room: Room) -> Option<u64> {
        Some(WaitFree::<S>::most_attempts(room.help, room.tasks))
    }
}

impl<'m, S: Container> Access<'m> for WaitFree<'m, S> {
    fn new(room: Room, _: &'m TicketLock, words: Words<'m>, me: usize) -> Self {
        WaitFree::new(words, S::new(room.size, room.block), room.help, room.tasks, me)
    }

    #[inline]
    fn apply(&mut self, request: Request, _: &impl Surroundings) -> Result<Answer, DeadTask> {
        Ok(WaitFree::apply(self, request))
    }

    fn attempts(&self) -> u64 {
        WaitFree::attempts(self)
    }
}
