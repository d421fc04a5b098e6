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

/// The words of the object as an operation sees them.
pub trait Memory {
    /// Reads a word.
    fn read(&mut self, at: usize) -> Result<u64, Stale>;
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
    fn read(&mut self, at: usize) -> Result<u64, Stale> {
        Ok(self.0.get(at))
    }

    fn write(&mut self, at: usize, value: u64) -> Result<(), Stale> {
        self.0.set(at, value);
        Ok(())
    }
}
