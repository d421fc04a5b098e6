//! A heap of a fixed number of values, the largest first: J. Williams, *Algorithm 232: heapsort*, CACM 7(6), 1964. A
//! value has more than two children: D. Johnson, *Priority queues with update and finding minimum spanning trees*, IPL
//! 4(3), 1975.
//!
//! With blocks of two words it is the binary heap of block-or-not-2008.
//!
//! Locked in `locked.rs`, lock-free and wait-free in `large/` (Anderson and Moir).
//!
//! **Where values are.** A universal construction copies each block that an operation writes. So the children of a
//! value are one block: A. LaMarca and R. Ladner, *The influence of caches on the performance of heaps*, ACM JEA 1,
//! 1996. An operation writes one block on each level, and once. The first block has the count and the largest value.
//!
//! ```text
//! blocks of 4 words     count, -, -, 3         block 0: place 3 is the root
//!                                    |
//!                         4     5    6    7    block 1: the children of place 3
//!                         |     |    |    |
//!                     8 to 11   |    |    20 to 23    blocks 2 to 5: those of places 4 to 7
//! ```
//!
//! The heap is filled in the order of places: each value has its parent before it.
//!
//! **What is read.** Only the count leads to others. Values are compared and moved: whatever they are, a path up ends
//! at the root and one down at the last place.

use super::super::words::Words;
use super::sequential::{Answer, Container, Memory, Request, Sequential, Stale, ANY, USUAL};

/// A heap of at most `capacity` values.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    /// The largest number of values that the heap holds.
    pub capacity: usize,
    /// Number of words of a block, and of children of a value: a power of two, at least two.
    pub block: usize,
}

/// The block of the count and the largest value.
const FIRST: usize = 0;
/// The word of the first block that counts the values. The block's last word is the largest value.
const COUNT: usize = 0;

/// The places of values in blocks of this many words.
#[derive(Clone, Copy)]
struct Places(usize);

impl Places {
    /// The place of value `number`, counted from 0, which is the root.
    #[inline(always)]
    fn of(self, number: usize) -> usize {
        number.wrapping_add(self.0).wrapping_sub(1)
    }

    /// The block of a place.
    #[inline(always)]
    fn block(self, index: usize) -> usize {
        index.wrapping_shr(self.0.trailing_zeros())
    }

    /// The word of a place within its block.
    #[inline(always)]
    fn within(self, index: usize) -> usize {
        index & self.0.wrapping_sub(1)
    }

    /// The first place of a block.
    #[inline(always)]
    fn first(self, block: usize) -> usize {
        block.wrapping_shl(self.0.trailing_zeros())
    }

    /// The place whose children are in this block.
    #[inline(always)]
    fn above(self, block: usize) -> usize {
        block.wrapping_add(self.0).wrapping_sub(2)
    }

    /// The block of a place's children.
    #[inline(always)]
    fn below(self, index: usize) -> usize {
        index.wrapping_add(2).wrapping_sub(self.0)
    }
}

impl Heap {
    /// The places, in blocks whose size the compiler knows where it can.
    #[inline(always)]
    fn places<'m, M: Memory<'m>>(&self) -> Places {
        Places(if M::BLOCK == ANY { self.block } else { M::BLOCK })
    }

    fn last_block(&self) -> usize {
        let places = Places(self.block);
        places.block(places.of(self.capacity - 1))
    }

    /// The first block, and the count in it.
    #[inline(always)]
    fn first<'m>(memory: &impl Memory<'m>) -> Result<(Words<'m>, usize), Stale> {
        let first = memory.look(FIRST);
        let count = first.acquire(COUNT) as usize;
        memory.validate()?;
        Ok((first, count))
    }

    #[inline(always)]
    fn put<'m, M: Memory<'m>>(&self, value: u64, memory: &mut M) -> Result<Answer, Stale> {
        let places = self.places::<M>();
        let (first, count) = Self::first(memory)?;
        if count == self.capacity {
            return Ok(None);
        }
        let root = places.of(0);
        let largest = first.acquire(root);
        let first = memory.renew(FIRST, first);
        first.release(COUNT, count.wrapping_add(1) as u64);
        first.release(root, largest);
        let mut index = places.of(count);
        let mut block = places.block(index);
        let mut seen = memory.look(block);
        while block != FIRST {
            let held = memory.hold(block, seen);
            let parent = places.above(block);
            block = places.block(parent);
            seen = memory.look(block);
            let above = seen.acquire(places.within(parent));
            if above >= value {
                held.release(places.within(index), value);
                return Ok(Some(value));
            }
            held.release(places.within(index), above);
            index = parent;
        }
        first.release(root, value);
        Ok(Some(value))
    }

    #[inline(always)]
    fn take<'m, M: Memory<'m>>(&self, memory: &mut M) -> Result<Answer, Stale> {
        let places = self.places::<M>();
        let (first, count) = Self::first(memory)?;
        if count == 0 {
            return Ok(None);
        }
        // The last value's place, which is free from now on.
        let end = places.of(count.wrapping_sub(1));
        let last = memory.look(places.block(end)).acquire(places.within(end));
        let mut within = places.of(0);
        let largest = first.acquire(within);
        let mut held = memory.renew(FIRST, first);
        held.release(COUNT, count.wrapping_sub(1) as u64);
        let mut block = places.below(within);
        while places.first(block) < end {
            let begin = places.first(block);
            let children = memory.look(block);
            let (value, child) = largest_of(children, places.0.min(end.wrapping_sub(begin)));
            if value <= last {
                break;
            }
            held.release(within, value);
            held = memory.hold(block, children);
            within = child;
            block = places.below(begin).wrapping_add(child);
        }
        held.release(within, last);
        Ok(Some(largest))
    }
}

/// A value, and the word of its block where it is.
type Found = (u64, usize);

#[inline(always)]
fn word(words: Words<'_>, index: usize) -> Found {
    (words.acquire(index), index)
}

#[inline(always)]
fn larger(one: Found, other: Found) -> Found {
    if other.0 > one.0 {
        other
    } else {
        one
    }
}

/// The largest of a block's first `count` words. In blocks of eight it is found without a branch that depends on
/// values, and the processor compares pairs at once.
#[inline(always)]
fn largest_of(words: Words<'_>, count: usize) -> Found {
    let whole = |index: usize| word(words, index);
    let part = |index: usize| if index < count { word(words, index) } else { (0, index) };
    match (words.count(), count) {
        (8, 8) => largest_of_eight(whole),
        (8, _) => largest_of_eight(part),
        _ => (1..count).map(whole).fold(whole(0), larger),
    }
}

#[inline(always)]
fn largest_of_eight(word: impl Fn(usize) -> Found) -> Found {
    let two = |index: usize| larger(word(index), word(index.wrapping_add(1)));
    larger(larger(two(0), two(2)), larger(two(4), two(6)))
}

impl Container for Heap {
    const BLOCK: usize = USUAL;

    fn new(capacity: usize, block: usize) -> Self {
        Heap { capacity, block }
    }
}

impl Sequential for Heap {
    fn words(&self) -> usize {
        (self.last_block() + 1) * self.block
    }

    fn block(&self) -> usize {
        self.block
    }

    fn written_blocks(&self) -> usize {
        // One on each level, down to the last place's.
        let places = Places(self.block);
        let above = |block: &usize| (*block != FIRST).then(|| places.block(places.above(*block)));
        core::iter::successors(Some(self.last_block()), above).count()
    }

    fn accesses(&self) -> usize {
        // A take's: two blocks, the count twice, the root twice, the last; on each level below a block, its values and
        // a write.
        7 + (self.block + 2) * (self.written_blocks() - 1)
    }

    #[inline(always)]
    fn apply<'m, M: Memory<'m>>(&self, request: Request, memory: &mut M) -> Result<Answer, Stale> {
        match request {
            Request::Put(value) => self.put(value, memory),
            Request::Take => self.take(memory),
        }
    }
}
