//! Buffers, queues and heaps that tasks share, and the schemes by which they do.
//!
//! B. Brandenburg et al., *Real-time synchronization on multiprocessors: to block or not to block, to suspend or
//! spin?*, RTAS 2008, section 4.4, compares these three under these schemes.

use crate::named::named;

named! {
    /// Kind of an object that tasks share.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ObjectKind {
        /// Words that are read and written as a whole.
        Buffer: "buffer",
        /// Values, first in, first out.
        Queue: "queue",
        /// Values, the largest first.
        Heap: "heap",
    }
}

named! {
    /// Scheme by which tasks share an object.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Scheme {
        /// Under a queue spin lock, in a non-preemptive section.
        Locked: "locked",
        /// An operation is tried again when another one came between.
        LockFree: "lock-free",
        /// An operation takes a bounded number of steps, whatever others do.
        WaitFree: "wait-free",
    }
}

impl ObjectKind {
    /// Returns the most attempts of another job's operation that one operation makes fail if the object is lock-free:
    /// the number of words that it changes, since an attempt fails on a word that changed within it.
    ///
    /// A buffer's writer takes a slot. A heap's operation puts a new version in place of the old. A queue's takes a
    /// node, links it, and swings the tail, which others may do for it (Michael and Scott 1996).
    pub const fn fails(self) -> u32 {
        match self {
            ObjectKind::Buffer | ObjectKind::Heap => 1,
            ObjectKind::Queue => 3,
        }
    }
}

/// Most tasks for which an object can be made: a writer of the wait-free buffer knows its slots by bits of 128.
pub const MOST_OBJECT_TASKS: usize = 120;
/// Most words or values of an object: a node of the lock-free queue has a number of 16 bits.
pub const MOST_OBJECT_SIZE: usize = 60_000;
