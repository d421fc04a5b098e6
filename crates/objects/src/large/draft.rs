//! An attempt of an operation: it reads the blocks of one version, and writes copies of those that it changes.
//!
//! Anderson and Moir 1999, the procedures Read and Write of their lock-free construction. A block that was replaced is its task's next copy, so
//! an attempt on an old version may read what another one writes. Each read therefore validates the version, and the operation
//! ends where that fails; no sequential object ever sees words of two versions.
//!
//! **This file's own:** a version lists where its blocks are, each in one number, which carries a mark in the draft while it is this attempt's
//! copy. Where a task's copies are is in the object's memory, so that nothing is allocated.
//!
//! A task that stored the last two versions has both in its own buffers. They differ by the blocks of the later one that it copied. So where no
//! other has stored since, it mends the older list in these places instead of copying the list ([`Known`]). Each other attempt copies all.

use super::super::part::Part;
use super::super::sequential::{Memory, Sequential, Stale};
use super::super::sync::has;
use super::super::words::Words;
use super::long::{Link, Long};
use core::sync::atomic::Ordering::Relaxed;

/// Marks a block that is this attempt's copy.
const COPY: u64 = 1 << 63;

/// What a task's own words say of a copy: where it is, where the block is that it replaces, and which of the object's blocks that is.
const COPY_AT: usize = 0;
const REPLACED_AT: usize = 1;
const WHICH: usize = 2;
/// A power of two, so that they are quickly counted.
const OWN: usize = 4;

/// How the words of an object are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Words of a block: a power of two.
    pub block: usize,
    /// Of which power.
    shift: u32,
    /// Blocks of the object.
    pub blocks: usize,
    /// Words of a version: its blocks and what the construction adds.
    pub width: usize,
    /// Copies of each task.
    pub copies: usize,
    pub tasks: usize,
    /// Where the tasks' own words begin: by copy, where that is, where the block is that it replaces, and which one that is.
    own: usize,
    /// Where the blocks begin.
    blocks_at: usize,
}

impl Layout {
    /// For operations of `object`, of which an attempt executes at most `operations`.
    pub(super) fn of(
        object: &impl Sequential,
        block: usize,
        more: usize,
        operations: usize,
        tasks: usize,
    ) -> Self {
        let blocks = object.words().div_ceil(block);
        let copies = (object.written_blocks(block) * operations).min(blocks);
        let width = blocks + more;
        let own = Long::words(width, tasks);
        // Each block begins at a multiple of its size, so that small ones are in one cache line.
        let blocks_at = (own + OWN * copies * tasks).next_multiple_of(block);
        Layout { block, shift: block.ilog2(), blocks, width, copies, tasks, own, blocks_at }
    }

    /// The words of task `me` alone.
    pub(super) fn own<'m>(&self, words: Words<'m>, me: usize) -> Words<'m> {
        words.part(self.own + OWN * self.copies * me, OWN * self.copies)
    }

    /// All words.
    pub(super) fn words(&self) -> usize {
        self.blocks_at + (self.blocks + self.copies * self.tasks) * self.block
    }

    /// Writes the first version, of blocks that are zero, into words that are zero.
    pub(super) fn set_up(&self, words: Words<'_>) {
        let place = |number: usize| (self.blocks_at + number * self.block) as u64;
        for at in 0..self.blocks {
            words.set(Long::FIRST + at, place(at));
        }
        for copy in 0..self.tasks * self.copies {
            words.set(self.own + OWN * copy + COPY_AT, place(self.blocks + copy));
        }
    }

    /// Accesses to shared words that an attempt of one operation makes at most.
    pub(super) fn steps(&self, object: &impl Sequential) -> usize {
        // An access is to the block's number, the word and the version. A first write copies the block, and is to four numbers; storing
        // it is to five.
        3 * object.accesses() + object.written_blocks(self.block) * (2 * self.block + 9)
    }
}

/// What a task knows of the draft of its next attempt, if that begins with the same version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    link: Link,
    /// The draft's list is the version's but where the task's first so many copies are.
    copied: usize,
}

/// The words that an attempt sees.
#[derive(Debug)]
pub(super) struct Draft<'a, 'm> {
    words: Words<'m>,
    long: &'a Long<'m>,
    link: Link,
    layout: &'a Layout,
    /// Where each block is.
    list: Words<'m>,
    /// This task's own words.
    own: Words<'m>,
    /// How many blocks were copied.
    copied: usize,
}

impl<'a, 'm> Draft<'a, 'm> {
    /// Of what is there now. It stays where it is made: to move so many words costs as much as to copy a block.
    #[inline(always)]
    pub(super) fn new(words: Words<'m>, long: &'a Long<'m>, layout: &'a Layout, own: Words<'m>) -> Self {
        let link = long.now();
        let list = words.part(link.draft, layout.blocks);
        Draft { words, long, link, layout, list, own, copied: 0 }
    }

    /// Begins the attempt; false if another task stored meanwhile. What was known of the draft is used up.
    #[inline(always)]
    pub(super) fn begin(&self, known: &mut Option<Known>) -> bool {
        match known.take() {
            Some(known) if self.is_sooner_mended(known) => self.mend(known.copied),
            Some(_) | None => self.long.copy(self.link, 0),
        }
        self.long.is_valid(self.link)
    }

    /// Whether it is known what differs, and to mend it takes fewer accesses than to copy.
    #[inline]
    fn is_sooner_mended(&self, known: Known) -> bool {
        let is_known = known.link.is_same(&self.link) || !has(Part::LastVersion);
        is_known && 3 * known.copied < 2 * self.layout.blocks
    }

    /// Makes the draft the version, from which it differs by so many copies.
    #[inline]
    fn mend(&self, copied: usize) {
        let version = self.words.part(self.long.value(self.link), self.layout.blocks);
        for copy in self.own.groups::<OWN>().take(copied) {
            let which = copy[WHICH].load(Relaxed) as usize;
            self.list.release(which, version.get(which));
        }
        self.long.copy(self.link, self.layout.blocks);
    }

    /// The part of the version that is not blocks.
    pub(super) fn more(&self, at: usize) -> usize {
        self.link.draft + self.layout.blocks + at
    }

    /// Whether the attempt has changed nothing.
    pub(super) fn is_unchanged(&self) -> bool {
        self.copied == 0
    }

    #[inline(never)]
    fn copy(&mut self, which: usize, block: u64) -> u64 {
        assert!(self.copied < self.layout.copies, "an operation writes into as many blocks as it says");
        let own = self.own.part(OWN * self.copied, OWN);
        let copy = own.get(COPY_AT);
        self.words.copy(block as usize, copy as usize, self.layout.block);
        own.set(REPLACED_AT, block);
        own.set(WHICH, which as u64);
        self.list.release(which, copy | COPY);
        self.copied += 1;
        copy
    }

    /// Ends an attempt that has changed nothing: whether it counts, since no other task has stored.
    pub(super) fn leave(&self, known: &mut Option<Known>) -> bool {
        *known = Some(Known { link: self.link, copied: 0 });
        self.long.is_valid(self.link)
    }

    /// Makes the draft the object, unless another task has changed that; then the replaced blocks are this task's copies.
    #[inline]
    pub(super) fn store(&self, known: &mut Option<Known>) -> bool {
        let copies = || self.own.groups::<OWN>().take(self.copied);
        for copy in copies() {
            self.list.release(copy[WHICH].load(Relaxed) as usize, copy[COPY_AT].load(Relaxed));
        }
        let Some(link) = self.long.store(self.link) else { return false };
        for copy in copies() {
            copy[COPY_AT].store(copy[REPLACED_AT].load(Relaxed), Relaxed);
        }
        // The next draft is where the version before is, if that is this task's.
        let is_there = self.long.is_own(self.link) || !has(Part::OwnVersion);
        *known = is_there.then_some(Known { link, copied: self.copied });
        true
    }

    /// The block of a word, and which of its words that is.
    #[inline]
    fn place(&self, at: usize) -> (usize, usize) {
        (at.wrapping_shr(self.layout.shift), at & (self.layout.block - 1))
    }
}

impl Memory for Draft<'_, '_> {
    #[inline(always)]
    fn read(&mut self, at: usize) -> Result<u64, Stale> {
        let (block, word) = self.place(at);
        let place = self.list.get(block) & !COPY;
        let value = self.words.acquire(place as usize | word);
        if has(Part::ValidatedRead) && !self.long.is_valid(self.link) {
            return Err(Stale);
        }
        Ok(value)
    }

    #[inline(always)]
    fn write(&mut self, at: usize, value: u64) -> Result<(), Stale> {
        let (block, word) = self.place(at);
        let place = self.list.get(block);
        let copy = match place & COPY {
            0 if has(Part::CopiedBlock) => self.copy(block, place),
            _ => place & !COPY,
        };
        self.words.release(copy as usize | word, value);
        Ok(())
    }
}
