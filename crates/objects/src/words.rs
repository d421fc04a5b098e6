//! The memory of an object as words that are found by their numbers, so that it may lie at different addresses in each
//! process.

use super::part::Part;
use super::sync::{has, Word};
use core::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

/// Words in memory that tasks share. All accesses are atomic.
#[derive(Clone, Copy, Debug)]
pub struct Words<'m>(&'m [Word]);

impl<'m> Words<'m> {
    /// Wraps these words.
    pub fn new(words: &'m [Word]) -> Self {
        Words(words)
    }

    /// The number of words.
    pub fn count(self) -> usize {
        self.0.len()
    }

    /// The `count` words from number `first` on.
    #[inline]
    pub fn part(self, first: usize, count: usize) -> Self {
        Words(&self.0[first..][..count])
    }

    /// The words from number `first` on.
    pub fn from(self, first: usize) -> &'m [Word] {
        &self.0[first..]
    }

    /// The word with this number.
    #[inline]
    pub fn at(self, number: usize) -> &'m Word {
        &self.0[number]
    }

    /// Reads a word whose value need not be newer than what the caller knows already.
    #[inline]
    pub fn get(self, number: usize) -> u64 {
        self.0[number].load(Relaxed)
    }

    /// Writes a word, which others see after the caller's next release.
    #[inline]
    pub fn set(self, number: usize, value: u64) {
        self.0[number].store(value, Relaxed);
    }

    /// Reads as many words as `into` has.
    #[inline]
    pub fn get_all(self, into: &mut [u64]) {
        into.iter_mut().enumerate().for_each(|(index, word)| *word = self.get(index));
    }

    /// Writes as many words as `from` has.
    #[inline]
    pub fn set_all(self, from: &[u64]) {
        from.iter().enumerate().for_each(|(index, word)| self.set(index, *word));
    }

    /// Reads a word with acquire: the caller sees all that the writer had seen.
    #[inline]
    pub fn acquire(self, number: usize) -> u64 {
        self.0[number].load(Acquire)
    }

    /// Writes a word with release: a reader that acquires it sees all that the writer has seen.
    #[inline]
    pub fn release(self, number: usize, value: u64) {
        self.0[number].store(value, Release);
    }

    /// Copies the words of `from`, which are as many, one after the other.
    #[inline(never)]
    pub fn copy(self, from: Words<'m>) {
        let (mut to, mut from) = (self, from);
        // Eight at a time take fewer instructions.
        while let (Some((eight, rest)), Some((into, room))) =
            (from.0.split_first_chunk::<8>(), to.0.split_first_chunk::<8>())
        {
            Words(into).copy_few(Words(eight));
            (from, to) = (Words(rest), Words(room));
        }
        to.copy_few(from);
    }

    /// Copies words as [`Words::copy`] does, for so few that the compiler unrolls the loop.
    #[inline(always)]
    pub fn copy_few(self, from: Words<'m>) {
        for index in 0..self.count() {
            self.release(index, from.acquire(index));
        }
    }
}

/// Words that are found by blocks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'m> {
    words: Words<'m>,
    size: usize,
    /// The last word at which a block may begin.
    last: usize,
}

impl<'m> Blocks<'m> {
    /// Divides these words into blocks of `size` words.
    #[inline(always)]
    pub fn new(words: Words<'m>, size: usize) -> Self {
        assert!(words.count() >= size, "there is a block");
        Blocks { words, size, last: words.count().wrapping_sub(size) }
    }

    /// The block that begins at this word.
    #[inline(always)]
    pub fn at(self, place: u64) -> Words<'m> {
        let place = place as usize;
        assert!(place <= self.last, "a block is within the object");
        // SAFETY: the block ends with the words at last. Checked by one comparison, not two: an operation makes dozens.
        Words(unsafe { self.words.0.get_unchecked(place..place.wrapping_add(self.size)) })
    }
}

/// `ordering`, or a relaxed one if a test leaves this part out.
#[inline(always)]
pub(crate) fn ordering(part: Part, ordering: Ordering) -> Ordering {
    if has(part) {
        ordering
    } else {
        Relaxed
    }
}
