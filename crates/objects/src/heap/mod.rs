//! A binary heap of a fixed number of values, the largest first: J. Williams, *Algorithm 232: heapsort*, CACM 7(6), 1964.
//!
//! Locked in `locked.rs`, lock-free and wait-free in `large/` (Anderson and Moir).
//!
//! **Where values are.** A universal construction copies each block that an operation writes, so the path from the root to a leaf is in few
//! blocks: `place.rs`. While a path is within a page, that is held.
//!
//! **What is read.** Only the place of the last value leads to others. Values are compared and moved: whatever they are, a path up ends at the
//! root and one down at the last place.

mod place;

use self::place::Places;
use super::sequential::{Answer, Memory, Request, Sequential, Stale};

/// A heap of at most `capacity` values. Word 0 is the place of the last value, or zero.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    places: Places,
    /// The place of the last value of a full heap.
    end: usize,
}

/// How many there are, by the last one's place.
const LAST: usize = 0;
/// The largest.
const ROOT: usize = 1;

impl Heap {
    /// A heap whose subtrees are each in a block of so many words, or more than one if that is too short for a value and an empty word.
    pub fn in_blocks(capacity: usize, block: usize) -> Self {
        let places = Places::in_pages(block.max(2));
        Heap { places, end: places.of(capacity) }
    }

    /// A heap of which no part is copied.
    pub fn whole(capacity: usize) -> Self {
        Self::in_blocks(capacity, (capacity + 1).next_power_of_two())
    }

    #[inline(always)]
    fn put(&self, value: u64, memory: &mut impl Memory) -> Result<Answer, Stale> {
        let last = memory.read(LAST)? as usize;
        if last == self.end {
            return Ok(None);
        }
        let end = self.places.after(last);
        let mut at = end;
        let mut page = memory.hold(at);
        while at > ROOT {
            let (parent, is_near) = self.places.above(at);
            let above = if is_near { memory.get(page, parent) } else { memory.peek(parent) };
            if above >= value {
                break;
            }
            memory.set(page, at, above);
            at = parent;
            if !is_near {
                page = memory.hold(at);
            }
        }
        memory.set(page, at, value);
        // Last, since the root was written just now if it has changed, and is near.
        memory.write(LAST, end as u64)?;
        Ok(Some(value))
    }

    #[inline(always)]
    fn take(&self, memory: &mut impl Memory) -> Result<Answer, Stale> {
        let end = memory.read(LAST)? as usize;
        if end == 0 {
            return Ok(None);
        }
        let last = memory.peek(end);
        let mut page = memory.hold(ROOT);
        let largest = memory.get(page, ROOT);
        let end = self.places.before(end);
        memory.write(LAST, end as u64)?;
        let mut at = ROOT;
        loop {
            let (mut child, other, is_near) = self.places.below(at);
            if child > end {
                break;
            }
            let mut below = if is_near { memory.get(page, child) } else { memory.peek(child) };
            if other <= end {
                let value = if is_near { memory.get(page, other) } else { memory.peek(other) };
                if value > below {
                    (child, below) = (other, value);
                }
            }
            if below <= last {
                break;
            }
            memory.set(page, at, below);
            at = child;
            if !is_near {
                page = memory.hold(at);
            }
        }
        if end > 0 {
            memory.set(page, at, last);
        }
        Ok(Some(largest))
    }
}

impl Sequential for Heap {
    fn words(&self) -> usize {
        self.end + 1
    }

    fn written_blocks(&self, block: usize) -> usize {
        // One value on each level; the count is beside the root. A block has whole pages, or less than one.
        let on_path = if block % self.places.page() == 0 {
            self.places.pages_above(self.end)
        } else {
            self.places.levels(self.end) + 1
        };
        on_path.min(self.words().div_ceil(block))
    }

    fn accesses(&self) -> usize {
        // The last one's place twice, the root, the last; on each level two reads and a write; the last again.
        5 + 3 * self.places.levels(self.end)
    }

    #[inline(always)]
    fn apply(&self, request: Request, memory: &mut impl Memory) -> Result<Answer, Stale> {
        match request {
            Request::Put(value) => self.put(value, memory),
            Request::Take => self.take(memory),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Heap;

    /// A heap that is not copied is a complete tree: no path is longer than it has to be.
    #[test]
    fn a_whole_heap_is_complete() {
        for capacity in 1..2_000_usize {
            let heap = Heap::whole(capacity);
            assert_eq!((heap.end, heap.places.levels(heap.end)), (capacity, capacity.ilog2() as usize + 1));
        }
    }
}
