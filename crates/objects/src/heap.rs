//! A binary heap of a fixed number of values, the largest first: J. Williams, *Algorithm 232: heapsort*, CACM 7(6), 1964.
//!
//! Locked in `locked.rs`, lock-free and wait-free in `large/` (Anderson and Moir).

use super::sequential::{Answer, Memory, Request, Sequential, Stale};

/// A heap of at most `capacity` values. Word 0 is how many there are, word k the value k of the tree, whose children are 2k and 2k + 1.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    /// How many values it has room for.
    pub capacity: usize,
}

impl Heap {
    /// From the root to the deepest leaf.
    fn levels(&self) -> usize {
        (usize::BITS - self.capacity.leading_zeros()) as usize
    }

    fn put(&self, value: u64, memory: &mut impl Memory) -> Result<Answer, Stale> {
        let count = memory.read(0)? as usize;
        if count == self.capacity {
            return Ok(None);
        }
        let mut at = count + 1;
        memory.write(0, at as u64)?;
        while at > 1 {
            let above = memory.read(at / 2)?;
            if above >= value {
                break;
            }
            memory.write(at, above)?;
            at /= 2;
        }
        memory.write(at, value)?;
        Ok(Some(value))
    }

    fn take(&self, memory: &mut impl Memory) -> Result<Answer, Stale> {
        let count = memory.read(0)? as usize;
        if count == 0 {
            return Ok(None);
        }
        let largest = memory.read(1)?;
        let last = memory.read(count)?;
        let left = count - 1;
        memory.write(0, left as u64)?;
        let mut at = 1;
        while 2 * at <= left {
            let mut child = 2 * at;
            let mut below = memory.read(child)?;
            if child < left {
                let other = memory.read(child + 1)?;
                if other > below {
                    (child, below) = (child + 1, other);
                }
            }
            if below <= last {
                break;
            }
            memory.write(at, below)?;
            at = child;
        }
        if left > 0 {
            memory.write(at, last)?;
        }
        Ok(Some(largest))
    }
}

impl Sequential for Heap {
    fn words(&self) -> usize {
        self.capacity + 1
    }

    fn written_blocks(&self, block: usize) -> usize {
        // One value on each level, and the count.
        (self.levels() + 1).min(self.words().div_ceil(block))
    }

    fn accesses(&self) -> usize {
        // The count twice, the root, the last; on each level two reads and a write; the last again.
        5 + 3 * self.levels()
    }

    fn apply(&self, request: Request, memory: &mut impl Memory) -> Result<Answer, Stale> {
        match request {
            Request::Put(value) => self.put(value, memory),
            Request::Take => self.take(memory),
        }
    }
}
