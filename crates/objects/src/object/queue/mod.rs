//! First in, first out, for a fixed number of values.
//!
//! | scheme | file |
//! |---|---|
//! | locked | the [`Sequential`] queue of this file in `locked.rs` |
//! | lock-free | `lock_free.rs`: Michael and Scott |
//! | wait-free | the queue of this file in `large/wait_free.rs`: Anderson and Moir |
//!
//! The queue of this file is a ring between two counts. An operation writes two blocks, however many values there are:
//! that of the counts and that of the value.

mod lock_free;

pub use lock_free::LockFreeQueue;

use super::sequential::{Answer, Container, Memory, Request, Sequential, Stale, ANY};

/// The words of the first block: the number of values that were taken, and the number that were put.
const TAKEN: usize = 0;
const PUT: usize = 1;
const FIRST: usize = 0;

/// A queue of at most `capacity` values in a ring.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// The largest number of values that the queue holds.
    pub capacity: usize,
    /// Number of words of a block, at least two.
    pub block: usize,
}

impl Queue {
    /// The block of a value, and the value's word within it.
    #[inline(always)]
    fn place<'m, M: Memory<'m>>(&self, number: u64) -> (usize, usize) {
        let block = if M::BLOCK == ANY { self.block } else { M::BLOCK };
        let index = block.wrapping_add((number % self.capacity as u64) as usize);
        (index.wrapping_shr(block.trailing_zeros()), index & block.wrapping_sub(1))
    }
}

impl Container for Queue {
    const BLOCK: usize = 16;

    fn new(capacity: usize, block: usize) -> Self {
        Queue { capacity, block }
    }
}

impl Sequential for Queue {
    fn words(&self) -> usize {
        self.block + self.capacity.next_multiple_of(self.block)
    }

    fn block(&self) -> usize {
        self.block
    }

    fn written_blocks(&self) -> usize {
        // The value's, and that of the numbers.
        2
    }

    fn accesses(&self) -> usize {
        // Two blocks, the numbers, the value, a number.
        6
    }

    #[inline(always)]
    fn apply<'m, M: Memory<'m>>(&self, request: Request, memory: &mut M) -> Result<Answer, Stale> {
        let first = memory.look(FIRST);
        let (taken, put) = (first.acquire(TAKEN), first.acquire(PUT));
        memory.validate()?;
        match request {
            Request::Put(_) if put - taken == self.capacity as u64 => Ok(None),
            Request::Put(value) => {
                let (block, within) = self.place::<M>(put);
                memory.hold(block, memory.look(block)).release(within, value);
                memory.hold(FIRST, first).release(PUT, put + 1);
                Ok(Some(value))
            }
            Request::Take if put == taken => Ok(None),
            Request::Take => {
                let (block, within) = self.place::<M>(taken);
                let value = memory.look(block).acquire(within);
                memory.hold(FIRST, first).release(TAKEN, taken + 1);
                Ok(Some(value))
            }
        }
    }
}
