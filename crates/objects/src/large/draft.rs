//! An attempt of an operation: it reads the blocks of one version, and writes copies of those that it changes.
//!
//! Anderson and Moir 1999, the procedures Read and Write of their lock-free construction. A block that was replaced is its task's next copy, so
//! an attempt on an old version may read what another one writes. Each read therefore validates the version, and the operation
//! ends where that fails; no sequential object ever sees words of two versions.
//!
//! **This file's own:** a block's number in the draft carries a mark while it is this attempt's copy.
//! The numbers of a task's copies are in the object's memory, so that nothing is allocated.
//!
//! A task that stored the last two versions has both in its own buffers. They differ by the blocks of the later one that it copied. So where no
//! other has stored since, it mends the older list in these places instead of copying the list ([`Known`]). Each other attempt copies all.

use super::super::part::Part;
use super::super::sequential::{Memory, Sequential, Stale};
use super::super::sync::has;
use super::super::words::Words;
use super::long::{Link, Long};

/// Marks a block that is this attempt's copy.
const COPY: u64 = 1 << 63;

/// How the words of an object are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Words of a block.
    pub block: usize,
    /// Blocks of the object.
    pub blocks: usize,
    /// Words of a version: its blocks and what the construction adds.
    pub width: usize,
    /// Copies of each task.
    pub copies: usize,
    pub tasks: usize,
    /// Where the tasks' own words begin: the numbers of their copies, of the blocks that those replace, and where.
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
        Layout { block, blocks, width, copies, tasks, own, blocks_at: own + 3 * copies * tasks }
    }

    /// All words.
    pub(super) fn words(&self) -> usize {
        self.blocks_at + (self.blocks + self.copies * self.tasks) * self.block
    }

    /// Writes the first version, of blocks that are zero, into words that are zero.
    pub(super) fn set_up(&self, words: Words<'_>) {
        for at in 0..self.blocks {
            words.set(Long::FIRST + at, at as u64);
        }
        for task in 0..self.tasks {
            for copy in 0..self.copies {
                let number = self.blocks + task * self.copies + copy;
                words.set(self.own + 3 * self.copies * task + copy, number as u64);
            }
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
    me: usize,
    /// How many blocks were copied.
    copied: usize,
}

impl<'a, 'm> Draft<'a, 'm> {
    /// Begins with what is there now; nothing if another task stored meanwhile. What was known of the draft is used up.
    pub(super) fn begin(
        words: Words<'m>,
        long: &'a Long<'m>,
        layout: &'a Layout,
        me: usize,
        known: &mut Option<Known>,
    ) -> Option<Self> {
        let link = long.now();
        let draft = Draft { words, long, link, layout, me, copied: 0 };
        match known.take() {
            Some(known) if draft.is_sooner_mended(known) => draft.mend(known.copied),
            Some(_) | None => long.copy(link, 0),
        }
        long.is_valid(link).then_some(draft)
    }

    /// Whether it is known what differs, and to mend it takes fewer accesses than to copy.
    fn is_sooner_mended(&self, known: Known) -> bool {
        let is_known = known.link.is_same(&self.link) || !has(Part::LastVersion);
        is_known && 3 * known.copied < 2 * self.layout.blocks
    }

    /// Makes the draft the version, from which it differs by so many copies.
    fn mend(&self, copied: usize) {
        let value = self.long.value(self.link);
        for copy in 0..copied {
            let at = self.words.get(self.own(2, copy)) as usize;
            self.words.release(self.link.draft + at, self.words.get(value + at));
        }
        self.long.copy(self.link, self.layout.blocks);
    }

    /// The word of this task that says so of its copy `at`: 0 which it is, 1 what it replaces, 2 where.
    #[inline]
    fn own(&self, what: usize, at: usize) -> usize {
        self.layout.own + (3 * self.me + what) * self.layout.copies + at
    }

    #[inline]
    fn word_of(&self, block: u64, at: usize) -> usize {
        self.layout.blocks_at + block as usize * self.layout.block + at
    }

    /// The part of the version that is not blocks.
    pub(super) fn more(&self, at: usize) -> usize {
        self.link.draft + self.layout.blocks + at
    }

    /// Whether the attempt has changed nothing.
    pub(super) fn is_unchanged(&self) -> bool {
        self.copied == 0
    }

    fn copy(&mut self, at: usize, block: u64) -> u64 {
        assert!(self.copied < self.layout.copies, "an operation writes into as many blocks as it says");
        let copy = self.words.get(self.own(0, self.copied));
        self.words.copy(self.word_of(block, 0), self.word_of(copy, 0), self.layout.block);
        self.words.set(self.own(1, self.copied), block);
        self.words.set(self.own(2, self.copied), at as u64);
        self.words.release(self.link.draft + at, copy | COPY);
        self.copied += 1;
        copy
    }

    /// Ends an attempt that has changed nothing: whether it counts, since no other task has stored.
    pub(super) fn leave(&self, known: &mut Option<Known>) -> bool {
        *known = Some(Known { link: self.link, copied: 0 });
        self.long.is_valid(self.link)
    }

    /// Makes the draft the object, unless another task has changed that; then the replaced blocks are this task's copies.
    pub(super) fn store(&self, known: &mut Option<Known>) -> bool {
        for at in 0..self.copied {
            let place = self.link.draft + self.words.get(self.own(2, at)) as usize;
            self.words.release(place, self.words.get(place) & !COPY);
        }
        let Some(link) = self.long.store(self.link) else { return false };
        for at in 0..self.copied {
            self.words.set(self.own(0, at), self.words.get(self.own(1, at)));
        }
        // The next draft is where the version before is, if that is this task's.
        let is_there = self.long.is_own(self.link) || !has(Part::OwnVersion);
        *known = is_there.then_some(Known { link, copied: self.copied });
        true
    }

    /// The block of a word, and which of its words that is.
    #[inline]
    fn place(&self, at: usize) -> (usize, usize) {
        // Objects are small, and to divide short numbers is quicker.
        let (at, block) = (at as u32, self.layout.block as u32);
        ((at / block) as usize, (at % block) as usize)
    }
}

impl Memory for Draft<'_, '_> {
    #[inline]
    fn read(&mut self, at: usize) -> Result<u64, Stale> {
        let (block, word) = self.place(at);
        let number = self.words.get(self.link.draft + block) & !COPY;
        let value = self.words.acquire(self.word_of(number, word));
        if has(Part::ValidatedRead) && !self.long.is_valid(self.link) {
            return Err(Stale);
        }
        Ok(value)
    }

    #[inline]
    fn write(&mut self, at: usize, value: u64) -> Result<(), Stale> {
        let (block, word) = self.place(at);
        let number = self.words.get(self.link.draft + block);
        let copy = match number & COPY {
            0 if has(Part::CopiedBlock) => self.copy(block, number),
            _ => number & !COPY,
        };
        self.words.release(self.word_of(copy, word), value);
        Ok(())
    }
}
