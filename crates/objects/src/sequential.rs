//! Objects as one task alone would use them: what the lock protects, and what the universal constructions make of it.

use super::words::Words;

/// What a task asks of a queue or heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Add this value.
    Put(u64),
    /// Take out the value whose turn it is.
    Take,
}

/// What came of it: of [`Request::Put`] the same value, or nothing if the object is full; of [`Request::Take`] the value, or nothing
/// if the object is empty.
pub type Answer = Option<u64>;

/// The attempt has read what no longer is: its result does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale;

/// A block that is held: where its words are, less their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Held(pub usize);

/// The words of the object as an operation sees them.
pub trait Memory {
    /// Reads a word by which the operation finds others.
    fn read(&mut self, at: usize) -> Result<u64, Stale>;
    /// Reads a word that the operation compares, writes or answers, but finds no other by. It may be any if the attempt has read what no
    /// longer is, and the operation has to end then, too.
    fn peek(&mut self, at: usize) -> u64;
    /// Makes the block of a word ready to be written. Then its words take fewer instructions.
    fn hold(&mut self, at: usize) -> Held;
    /// Reads a word of a block that is held, as [`Memory::peek`] does.
    fn get(&self, held: Held, at: usize) -> u64;
    /// Writes a word of a block that is held.
    fn set(&self, held: Held, at: usize, value: u64);
    /// Writes a word.
    fn write(&mut self, at: usize, value: u64) -> Result<(), Stale>;
}

/// An object for one task at a time. All words zero is an empty one.
pub trait Sequential {
    /// How many words it has.
    fn words(&self) -> usize;
    /// Into how many different blocks of `block` words an operation writes at most.
    fn written_blocks(&self, block: usize) -> usize;
    /// How many words an operation reads or writes at most.
    fn accesses(&self) -> usize;
    /// Executes an operation.
    fn apply(&self, request: Request, memory: &mut impl Memory) -> Result<Answer, Stale>;
}

/// Words that do not change meanwhile.
#[derive(Debug)]
pub struct Exclusive<'m>(pub Words<'m>);

impl Memory for Exclusive<'_> {
    #[inline(always)]
    fn read(&mut self, at: usize) -> Result<u64, Stale> {
        Ok(self.peek(at))
    }

    #[inline(always)]
    fn peek(&mut self, at: usize) -> u64 {
        self.0.get(at)
    }

    #[inline(always)]
    fn hold(&mut self, _: usize) -> Held {
        Held(0)
    }

    #[inline(always)]
    fn get(&self, _: Held, at: usize) -> u64 {
        self.0.get(at)
    }

    #[inline(always)]
    fn set(&self, _: Held, at: usize, value: u64) {
        self.0.set(at, value);
    }

    #[inline(always)]
    fn write(&mut self, at: usize, value: u64) -> Result<(), Stale> {
        self.0.set(at, value);
        Ok(())
    }
}
