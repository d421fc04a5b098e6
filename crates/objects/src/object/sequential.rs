//! Objects as one task alone would use them: what the lock protects, and what the universal constructions make of it.

use super::super::words::{Blocks, Words};

/// What a task asks of a queue or heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Add this value.
    Put(u64),
    /// Take out the value whose turn it is.
    Take,
}

/// What came of it: of [`Request::Put`] the same value, or nothing if the object is full; of [`Request::Take`] the
/// value, or nothing if the object is empty.
pub type Answer = Option<u64>;

/// The attempt has read what no longer is: its result does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale;

/// Blocks of a size that the compiler does not know.
pub const ANY: usize = 0;
/// The usual words of a heap's blocks. Known to the compiler, they take fewer instructions.
pub const USUAL: usize = 8;

/// The blocks of the object as an operation sees them. What it has seen may be of two versions until it validates. It
/// validates before it finds other words by what it saw. What it only compares, moves or answers may be any, and the
/// operation has to end then, too.
pub trait Memory<'m> {
    /// Words of a block, or [`ANY`].
    const BLOCK: usize;
    /// A block as it is.
    fn look(&self, block: usize) -> Words<'m>;
    /// Whether all that was seen is of one version.
    fn validate(&self) -> Result<(), Stale>;
    /// The block that was seen, to be written.
    fn hold(&mut self, block: usize, seen: Words<'m>) -> Words<'m>;
    /// The same block, of which the operation writes all that counts.
    fn renew(&mut self, block: usize, seen: Words<'m>) -> Words<'m>;
}

/// An object for one task at a time. All words zero is an empty one.
pub trait Sequential {
    /// How many words it has.
    fn words(&self) -> usize;
    /// How many of them a block has: a power of two.
    fn block(&self) -> usize;
    /// Into how many different blocks an operation writes at most.
    fn written_blocks(&self) -> usize;
    /// How many blocks an operation looks at, and words it reads or writes, at most.
    fn accesses(&self) -> usize;
    /// Executes an operation.
    fn apply<'m, M: Memory<'m>>(&self, request: Request, memory: &mut M) -> Result<Answer, Stale>;
}

/// A queue or heap: what values are put into and taken from.
pub trait Container: Sequential + Copy {
    /// Words of a block that take the least time, where blocks are copied. A version lists all of them, and an
    /// operation copies a few: about as many words each is best, where another task has stored between.
    const BLOCK: usize;

    /// One of at most `capacity` values, in blocks of so many words.
    fn new(capacity: usize, block: usize) -> Self;
}

/// Words that do not change meanwhile, in blocks of so many.
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
