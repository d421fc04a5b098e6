//! A ring of records that many threads write and one reads, without locks and without system calls.
//!
//! After D. Vyukov's bounded queue (2010): each place says whose turn it is. A writer takes the next number and then
//! its place alone; it may be preempted or interrupted by another writer, a signal handler on its own thread included,
//! between any two instructions. If the ring is full, the record is lost and counted.

use super::padded::Padded;
use super::sync::{AtomicBool, AtomicU64};
use alloc::boxed::Box;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// A place for a record of so many words.
#[derive(Debug)]
struct Place<const WORDS: usize> {
    /// The number of the record that may be written here, or, one more, that may be read.
    turn: AtomicU64,
    words: [AtomicU64; WORDS],
}

/// A ring of records of `WORDS` words.
#[derive(Debug)]
pub struct Ring<const WORDS: usize> {
    /// The number of the next record.
    next: Padded<AtomicU64>,
    /// How many records were lost.
    lost: Padded<AtomicU64>,
    /// The number of the next record to read, and whether somebody reads.
    read: Padded<AtomicU64>,
    reading: AtomicBool,
    places: Box<[Place<WORDS>]>,
}

impl<const WORDS: usize> Ring<WORDS> {
    /// An empty ring with room for `capacity` records, at least two, rounded up to a power of two.
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity.max(2).next_power_of_two() as u64;
        let place =
            |turn| Place { turn: AtomicU64::new(turn), words: core::array::from_fn(|_| AtomicU64::new(0)) };
        Ring {
            next: Padded(AtomicU64::new(0)),
            lost: Padded(AtomicU64::new(0)),
            read: Padded(AtomicU64::new(0)),
            reading: AtomicBool::new(false),
            places: (0..capacity).map(place).collect(),
        }
    }

    fn place(&self, number: u64) -> &Place<WORDS> {
        // The number of places is a power of two.
        &self.places[(number & (self.places.len() as u64 - 1)) as usize]
    }

    /// Writes a record; false if the ring was full and it is lost.
    #[inline]
    pub fn write(&self, record: [u64; WORDS]) -> bool {
        let mut number = self.next.0.load(Relaxed);
        loop {
            let place = self.place(number);
            let turn = place.turn.load(Acquire);
            if turn == number {
                match self.next.0.compare_exchange(number, number + 1, Relaxed, Relaxed) {
                    Ok(_) => {
                        for (word, value) in place.words.iter().zip(record) {
                            word.store(value, Relaxed);
                        }
                        place.turn.store(number + 1, Release);
                        return true;
                    }
                    Err(now) => number = now,
                }
            } else if turn < number {
                // The record of the round before is not read yet.
                self.lost.0.fetch_add(1, Relaxed);
                return false;
            } else {
                number = self.next.0.load(Relaxed);
            }
        }
    }

    /// Reads what has been written, in the order of writing, up to a record that is being written. Nothing if another
    /// thread reads at this moment.
    pub fn read(&self, mut each: impl FnMut([u64; WORDS])) {
        if self.reading.compare_exchange(false, true, AcqRel, Relaxed).is_err() {
            return;
        }
        let mut number = self.read.0.load(Relaxed);
        loop {
            let place = self.place(number);
            if place.turn.load(Acquire) != number + 1 {
                break;
            }
            each(core::array::from_fn(|at| place.words[at].load(Relaxed)));
            place.turn.store(number + self.places.len() as u64, Release);
            number += 1;
        }
        self.read.0.store(number, Relaxed);
        self.reading.store(false, Release);
    }

    /// How many records were lost so far.
    pub fn lost(&self) -> u64 {
        self.lost.0.load(Relaxed)
    }
}
