//! The lock-free buffer: slots with counted readers.
//!
//! After P. Tsigas and Y. Zhang, *Non-blocking data sharing in multiprocessor real-time systems*, RTCSA 1999.
//! Published: a protocol by which several tasks read and write one buffer at the same time, with the least number of
//! slots, and no operation waits for another one. This file keeps these properties: an operation is repeated only
//! because another one succeeded. The words and the handshake are this file's choice, not a copy of the paper's code.
//!
//! `latest` is the number of the slot with the latest value, and how many readers have entered it since it is. Each
//! slot has a word: [`OWNED`] while a writer fills it or it is the latest, and the difference of readers that entered
//! and readers that left. A reader adds itself to `latest`, and so knows its slot; it leaves at the slot's word. A
//! writer takes a slot whose word is zero, fills it, and exchanges `latest`. The old `latest` says how many have
//! entered the slot before: the writer adds those to that slot's word, and disowns it. From then on the word is the
//! number of readers that are still there, and zero makes the slot free.
//!
//! Each task holds at most one slot, also where it was killed, and one is the latest. So of N + 1 slots one is free for
//! a writer.
//!
//! **Retries.** A read never fails. A write looks for a free slot, at all of them in turn, and does so again if none
//! was free when it looked. At each moment one is free, and only a writer that takes it makes it anything else: readers
//! enter the latest slot alone. So another operation fails at most one attempt of a write: it takes one slot. To look
//! at `latest` first and enter its slot then would be another matter: a reader that comes late occupies a free slot for
//! a moment, as often as writes overtake it.
//!
//! **64-bit machines.** Counts have 48 bits, in both words in the same place, and wrap around alike: only their
//! difference counts, of which there is at most one for each task. Orderings: a reader that enters acquires what the
//! writer of the slot has released with its exchange, also after other readers, whose additions go on that release. A
//! writer that takes a slot acquires what the last of its readers has released, and so what all have: they all
//! exchanged that word. No fence is needed.

use super::super::super::part::Part;
use super::super::super::sync::{has, Word, LINE};
use super::super::super::words::{ordering, Words};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The slot has a writer, or is the latest.
const OWNED: u64 = 1;
/// The count of one reader, in a slot's word and in `latest`, where the number of the slot is in the bits below.
const READER: u64 = 1 << 16;

/// The access of one task to a lock-free buffer.
#[derive(Debug)]
pub struct LockFreeBuffer<'m> {
    words: Words<'m>,
    size: usize,
    tasks: usize,
    /// The slot at which the next write looks first.
    hint: usize,
    attempts: u64,
}

/// The number of the slot that `latest` names.
fn slot_in(latest: u64) -> usize {
    (latest % READER) as usize
}

impl<'m> LockFreeBuffer<'m> {
    /// The number of words of memory that a buffer of `size` words needs for this many tasks.
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

    /// The number of attempts that the last operation made.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Copies the latest value into `into`, which is as long.
    pub fn read(&mut self, into: &mut [u64]) {
        self.attempts = 1;
        let entered = has(Part::EnteredReader);
        let latest =
            if entered { self.latest().fetch_add(READER, AcqRel) } else { self.latest().load(Acquire) };
        let slot = slot_in(latest);
        self.slot(slot).get_all(into);
        if entered {
            self.holders(slot).fetch_sub(READER, Release);
        }
    }

    /// Makes `value`, which is as long as the buffer, the latest.
    pub fn write(&mut self, value: &[u64]) {
        let slot = self.take_slot();
        self.slot(slot).set_all(value);
        let before = self.latest().swap(slot as u64, ordering(Part::PublishedSlot, AcqRel));
        let old = slot_in(before);
        self.holders(old).fetch_add((before - old as u64).wrapping_sub(OWNED), AcqRel);
    }

    fn take_slot(&mut self) -> usize {
        self.attempts = 0;
        loop {
            self.attempts += 1;
            for _ in 0..=self.tasks {
                let slot = self.hint;
                self.hint = (slot + 1) % (self.tasks + 1);
                if self.holders(slot).compare_exchange(0, OWNED, AcqRel, Relaxed).is_ok() {
                    return slot;
                }
            }
        }
    }
}
