//! First in, first out, for a fixed number of values.
//!
//! | scheme | file |
//! |---|---|
//! | locked | the [`Sequential`] queue of this file in `locked.rs` |
//! | lock-free | `lock_free.rs`: Michael and Scott |
//! | wait-free | the queue of this file in `large/wait_free.rs`: Anderson and Moir |

mod lock_free;

pub use lock_free::LockFreeQueue;

use super::sequential::{Answer, Memory, Request, Sequential, Stale};

/// How many values were taken; how many were put; then the values, each where its number says.
const TAKEN: usize = 0;
const PUT: usize = 1;
const VALUES: usize = 2;

/// A queue of at most `capacity` values in a ring.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// How many values it has room for.
    pub capacity: usize,
}

impl Queue {
    fn place(&self, number: u64) -> usize {
        VALUES + (number % self.capacity as u64) as usize
    }
}

impl Sequential for Queue {
    fn words(&self) -> usize {
        VALUES + self.capacity
    }

    fn written_blocks(&self, block: usize) -> usize {
        // The value's, and that of a number; one number is written, so both may be one block.
        2.min(self.words().div_ceil(block))
    }

    fn accesses(&self) -> usize {
        4
    }

    fn apply(&self, request: Request, memory: &mut impl Memory) -> Result<Answer, Stale> {
        let (taken, put) = (memory.read(TAKEN)?, memory.read(PUT)?);
        match request {
            Request::Put(_) if put - taken == self.capacity as u64 => Ok(None),
            Request::Put(value) => {
                memory.write(self.place(put), value)?;
                memory.write(PUT, put + 1)?;
                Ok(Some(value))
            }
            Request::Take if put == taken => Ok(None),
            Request::Take => {
                let value = memory.read(self.place(taken))?;
                memory.write(TAKEN, taken + 1)?;
                Ok(Some(value))
            }
        }
    }
}
