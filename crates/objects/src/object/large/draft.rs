//! An attempt of an operation: it reads the blocks of one version, and writes copies of those that it changes.
//!
//! Anderson and Moir 1999, the procedures Read and Write of their lock-free construction. A block that was replaced is
//! its task's next copy, so an attempt on an old version may read what another one writes. A read of theirs therefore
//! validates the version, and the operation ends where that fails.
//!
//! **This file's own:** an operation validates only before it finds other words by what it read ([`Memory::validate`]).
//! What it compares, moves or answers, it may read without: whatever that is, the operation stays within the object and
//! ends, and an attempt whose version has changed by its end does not count. An operation that writes a block anew has
//! no copy made of the old one ([`Memory::renew`]).
//!
//! A version lists where its blocks are, each in one number. Where a task's copies are is in the object's memory, and
//! only that: which blocks it has copied, and where those were, is of no use to another process, and in memory of its
//! own.
//!
//! A task that stored the last two versions has both in its own buffers. They differ by the blocks of the later one
//! that it copied. So it mends the older list in these places, and if no other has stored by its next attempt, that
//! does not copy the list. Each other attempt does.

use super::super::super::part::Part;
use super::super::super::sync::{has, Word, LINE};
use super::super::super::words::{Blocks, Words};
use super::super::sequential::{Answer, Memory, Request, Sequential, Stale, ANY};
use super::long::{Link, Long};
use alloc::boxed::Box;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

/// The layout of an object's words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Number of words of a block: a power of two.
    pub block: usize,
    /// Number of blocks of the object.
    pub blocks: usize,
    /// Number of words of a version: its blocks and what the construction adds.
    pub width: usize,
    /// Number of copies that each task has.
    pub copies: usize,
    pub tasks: usize,
    /// The word where the tasks' own words begin, which say where their copies are.
    own: usize,
    /// The word where the blocks begin.
    blocks_at: usize,
}

impl Layout {
    /// The layout for operations of `object`, of which an attempt executes at most `operations`.
    pub(super) fn of(object: &impl Sequential, more: usize, operations: usize, tasks: usize) -> Self {
        let block = object.block();
        let blocks = object.words().div_ceil(block);
        let copies = (object.written_blocks() * operations).min(blocks);
        let width = blocks + more;
        let own = Long::words(width, tasks);
        let mut layout = Layout { block, blocks, width, copies, tasks, own, blocks_at: 0 };
        // Each block begins at a multiple of its size, so that small ones are in one cache line.
        layout.blocks_at = layout.own_at(tasks).next_multiple_of(block);
        layout
    }

    /// The word where the words of `task` alone begin: not in a cache line with those of other tasks.
    fn own_at(&self, task: usize) -> usize {
        self.own + self.copies.next_multiple_of(LINE) * task
    }

    /// The words of task `me` alone.
    fn own<'m>(&self, words: Words<'m>, me: usize) -> Words<'m> {
        words.part(self.own_at(me), self.copies)
    }

    /// The number of all words.
    pub(super) fn words(&self) -> usize {
        self.blocks_at + (self.blocks + self.copies * self.tasks) * self.block
    }

    /// Writes the first version, of blocks that are zero, into words that are zero.
    pub(super) fn set_up(&self, words: Words<'_>) {
        let place = |number: usize| (self.blocks_at + number * self.block) as u64;
        for index in 0..self.blocks {
            words.set(Long::FIRST + index, place(index));
        }
        for task in 0..self.tasks {
            let own = self.own(words, task);
            (0..self.copies).for_each(|copy| own.set(copy, place(self.blocks + self.copies * task + copy)));
        }
    }

    /// The largest number of accesses to shared words that an attempt of one operation makes.
    pub(super) fn steps(&self, object: &impl Sequential) -> usize {
        // It validates once. A first write copies the block, and is to three numbers; storing it is to three.
        1 + object.accesses() + object.written_blocks() * (2 * self.block + 6)
    }
}

/// A block that an attempt has copied.
#[derive(Debug)]
struct Copied<'m> {
    /// The word that says where the copy is.
    at: &'m Word,
    /// The object's block that was copied, by its number.
    which: usize,
    /// The place of the block that the copy replaces.
    replaced: u64,
}

/// The drafts of one task, one for each attempt.
#[derive(Debug)]
pub(super) struct Draft<'m> {
    long: Long<'m>,
    layout: Layout,
    /// By buffer of this task: the list that says where each block is.
    lists: [Words<'m>; 2],
    /// The version with which the attempt began.
    link: Link,
    /// True if the list is that of the version, unless another task has stored since.
    is_known: bool,
    /// The number of blocks that were copied: the first of this task's `copies` are theirs.
    copied: usize,
    copies: Box<[Copied<'m>]>,
    /// The blocks that were copied, by the last bits of their numbers.
    marks: u64,
}

impl<'m> Draft<'m> {
    pub(super) fn new(words: Words<'m>, layout: Layout, me: usize) -> Self {
        let long = Long::new(words, layout.width, me);
        let copies =
            layout.own(words, me).from(0).iter().map(|at| Copied { at, which: 0, replaced: 0 }).collect();
        let lists = [false, true].map(|half| words.part(long.own(half), layout.blocks));
        let link = long.seen(long.word());
        Draft { long, layout, lists, link, is_known: false, copied: 0, copies, marks: 0 }
    }

    /// The words that all tasks share.
    #[inline(always)]
    pub(super) fn words(&self) -> Words<'m> {
        self.long.shared()
    }

    /// The layout of the object's words.
    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The word where the current version begins.
    pub(super) fn value(&self) -> usize {
        self.long.value(self.long.seen(self.long.word()))
    }

    /// Begins an attempt; false if another task stored meanwhile. This uses up what the task knew of its list.
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

    /// The word `index` of the version's part that is not blocks.
    pub(super) fn more(&self, index: usize) -> usize {
        self.long.own(self.link.half) + self.layout.blocks + index
    }

    /// Executes an operation, the only one of the attempt if `ONCE`, on blocks of `BLOCK` words.
    #[inline(always)]
    pub(super) fn apply<const BLOCK: usize, const ONCE: bool>(
        &mut self,
        object: &impl Sequential,
        request: Request,
    ) -> Result<Answer, Stale> {
        let mut view = View::<BLOCK, ONCE> {
            blocks: Blocks::new(self.words(), if BLOCK == ANY { self.layout.block } else { BLOCK }),
            list: self.lists[usize::from(self.link.half)],
            version: self.long.at(),
            seen: self.link.word,
            copied: if ONCE { 0 } else { self.copied },
            copies: &mut self.copies,
            marks: self.marks,
        };
        let answer = object.apply(request, &mut view);
        (self.copied, self.marks) = (view.copied, view.marks);
        answer
    }

    /// True if the attempt has changed nothing.
    #[inline(always)]
    pub(super) fn is_unchanged(&self) -> bool {
        self.copied == 0
    }

    /// Ends an attempt that has changed nothing. True if it counts, because no other task has stored.
    #[inline(always)]
    pub(super) fn leave(&mut self) -> bool {
        self.is_known = true;
        self.long.is_valid(self.link)
    }

    /// Makes the draft the object, unless another task has changed that; then the replaced blocks are this task's
    /// copies.
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
}

/// The mark of a block, which other blocks may share.
fn mark(which: usize) -> u64 {
    1_u64.wrapping_shl(which as u32)
}

/// The draft as an operation sees it: values of its own, so that they stay in registers.
#[derive(Debug)]
struct View<'a, 'm, const BLOCK: usize, const ONCE: bool> {
    blocks: Blocks<'m>,
    list: Words<'m>,
    /// The word of the current version, and what the attempt saw there.
    version: &'m Word,
    seen: u64,
    copied: usize,
    copies: &'a mut [Copied<'m>],
    marks: u64,
}

impl<'m, const BLOCK: usize, const ONCE: bool> View<'_, 'm, BLOCK, ONCE> {
    /// True if the attempt has copied this block. The block's mark nearly always decides it.
    #[inline(always)]
    fn is_copied(&self, which: usize) -> bool {
        self.marks & mark(which) != 0 && self.is_found(which)
    }

    #[inline(never)]
    fn is_found(&self, which: usize) -> bool {
        self.copies[..self.copied].iter().any(|copied| copied.which == which)
    }

    /// A copy for this block, in place of the one that was seen, unless that is a copy already.
    #[inline(always)]
    fn next_copy(&mut self, which: usize, seen: Words<'m>) -> Words<'m> {
        if !has(Part::CopiedBlock) || !ONCE && self.is_copied(which) {
            return seen;
        }
        let Some(copied) = self.copies.get_mut(self.copied) else {
            panic!("an operation writes into as many blocks as it says");
        };
        let copy = copied.at.load(Relaxed);
        (copied.which, copied.replaced) = (which, self.list.get(which));
        self.copied = self.copied.wrapping_add(1);
        if !ONCE {
            self.marks |= mark(which);
        }
        self.list.release(which, copy);
        self.blocks.at(copy)
    }
}

impl<'m, const BLOCK: usize, const ONCE: bool> Memory<'m> for View<'_, 'm, BLOCK, ONCE> {
    const BLOCK: usize = BLOCK;

    #[inline(always)]
    fn look(&self, block: usize) -> Words<'m> {
        self.blocks.at(self.list.get(block))
    }

    #[inline(always)]
    fn validate(&self) -> Result<(), Stale> {
        let is_stale = has(Part::ValidatedRead) && self.version.load(Acquire) != self.seen;
        if is_stale {
            Err(Stale)
        } else {
            Ok(())
        }
    }

    #[inline(always)]
    fn hold(&mut self, block: usize, seen: Words<'m>) -> Words<'m> {
        let copy = self.next_copy(block, seen);
        if BLOCK == ANY {
            copy.copy(seen);
        } else {
            copy.copy_few(seen);
        }
        copy
    }

    #[inline(always)]
    fn renew(&mut self, block: usize, seen: Words<'m>) -> Words<'m> {
        self.next_copy(block, seen)
    }
}
