//! Objects as one task alone would use them: a lock protects such an object, and a universal construction makes it
//! lock-free or wait-free.

use super::super::words::{Blocks, Words};

/// A request of a task to a queue or heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Add this value.
    Put(u64),
    /// Take out the value whose turn it is.
    Take,
}

/// The answer to a request. To [`Request::Put`] it is the same value, or nothing if the object is full; to
/// [`Request::Take`] it is the value, or nothing if the object is empty.
pub type Answer = Option<u64>;

/// The error that an attempt has read words of a version that is no longer current: its result does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale;

/// The size of blocks that the compiler does not know.
pub const ANY: usize = 0;
/// The usual number of words of a heap's blocks. Where the compiler knows it, operations take fewer instructions.
pub const USUAL: usize = 8;

/// The blocks of the object as an operation sees them.
///
/// The words that the operation has seen may be of two versions until it validates. It validates before it finds other
/// words by what it saw. What it only compares, moves or answers may be any value, and the operation has to end then,
/// too.
pub trait Memory<'m> {
    /// Number of words of a block, or [`ANY`].
    const BLOCK: usize;
    /// Reads a block as it is.
    fn look(&self, block: usize) -> Words<'m>;
    /// Checks that all that was seen is of one version.
    fn validate(&self) -> Result<(), Stale>;
    /// The block that was seen, ready to be written.
    fn hold(&mut self, block: usize, seen: Words<'m>) -> Words<'m>;
    /// The block that was seen, ready to be written as a whole: the operation writes all its words that count.
    fn renew(&mut self, block: usize, seen: Words<'m>) -> Words<'m>;
}

/// An object for one task at a time. All words zero is an empty object.
pub trait Sequential {
    /// The number of words of the object.
    fn words(&self) -> usize;
    /// The number of words of a block: a power of two.
    fn block(&self) -> usize;
    /// The largest number of different blocks that an operation writes.
    fn written_blocks(&self) -> usize;
    /// The largest number of blocks that an operation looks at, and of words that it reads or writes.
    fn accesses(&self) -> usize;
    /// Executes an operation.
    fn apply<'m, M: Memory<'m>>(&self, request: Request, memory: &mut M) -> Result<Answer, Stale>;
}

/// A queue or heap: an object that values are put into and taken from.
pub trait Container: Sequential + Copy {
    /// Number of words of a block with which operations take the least time, where blocks are copied. A version lists
    /// all blocks, and an operation copies a few. About as many words in a block as there are blocks is best, where
    /// another task has stored between.
    const BLOCK: usize;

    /// An object of at most `capacity` values, in blocks of `block` words.
    fn new(capacity: usize, block: usize) -> Self;
}

/// Words that no other task changes meanwhile, in blocks of `BLOCK` words.
#[derive(Debug)]
pub struct Exclusive<'m, const BLOCK: usize>(pub Words<'m>);

impl<'m, const BLOCK: usize> Memory<'m> for Exclusive<'m, BLOCK> {
    const BLOCK: usize = BLOCK;

    #[inline(always)]
    fn look(&self, block: usize) -> Words<'m> {
        Blocks::new(self.0, BLOCK).at(block.wrapping_mul(BLOCK) as u64)
    }

    #[inline(always)]
    fn validate(&self) -> Result<(), Stale> {
        Ok(())
    }

    #[inline(always)]
    fn hold(&mut self, _: usize, seen: Words<'m>) -> Words<'m> {
        seen
    }

    #[inline(always)]
    fn renew(&mut self, _: usize, seen: Words<'m>) -> Words<'m> {
        seen
    }
}
