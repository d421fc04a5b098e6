//! The array lock: each waiter spins on a slot of its own.
//!
//! T. Anderson, *The performance of spin lock alternatives for shared-memory multiprocessors*, IEEE TPDS 1(1), 1990,
//! section V. Anderson's slots hold "has lock" or "must wait", and the thread that is granted sets its slot back for
//! the next round. Here a slot holds the number of the turn that it grants: the queue and the slots are the same, but
//! there is nothing to set back, all bytes zero is an unlocked lock, and when more wait than there are slots, then
//! some share a cache line, where the original would grant two at once.

use super::super::padded::Padded;
use super::super::sync::AtomicU32;
use super::queue_lock::QueueLock;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// A position in the queue of an [`ArrayLock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Position(u32);

/// Anderson's array lock with `N` slots, a power of two; have one for each processor.
///
/// Plain data: all bytes zero is an unlocked lock, wherever it is mapped.
#[derive(Debug)]
#[repr(C)]
pub struct ArrayLock<const N: usize> {
    next: Padded<AtomicU32>,
    /// The last turn that each slot granted.
    granted: [Padded<AtomicU32>; N],
}

impl<const N: usize> ArrayLock<N> {
    /// Mask of a slot's number: `N` is a power of two, so that the slots of turns follow each other also where the
    /// numbers wrap around.
    const MASK: u32 = {
        assert!(N.is_power_of_two() && N <= 1 << 16, "an array lock has a power of two of slots");
        N as u32 - 1
    };

    const_if_possible! {
        /// An unlocked lock.
        pub fn new() -> Self {
            ArrayLock {
                next: Padded(AtomicU32::new(0)),
                granted: places!(N, Padded(AtomicU32::new(0))),
            }
        }
    }

    fn slot(&self, turn: u32) -> &AtomicU32 {
        &self.granted[(turn & Self::MASK) as usize].0
    }
}

impl<const N: usize> Default for ArrayLock<N> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: each turn is drawn once. A slot holds the turn t only when t - 1 was left, and is written again only when
// the turn before t + N is left, so at most one turn is granted. Slots are written with release, read with acquire.
unsafe impl<const N: usize> QueueLock for ArrayLock<N> {
    type Position = Position;

    fn enter(&self) -> Position {
        // Only the order of the turns counts here: what the holder did is seen through the slot.
        Position(self.next.0.fetch_add(1, Relaxed))
    }

    fn try_enter(&self) -> Option<Position> {
        let turn = self.next.0.load(Relaxed);
        if !self.is_granted(Position(turn)) {
            return None;
        }
        let drawn = self.next.0.compare_exchange(turn, turn.wrapping_add(1), Relaxed, Relaxed);
        drawn.ok().map(Position)
    }

    fn is_granted(&self, position: Position) -> bool {
        self.slot(position.0).load(Acquire) == position.0
    }

    unsafe fn leave(&self, position: Position) {
        let turn = position.0.wrapping_add(1);
        self.slot(turn).store(turn, Release);
    }
}
