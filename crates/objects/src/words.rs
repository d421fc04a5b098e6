//! The memory of an object: words that are found by their numbers, so that it may lie at different addresses in each process.

use super::part::Part;
use super::sync::{has, Word};
use core::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

/// Words in memory that tasks share. All accesses are atomic.
#[derive(Clone, Copy, Debug)]
pub struct Words<'m>(&'m [Word]);

impl<'m> Words<'m> {
    /// These words.
    pub fn new(words: &'m [Word]) -> Self {
        Words(words)
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.0.len()
    }

    /// `count` of them, from number `first` on.
    #[inline]
    pub fn part(self, first: usize, count: usize) -> Self {
        Words(&self.0[first..][..count])
    }

    /// Those from number `first` on.
    pub fn from(self, first: usize) -> &'m [Word] {
        &self.0[first..]
    }

    /// The word with this number.
    #[inline]
    pub fn at(self, number: usize) -> &'m Word {
        &self.0[number]
    }

    /// Reads what need not be newer than what is known already.
    #[inline]
    pub fn get(self, number: usize) -> u64 {
        self.0[number].load(Relaxed)
    }

    /// Writes what others see after the next release.
    #[inline]
    pub fn set(self, number: usize, value: u64) {
        self.0[number].store(value, Relaxed);
    }

    /// Reads, and sees all that the writer had seen.
    #[inline]
    pub fn acquire(self, number: usize) -> u64 {
        self.0[number].load(Acquire)
    }

    /// Writes; a reader that acquires this sees all that the writer has seen.
    #[inline]
    pub fn release(self, number: usize, value: u64) {
        self.0[number].store(value, Release);
    }

    /// Reads and writes so `count` words, one after the other.
    #[inline(always)]
    pub fn copy(self, from: usize, to: usize, count: usize) {
        let (from, to) = (self.part(from, count).0, self.part(to, count).0);
        match (<&[Word; 8]>::try_from(from), <&[Word; 8]>::try_from(to)) {
            // The usual block, in few instructions.
            (Ok(from), Ok(to)) => copy(from, to),
            _ => copy_all(from, to),
        }
    }
}

/// Eight at a time take fewer instructions.
#[inline(never)]
fn copy_all(from: &[Word], to: &[Word]) {
    for (from, to) in from.chunks(8).zip(to.chunks(8)) {
        match (<&[Word; 8]>::try_from(from), <&[Word; 8]>::try_from(to)) {
            (Ok(from), Ok(to)) => copy(from, to),
            _ => from.iter().zip(to).for_each(|(from, to)| to.store(from.load(Acquire), Release)),
        }
    }
}

#[inline(always)]
fn copy(from: &[Word; 8], to: &[Word; 8]) {
    for at in 0..8 {
        to[at].store(from[at].load(Acquire), Release);
    }
}

/// `ordering`, unless a test leaves this part out.
#[inline(always)]
pub(crate) fn ordering(part: Part, ordering: Ordering) -> Ordering {
    if has(part) {
        ordering
    } else {
        Relaxed
    }
}
