//! The wait-free buffer: reader and writers agree on the slot that the reader takes.
//!
//! It stands where block-or-not-2008 has the buffer of J. Anderson and P. Holman, *Efficient pure-buffer algorithms for
//! real-time systems*, RTCSA 2000. Published there: wait-free buffers for several writers, of several slots with
//! handshakes, in time O(B) for B words. Their constant time and space rely on how each processor schedules its tasks,
//! by quanta or by priorities. Tasks here are processes under any scheduler, so those algorithms would be wrong here,
//! and this is another one of the kind. The handshake is in the manner of J. Chen and A. Burns, *Asynchronous data
//! sharing in multiprocessor real-time systems using process consensus*, Euromicro Real-Time 1998: a reader says that
//! it is about to choose, and compare-and-swap decides between it and a writer. To have several writers is this file's
//! own: each has slots of its own here, and settles the readers before it uses a slot again, instead of after each
//! write.
//!
//! * `latest`: the slot with the latest value. A write fills a slot of its own and exchanges `latest`.
//! * `reading`, by task: the number of its read, with [`IDLE`], [`CHOOSING`] or the slot that it takes.
//!
//! A reader writes `CHOOSING`, looks at `latest`, and puts that slot in place of `CHOOSING`, unless a writer has put
//! one there meanwhile: then it takes that one. A writer looks at `latest`, and then at each reader. Where it meets
//! `CHOOSING`, it does what the reader is about to do. Then a slot of its own that is neither the latest nor in a
//! reader's word is free, and stays so: a read that looks at `latest` later does not find the slot there, since this
//! task alone can bring it there; one that looked earlier is settled. A task has N + 1 slots: one may be the latest,
//! and each of the N - 1 others may read one.
//!
//! A read takes the slot that was the latest at some point within it, also where a writer chose: that one looked at
//! `latest` after it had met this read's number, and put the slot there while that number still stood there.
//!
//! Steps: a read makes [`WaitFreeBuffer::read_steps`] accesses at most, a write [`WaitFreeBuffer::write_steps`].
//! Nothing is repeated.
//!
//! **64-bit machines.** A read's number has 48 bits, so that it never repeats. A reader writes its word and then reads
//! `latest`, a writer reads `latest` and then that word, and one of them has to see the other (Dekker's argument):
//! between the two, each has a sequentially consistent fence. So has a writer that settles for a reader: else it might
//! see the reader's new word and an older `latest` than another writer has seen already, on machines where writes reach
//! processors in different orders.

use super::super::super::part::Part;
use super::super::super::sync::{fence, has, Word, LINE};
use super::super::super::words::Words;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Release, SeqCst};

/// States of a reader's word; larger ones are slots.
const IDLE: u64 = 0;
const CHOOSING: u64 = 1;
const FIRST: u64 = 2;
/// The state's bits; the read's number is above them.
const STATE: u32 = 16;

/// The access of one task to a wait-free buffer.
#[derive(Debug)]
pub struct WaitFreeBuffer<'m> {
    words: Words<'m>,
    size: usize,
    tasks: usize,
    me: usize,
}

fn state(word: u64) -> u64 {
    word & ((1 << STATE) - 1)
}

/// The slot in a reader's word.
fn slot_in(word: u64) -> Option<usize> {
    state(word).checked_sub(FIRST).map(|slot| slot as usize)
}

/// The word of the read that was choosing, with its slot.
fn chosen(choosing: u64, slot: usize) -> u64 {
    choosing - CHOOSING + FIRST + slot as u64
}

impl<'m> WaitFreeBuffer<'m> {
    /// The number of words of memory that a buffer of `size` words needs for this many tasks. All words zero is a
    /// buffer of zeros.
    pub const fn words(size: usize, tasks: usize) -> usize {
        LINE * (1 + tasks) + tasks * (tasks + 1) * size
    }

    /// The access of task `me` to the buffer in `words`.
    pub fn new(words: Words<'m>, size: usize, tasks: usize, me: usize) -> Self {
        assert!(words.count() >= Self::words(size, tasks) && me < tasks, "the buffer was made for this task");
        WaitFreeBuffer { words, size, tasks, me }
    }

    /// The largest number of accesses to shared words that a read makes.
    pub const fn read_steps(size: usize) -> usize {
        size + 5
    }

    /// The largest number of accesses to shared words that a write makes.
    pub const fn write_steps(size: usize, tasks: usize) -> usize {
        size + 2 + 3 * (tasks - 1)
    }

    fn latest(&self) -> &'m Word {
        self.words.at(0)
    }

    fn reading(&self, task: usize) -> &'m Word {
        self.words.at(LINE * (1 + task))
    }

    fn slot(&self, slot: usize) -> Words<'m> {
        self.words.part(LINE * (1 + self.tasks) + slot * self.size, self.size)
    }

    /// Copies the latest value into `into`, which is as long.
    pub fn read(&mut self, into: &mut [u64]) {
        let mine = self.reading(self.me);
        let before = mine.load(Acquire);
        let idle = before - state(before) + (1 << STATE);
        let choosing = idle + CHOOSING;
        mine.store(choosing, Release);
        if has(Part::ReaderFence) {
            fence(SeqCst);
        }
        let latest = self.latest().load(Acquire) as usize;
        let slot = match mine.compare_exchange(choosing, chosen(choosing, latest), AcqRel, Acquire) {
            Err(now) if has(Part::AgreedSlot) => slot_in(now).expect("a writer has settled this read"),
            Ok(_) | Err(_) => latest,
        };
        self.slot(slot).get_all(into);
        mine.store(idle + IDLE, Release);
    }

    /// Makes `value`, which is as long as the buffer, the latest.
    pub fn write(&mut self, value: &[u64]) {
        let slot = self.free_slot();
        self.slot(slot).set_all(value);
        self.latest().swap(slot as u64, AcqRel);
    }

    /// A slot of this task that no task reads.
    fn free_slot(&self) -> usize {
        let own = self.me * (self.tasks + 1);
        let mut taken: u128 = 0;
        let mut take = |slot: usize| {
            if let Some(index) = slot.checked_sub(own).filter(|index| *index <= self.tasks) {
                taken |= 1 << index;
            }
        };
        take(self.latest().load(Acquire) as usize);
        if has(Part::WriterFence) {
            fence(SeqCst);
        }
        for task in (0..self.tasks).filter(|task| *task != self.me) {
            self.settle(task).into_iter().for_each(&mut take);
        }
        let free = taken.trailing_ones() as usize;
        assert!(free <= self.tasks, "others read at most one slot each");
        own + free
    }

    /// The slot that `task` reads, if it reads. A task that was choosing has chosen when this returns, or chooses anew.
    fn settle(&self, task: usize) -> Option<usize> {
        let word = self.reading(task);
        let now = word.load(Acquire);
        if state(now) != CHOOSING || !has(Part::SettledReader) {
            return slot_in(now);
        }
        if has(Part::SettlerFence) {
            fence(SeqCst);
        }
        let latest = self.latest().load(Acquire) as usize;
        match word.compare_exchange(now, chosen(now, latest), AcqRel, Acquire) {
            Ok(_) => Some(latest),
            Err(now) => slot_in(now),
        }
    }
}
