//! An attempt of an operation: it reads the blocks of one version, and writes copies of those that it changes.
//!
//! Anderson and Moir 1999, the procedures Read and Write of their lock-free construction. A block that was replaced is its task's next copy, so
//! an attempt on an old version may read what another one writes. A read of theirs therefore validates the version, and the operation
//! ends where that fails.
//!
//! **This file's own:** only reads by which an operation finds other words validate ([`Memory::read`]). What it compares, writes or answers, it
//! may read without ([`Memory::peek`]): whatever that is, the operation stays within the object and ends, and an attempt whose version
//! has changed by its end does not count.
//!
//! A version lists where its blocks are, each in one number. Where a task's copies are is in the object's memory, and only that: which blocks it
//! has copied, and where those were, is of no use to another process, and in memory of its own.
//!
//! A task that stored the last two versions has both in its own buffers. They differ by the blocks of the later one that it copied. So it
//! mends the older list in these places, and if no other has stored by its next attempt, that does not copy the list. Each other attempt does.

use super::super::part::Part;
use super::super::sequential::{Held, Memory, Sequential, Stale};
use super::super::sync::{has, Word, LINE};
use super::super::words::Words;
use super::long::{Link, Long};
use alloc::boxed::Box;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

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
    /// Where the tasks' own words begin: where their copies are.
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
        let mut layout =
            Layout { block, shift: block.ilog2(), blocks, width, copies, tasks, own, blocks_at: 0 };
        // Each block begins at a multiple of its size, so that small ones are in one cache line.
        layout.blocks_at = layout.own_at(tasks).next_multiple_of(block);
        layout
    }

    /// Where the words of task `task` alone begin: not in a cache line with those of others.
    fn own_at(&self, task: usize) -> usize {
        self.own + self.copies.next_multiple_of(LINE) * task
    }

    /// The words of task `me` alone.
    fn own<'m>(&self, words: Words<'m>, me: usize) -> &'m [Word] {
        &words.from(self.own_at(me))[..self.copies]
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
        for task in 0..self.tasks {
            for (copy, at) in self.own(words, task).iter().enumerate() {
                at.store(place(self.blocks + self.copies * task + copy), Relaxed);
            }
        }
    }

    /// Accesses to shared words that an attempt of one operation makes at most.
    pub(super) fn steps(&self, object: &impl Sequential) -> usize {
        // An access is to the block's number, the word and the version. A first write copies the block, and is to three numbers; storing
        // it is to three.
        3 * object.accesses() + object.written_blocks(self.block) * (2 * self.block + 6)
    }
}

/// A block that an attempt has copied.
#[derive(Debug)]
struct Copied<'m> {
    /// Says where the copy is.
    at: &'m Word,
    /// Which of the object's blocks it is.
    which: usize,
    /// Where the block is that it replaces.
    replaced: u64,
}

/// A task's drafts, one for each attempt.
#[derive(Debug)]
pub(super) struct Draft<'m> {
    long: Long<'m>,
    layout: Layout,
    /// This task's copies.
    copies: Box<[Copied<'m>]>,
    /// Where each block is, in each of this task's buffers.
    lists: [Words<'m>; 2],
    /// The version that the attempt began with.
    link: Link,
    /// Whether the list is that of the version, unless another task has stored since.
    is_known: bool,
    /// How many blocks were copied.
    copied: usize,
    /// Which ones, by the last bits of their numbers.
    marks: u64,
}

impl<'m> Draft<'m> {
    pub(super) fn new(words: Words<'m>, layout: Layout, me: usize) -> Self {
        let long = Long::new(words, layout.width, me);
        let copies = layout.own(words, me).iter().map(|at| Copied { at, which: 0, replaced: 0 }).collect();
        let lists = [false, true].map(|half| words.part(long.own(half), layout.blocks));
        let link = long.seen(long.word());
        Draft { long, layout, copies, lists, link, is_known: false, copied: 0, marks: 0 }
    }

    /// The words that all tasks share.
    #[inline(always)]
    pub(super) fn words(&self) -> Words<'m> {
        self.long.shared()
    }

    /// How the object's words are laid out.
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Where the current version is.
    pub(super) fn value(&self) -> usize {
        self.long.value(self.long.seen(self.long.word()))
    }

    /// Begins an attempt; false if another task stored meanwhile. What was known of the list is used up.
    #[inline(always)]
    pub(super) fn begin(&mut self) -> bool {
        (self.copied, self.marks) = (0, 0);
        let now = self.long.word();
        let is_known = core::mem::take(&mut self.is_known);
        if is_known && (self.link.word == now || !has(Part::LastVersion)) {
            if !has(Part::LastVersion) {
                self.link.word = now;
            }
            return self.layout.width == self.layout.blocks || self.copy_from(self.layout.blocks);
        }
        self.link = self.long.seen(now);
        self.copy_from(0)
    }

    /// Copies the version's words from this one on; false if another task stored meanwhile.
    #[inline(never)]
    fn copy_from(&self, first: usize) -> bool {
        self.long.copy(self.link, first);
        self.long.is_valid(self.link)
    }

    /// The part of the version that is not blocks.
    pub(super) fn more(&self, at: usize) -> usize {
        self.long.own(self.link.half) + self.layout.blocks + at
    }

    /// What an operation sees.
    #[inline(always)]
    pub(super) fn view<const BLOCK: usize>(&mut self) -> View<'_, 'm, BLOCK> {
        View {
            words: self.words(),
            list: self.lists[usize::from(self.link.half)],
            version: self.long.at(),
            seen: self.link.word,
            shift: self.layout.shift,
            block: self.layout.block,
            written: NONE,
            copy: 0,
            draft: self,
        }
    }

    /// Whether the attempt has changed nothing.
    #[inline(always)]
    pub(super) fn is_unchanged(&self) -> bool {
        self.copied == 0
    }

    /// Ends an attempt that has changed nothing: whether it counts, since no other task has stored.
    pub(super) fn leave(&mut self) -> bool {
        self.is_known = true;
        self.long.is_valid(self.link)
    }

    /// Makes the draft the object, unless another task has changed that; then the replaced blocks are this task's copies.
    #[inline(always)]
    pub(super) fn store(&mut self) -> bool {
        let Some(link) = self.long.store(self.link) else { return false };
        // The next draft is where the version before is, if that is this task's.
        let is_known = self.long.is_own(self.link) || !has(Part::OwnVersion);
        let list = self.lists[usize::from(link.half)];
        for copied in &self.copies[..self.copied] {
            if is_known {
                list.release(copied.which, copied.at.load(Relaxed));
            }
            copied.at.store(copied.replaced, Relaxed);
        }
        (self.link, self.is_known) = (link, is_known);
        true
    }

    /// Whether the attempt has copied this block. Its mark nearly always tells.
    #[inline(always)]
    fn is_copied(&self, which: usize) -> bool {
        self.marks & mark(which) != 0 && self.is_found(which)
    }

    #[inline(never)]
    fn is_found(&self, which: usize) -> bool {
        self.copies[..self.copied].iter().any(|copied| copied.which == which)
    }

    /// Copies this block, and says where to.
    #[inline(never)]
    fn copy<const BLOCK: usize>(&mut self, list: Words<'m>, which: usize) -> usize {
        let Some(copied) = self.copies.get_mut(self.copied) else {
            panic!("an operation writes into as many blocks as it says");
        };
        let (block, copy) = (list.get(which), copied.at.load(Relaxed));
        (copied.which, copied.replaced) = (which, block);
        self.copied = self.copied.wrapping_add(1);
        self.marks |= mark(which);
        list.release(which, copy);
        let count = if BLOCK == ANY { self.layout.block } else { BLOCK };
        self.words().copy(block as usize, copy as usize, count);
        copy as usize
    }
}

/// The mark of a block, which others may have, too.
fn mark(which: usize) -> u64 {
    1_u64.wrapping_shl(which as u32)
}

/// Blocks of a size that the compiler does not know.
pub(super) const ANY: usize = 0;

/// No block.
const NONE: usize = usize::MAX;

/// The words that an operation sees: values of its own, so that they stay in registers.
#[derive(Debug)]
pub(super) struct View<'a, 'm, const BLOCK: usize> {
    draft: &'a mut Draft<'m>,
    words: Words<'m>,
    list: Words<'m>,
    /// The version now, and what the attempt saw.
    version: &'m Word,
    seen: u64,
    shift: u32,
    block: usize,
    /// The block that was written last, and where its copy is.
    written: usize,
    copy: usize,
}

impl<const BLOCK: usize> View<'_, '_, BLOCK> {
    /// The block of a word.
    #[inline(always)]
    fn block(&self, at: usize) -> usize {
        match BLOCK {
            ANY => at.wrapping_shr(self.shift),
            _ => at / BLOCK,
        }
    }

    /// This block is to be written.
    #[inline(always)]
    fn turn_to(&mut self, block: usize) {
        if block != self.written {
            self.written = block;
            self.copy = if self.draft.is_copied(block) || !has(Part::CopiedBlock) {
                self.list.get(block) as usize
            } else {
                self.draft.copy::<BLOCK>(self.list, block)
            };
        }
    }

    /// Which word of its block.
    #[inline(always)]
    fn within(&self, at: usize) -> usize {
        at & (if BLOCK == ANY { self.block } else { BLOCK }).wrapping_sub(1)
    }
}

impl<const BLOCK: usize> Memory for View<'_, '_, BLOCK> {
    #[inline(always)]
    fn read(&mut self, at: usize) -> Result<u64, Stale> {
        let value = self.peek(at);
        if has(Part::ValidatedRead) && self.version.load(Acquire) != self.seen {
            return Err(Stale);
        }
        Ok(value)
    }

    #[inline(always)]
    fn peek(&mut self, at: usize) -> u64 {
        let place = self.list.get(self.block(at)) as usize;
        self.words.acquire(place | self.within(at))
    }

    #[inline(always)]
    fn hold(&mut self, at: usize) -> Held {
        self.turn_to(self.block(at));
        Held(self.copy.wrapping_sub(at).wrapping_add(self.within(at)))
    }

    #[inline(always)]
    fn get(&self, held: Held, at: usize) -> u64 {
        self.words.get(held.0.wrapping_add(at))
    }

    #[inline(always)]
    fn set(&self, held: Held, at: usize, value: u64) {
        self.words.release(held.0.wrapping_add(at), value);
    }

    #[inline(always)]
    fn write(&mut self, at: usize, value: u64) -> Result<(), Stale> {
        self.turn_to(self.block(at));
        self.words.release(self.copy | self.within(at), value);
        Ok(())
    }
}
