//! A variable of several words with load-linked, validate and store-conditional.
//!
//! Anderson and Moir 1999 (see `large/mod.rs`) make it of one word with these operations: the word names the task that
//! stored last, and which of that task's two buffers has the value. A task that stores writes its other buffer, which
//! no word refers to, and then the word. Their weak load-linked may fail if a store succeeds meanwhile.
//!
//! **64-bit machines** have compare-and-swap. The word has a version (56 bits) beside task and buffer: it never holds
//! the same value twice, so that a compare-and-swap fails exactly where a store-conditional would, and validating is
//! reading. Which of a task's buffers is free, the word says: the other one, or any if another task stored last.
//!
//! Orderings: words of buffers are written with release and read with acquire. Who reads a word that was written for a
//! later version has therefore seen the version change, and its validation fails. The version's word is exchanged with
//! release and read with acquire. To link and to exchange it are also in one order with announcements (`wait_free.rs`).

use super::super::super::part::Part;
use super::super::super::sync::{Word, LINE};
use super::super::super::words::{ordering, Words};
use core::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};

/// Bits of the word: buffer, task, then the version.
const TASK: u32 = 1;
const VERSION: u32 = 8;

/// The largest number of tasks.
pub(super) const MOST_TASKS: usize = 1 << (VERSION - TASK);

/// A version of the variable, as a task has seen it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// The word as it was read.
    pub word: u64,
    /// The one of this task's two buffers that is not the value.
    pub half: bool,
}

/// A variable of `width` words, which are zero at first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Long<'m> {
    words: Words<'m>,
    /// The word that says which value is current.
    word: &'m Word,
    width: usize,
    me: usize,
    /// The part of the word that names this task.
    tag: u64,
}

impl<'m> Long<'m> {
    pub(super) const fn words(width: usize, tasks: usize) -> usize {
        LINE + 2 * tasks * width
    }

    pub(super) fn new(words: Words<'m>, width: usize, me: usize) -> Self {
        Long { words, word: words.at(0), width, me, tag: (me as u64) << TASK }
    }

    /// The word where the buffer of the first version begins.
    pub(super) const FIRST: usize = LINE;

    fn buffer(width: usize, task: usize, half: usize) -> usize {
        LINE + (2 * task + half) * width
    }

    /// The word that says which value is current, for others to compare.
    #[inline]
    pub(super) fn at(&self) -> &'m Word {
        self.word
    }

    /// The current value of the word.
    #[inline]
    pub(super) fn word(&self) -> u64 {
        self.word.load(SeqCst)
    }

    /// The words that all tasks share.
    #[inline]
    pub(super) fn shared(&self) -> Words<'m> {
        self.words
    }

    /// The word where a buffer of this task begins.
    #[inline]
    pub(super) fn own(&self, half: bool) -> usize {
        Self::buffer(self.width, self.me, half.into())
    }

    /// The version that this value of the word names.
    #[inline]
    pub(super) fn seen(&self, word: u64) -> Link {
        Link { word, half: self.stored_by(word) == self.me && word & 1 == 0 }
    }

    #[inline]
    fn stored_by(&self, word: u64) -> usize {
        (word >> TASK) as usize % MOST_TASKS
    }

    /// The word where the value that `link` saw begins.
    #[inline]
    pub(super) fn value(&self, link: Link) -> usize {
        Self::buffer(self.width, self.stored_by(link.word), (link.word & 1) as usize)
    }

    /// True if this task stored the version that `link` saw.
    pub(super) fn is_own(&self, link: Link) -> bool {
        self.stored_by(link.word) == self.me
    }

    /// Copies the value's words from `first` on into this task's draft.
    #[inline]
    pub(super) fn copy(&self, link: Link, first: usize) {
        if first < self.width {
            let part = |begin| self.words.part(begin + first, self.width - first);
            part(self.own(link.half)).copy(part(self.value(link)));
        }
    }

    /// True if no task stored since `link` was seen.
    #[inline]
    pub(super) fn is_valid(&self, link: Link) -> bool {
        self.word.load(Acquire) == link.word
    }

    /// Makes the draft the value, and returns the link to it; nothing if another task stored since.
    #[inline]
    pub(super) fn store(&self, link: Link) -> Option<Link> {
        let next = (link.word >> VERSION).wrapping_add(1) << VERSION | self.tag | u64::from(link.half);
        let published = ordering(Part::PublishedVersion, SeqCst);
        let stored = self.word.compare_exchange(link.word, next, published, Relaxed);
        stored.ok().map(|_| Link { word: next, half: !link.half })
    }
}
