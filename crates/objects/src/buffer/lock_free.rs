//! The lock-free buffer: slots with counted readers.
//!
//! After P. Tsigas and Y. Zhang, *Non-blocking data sharing in multiprocessor real-time systems*, RTCSA 1999. Published: a protocol by which
//! several tasks read and write one buffer at the same time, with the least number of slots, and no operation waits for another one. This
//! file keeps these properties: an operation is repeated only because another one succeeded. The words and the handshake are this
//! file's choice, not a copy of the paper's code.
//!
//! `latest` is the number of the slot with the latest value. Each slot has a word: [`OWNED`] while a writer fills it or it is the
//! latest, plus the number of readers that hold it. A writer takes a slot whose word is zero, fills it, and exchanges
//! `latest`; then it disowns the slot that was the latest before. A reader adds itself to the latest slot, and looks once more
//! whether that is still the latest. If it is, then no writer takes the slot before the reader leaves it.
//!
//! Each task holds at most one slot, also where it was killed, and one is the latest. So of N + 1 slots one is free for a writer.
//!
//! **64-bit machines.** No word is compared with an old value to find out whether it changed, so none needs a number against reuse: a
//! reader that meets the same slot again, filled anew, holds the latest value. Orderings: a reader that adds itself after the slot was taken
//! anew reads the word that its writer wrote, so it has seen (acquire) the exchange of `latest` that made the slot free, and
//! its second look fails. A writer that takes a slot reads the word that the last reader wrote with release, so that reader
//! has read all. No fence is needed.

use super::super::part::Part;
use super::super::sync::{has, Word, LINE};
use super::super::words::{ordering, Words};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The slot has a writer, or is the latest.
const OWNED: u64 = 1 << 32;

/// A task's access to a lock-free buffer.
#[derive(Debug)]
pub struct LockFreeBuffer<'m> {
    words: Words<'m>,
    size: usize,
    tasks: usize,
    /// Where the next write looks first.
    hint: usize,
    attempts: u64,
}

impl<'m> LockFreeBuffer<'m> {
    /// How many words of memory a buffer of `size` words needs for so many tasks.
    pub const fn words(size: usize, tasks: usize) -> usize {
        LINE * (tasks + 2) + size * (tasks + 1)
    }

    /// Makes a buffer of zeros in words that are zero.
    pub fn set_up(words: Words<'_>) {
        // The first slot is the latest.
        words.set(LINE, OWNED);
    }

    /// The access of task `me` to the buffer in `words`.
    pub fn new(words: Words<'m>, size: usize, tasks: usize, me: usize) -> Self {
        assert!(words.count() >= Self::words(size, tasks) && me < tasks, "the buffer was made for this task");
        LockFreeBuffer { words, size, tasks, hint: me, attempts: 0 }
    }

    fn latest(&self) -> &'m Word {
        self.words.at(0)
    }

    fn holders(&self, slot: usize) -> &'m Word {
        self.words.at(LINE * (1 + slot))
    }

    fn slot(&self, slot: usize) -> Words<'m> {
        self.words.part(LINE * (self.tasks + 2) + slot * self.size, self.size)
    }

    /// How often the last operation tried.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Copies the latest value into `into`, which is as long.
    pub fn read(&mut self, into: &mut [u64]) {
        self.attempts = 0;
        loop {
            self.attempts += 1;
            let slot = self.latest().load(Acquire) as usize;
            let holders = self.holders(slot);
            holders.fetch_add(1, AcqRel);
            if !has(Part::SecondLook) || self.latest().load(Acquire) as usize == slot {
                let words = self.slot(slot);
                for (at, word) in into.iter_mut().enumerate() {
                    *word = words.get(at);
                }
                holders.fetch_sub(1, Release);
                return;
            }
            holders.fetch_sub(1, Release);
        }
    }

    /// Makes `value`, which is as long as the buffer, the latest.
    pub fn write(&mut self, value: &[u64]) {
        let slot = self.take_slot();
        let words = self.slot(slot);
        for (at, word) in value.iter().enumerate() {
            words.set(at, *word);
        }
        let before = self.latest().swap(slot as u64, ordering(Part::PublishedSlot, AcqRel));
        self.holders(before as usize).fetch_sub(OWNED, AcqRel);
    }

    fn take_slot(&mut self) -> usize {
        self.attempts = 0;
        loop {
            self.attempts += 1;
            for _ in 0..=self.tasks {
                let slot = self.hint;
                self.hint = (slot + 1) % (self.tasks + 1);
                let holders = self.holders(slot);
                let is_free = holders.load(Relaxed) == 0;
                if is_free && holders.compare_exchange(0, OWNED, AcqRel, Relaxed).is_ok() {
                    return slot;
                }
            }
        }
    }
}
