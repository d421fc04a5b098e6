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
        Words(&self.0[first..first + count])
    }

    /// Those words, by `N` each.
    #[inline]
    pub fn groups<const N: usize>(self) -> impl Iterator<Item = &'m [Word; N]> {
        self.0.chunks_exact(N).map(|group| group.try_into().expect("so many words"))
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
    #[inline]
    pub fn copy(self, from: usize, to: usize, count: usize) {
        let (from, to) = (self.part(from, count), self.part(to, count));
        // Eight at a time take fewer instructions.
        for (from, to) in from.groups::<8>().zip(to.groups::<8>()) {
            copy(from, to);
        }
        let first = count - count % 8;
        copy(&from.0[first..], &to.0[first..]);
    }
}

#[inline]
fn copy(from: &[Word], to: &[Word]) {
    for (from, to) in from.iter().zip(to) {
        to.store(from.load(Acquire), Release);
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
