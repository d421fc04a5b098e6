//! A ring of records that one thread writes and one reads, without locks and without system calls.
//!
//! L. Lamport, *Specifying concurrent program modules*, ACM TOPLAS 5(2), 1983: each side writes one number, and looks
//! at the other's. If the ring is full, the record is lost and counted.

use super::super::padded::Padded;
use super::super::sync::{AtomicBool, AtomicU64};
use alloc::boxed::Box;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// A ring of records of `WORDS` words.
#[derive(Debug)]
pub struct Ring<const WORDS: usize> {
    writer: Padded<Writer>,
    /// The number of the next record to read.
    read: Padded<AtomicU64>,
    reading: AtomicBool,
    places: Box<[[AtomicU64; WORDS]]>,
}

/// The part of a ring that the writer alone writes.
#[derive(Debug)]
struct Writer {
    /// The number of the next record to write.
    next: AtomicU64,
    /// Number of records that were lost.
    lost: AtomicU64,
}

impl<const WORDS: usize> Ring<WORDS> {
    /// An empty ring with room for `capacity` records, at least two, rounded up to a power of two.
    pub fn new(capacity: usize) -> Self {
        let place = |_| core::array::from_fn(|_| AtomicU64::new(0));
        Ring {
            writer: Padded(Writer { next: AtomicU64::new(0), lost: AtomicU64::new(0) }),
            read: Padded(AtomicU64::new(0)),
            reading: AtomicBool::new(false),
            places: (0..capacity.max(2).next_power_of_two()).map(place).collect(),
        }
    }

    #[inline]
    fn place(&self, number: u64) -> &[AtomicU64; WORDS] {
        // The number of places is a power of two.
        &self.places[number as usize & (self.places.len() - 1)]
    }

    /// Writes a record; false if the ring was full and it is lost. One thread writes, and no handler of its signals
    /// meanwhile: else records are lost or mixed.
    #[inline]
    pub fn write(&self, record: [u64; WORDS]) -> bool {
        let Writer { next, lost } = &self.writer.0;
        let number = next.load(Relaxed);
        if number - self.read.0.load(Acquire) == self.places.len() as u64 {
            lost.store(lost.load(Relaxed) + 1, Relaxed);
            return false;
        }
        for (word, value) in self.place(number).iter().zip(record) {
            word.store(value, Relaxed);
        }
        next.store(number + 1, Release);
        true
    }

    /// Reads what has been written, in the order of writing. Nothing if another thread reads at this moment.
    pub fn read(&self, mut each: impl FnMut([u64; WORDS])) {
        if self.reading.compare_exchange(false, true, AcqRel, Relaxed).is_err() {
            return;
        }
        let written = self.writer.0.next.load(Acquire);
        for number in self.read.0.load(Relaxed)..written {
            let place = self.place(number);
            each(core::array::from_fn(|index| place[index].load(Relaxed)));
        }
        self.read.0.store(written, Release);
        self.reading.store(false, Release);
    }

    /// The number of records that were lost so far.
    pub fn lost(&self) -> u64 {
        self.writer.0.lost.load(Relaxed)
    }
}
